/** How long a call is waited for: until nothing was heard for a while, and not for ever. */
export interface Patience {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Something was heard. */
  readonly renew: () => void;
  /** It is not waited for any more. */
  readonly end: () => void;
}

/**
 * @param silence milliseconds without a word
 * @param whole milliseconds of it all
 */
export function patience(silence: number, whole: number): Patience {
  const controller = new AbortController();
  const over = () => controller.abort(new DOMException("no answer in time", "TimeoutError"));
  const last = setTimeout(over, whole);
  let timer = setTimeout(over, silence);
  return {
    signal: controller.signal,
    renew: () => {
      clearTimeout(timer);
      timer = setTimeout(over, silence);
    },
    end: () => {
      clearTimeout(timer);
      clearTimeout(last);
    },
  };
}
