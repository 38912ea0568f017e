/** Milliseconds for one call on a busy machine; with a backtracking regex these tests would take ten seconds. */
const MAX_ANSWER_MS = 3_000;

/** Returns the response, which must arrive within the time limit. */
export async function expectSoon<T>(call: Promise<T>): Promise<T> {
  const began = Date.now();
  const response = await call;
  const took = Date.now() - began;
  if (took > MAX_ANSWER_MS) throw new Error(`answered after ${took} ms`);
  return response;
}
