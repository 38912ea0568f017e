/** How long a call is waited for: until nothing was heard for a while, and not for ever. */
export interface CallTimeout {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Something was heard. */
  readonly renew: () => void;
  /** It is not waited for any more. */
  readonly end: () => void;
}

/**
 * @param idleMs milliseconds without a word
 * @param totalMs milliseconds of it all
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
