/** Milliseconds for one call on a busy machine; the texts of these tests take ten seconds where a regex backtracks. */
const MAX_ANSWER_MS = 3_000;

/** The answer, which must not keep the Worker busy. */
export async function expectSoon<T>(call: Promise<T>): Promise<T> {
  const began = Date.now();
  const answer = await call;
  const took = Date.now() - began;
  if (took > MAX_ANSWER_MS) throw new Error(`answered after ${took} ms`);
  return answer;
}
