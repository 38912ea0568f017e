/** Shortens the pauses by the real clock in which a burst of changes is gathered for one call. */

const MAX_WAIT_MS = 1;
const waitReal = scheduler.wait.bind(scheduler);

export const shortenWaits = (): void => {
  scheduler.wait = (milliseconds) => waitReal(Math.min(milliseconds, MAX_WAIT_MS));
};
