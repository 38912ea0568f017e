/** Timeout of a tool call: a maximum time without data, and a maximum time in total. */
export interface CallTimeout {
  /** Aborts when one of the limits is reached. */
  readonly signal: AbortSignal;
  /** Data arrived: restarts the time without data. */
  readonly renew: () => void;
  /** Stops the timers. */
  readonly end: () => void;
}

/**
 * @param idleMs maximum milliseconds without data
 * @param totalMs maximum milliseconds in total
 */
export function startCallTimeout(idleMs: number, totalMs: number): CallTimeout {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("no answer in time", "TimeoutError"));
  const last = setTimeout(abort, totalMs);
  let timer = setTimeout(abort, idleMs);
  return {
    signal: controller.signal,
    renew: () => {
      clearTimeout(timer);
      timer = setTimeout(abort, idleMs);
    },
    end: () => {
      clearTimeout(timer);
      clearTimeout(last);
    },
  };
}
