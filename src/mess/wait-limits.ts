/** How long a call may wait. */

/** Clients end a call after about 60 seconds. */
export const MAX_WAIT_SECONDS = 45;

/** Of a wait by a task, or with reports of progress. */
export const MAX_LONG_WAIT_SECONDS = 600;
