/** Limits how long a promise is awaited. */

/** The message of the error with which `withTimeout` rejects after the time. */
export const TIMEOUT_MESSAGE = "no answer in time";

/** The result of `work`; rejects after the given time, but does not stop the work. */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(TIMEOUT_MESSAGE)), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
