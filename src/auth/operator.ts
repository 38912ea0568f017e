/** Authenticates the operator of the deployment, who creates households and belongs to none. */
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { isSameSecret } from "./hash.ts";
import { refuseUnauthenticated } from "./unauthenticated.ts";

export async function authenticateOperator(
  operatorKey: string,
  actualKey: string | undefined,
): Promise<Outcome<true>> {
  const isOperator = await isSameSecret(operatorKey, actualKey ?? "");
  return isOperator && actualKey !== undefined ? ok(true) : refuseUnauthenticated();
}
