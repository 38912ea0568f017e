/** The operator of the deployment, who makes households and belongs to none of them. */
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { sha256 } from "./hash.ts";
import { unauthenticated } from "./unauthenticated.ts";

/** Compares digests, whose length and timing tell nothing of the key. */
export async function authenticateOperator(
  operatorKey: string,
  given: string | undefined,
): Promise<Outcome<true>> {
  const [expected, actual] = await Promise.all([sha256(operatorKey), sha256(given ?? "")]);
  let differences = 0;
  for (let at = 0; at < expected.length; at++)
    differences |= expected.charCodeAt(at) ^ actual.charCodeAt(at);
  return differences === 0 && given !== undefined ? ok(true) : unauthenticated();
}
