import { refuse } from "../mess/errors.ts";

/**
 * One refusal for threads that do not exist and for threads that the caller may not see, so that it reveals neither.
 */
export const refuseThreadNotFound = () =>
  refuse(
    "not_found",
    "thread not found",
    "Use the ref from an ack, or list your threads with GET /mess.",
  );
