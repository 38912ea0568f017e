/** Creates the first household of a new deployment, and its owner's sign-in link. */
import { defined } from "../../../src/mess/defined.ts";
import { ApiRefusal, createClient } from "../client.ts";
import { PlainError } from "../program.ts";
import type { DeployOptions } from "./deploy-options.ts";

export interface FirstHouseholdCalls {
  /** Calls the deployed exchange. */
  fetchExchange: typeof fetch;
  sleep: (milliseconds: number) => Promise<void>;
}

/** A new address of workers.dev needs about a minute, a custom domain several, until it has a certificate. */
const MAX_ATTEMPTS = 150;
const RETRY_MS = 2_000;

/**
 * Waits until the exchange accepts the operator's key, since the former version may answer for a while.
 * @returns the link
 */
export async function createFirstHousehold(
  origin: string,
  operatorKey: string,
  household: DeployOptions["household"],
  { fetchExchange, sleep }: FirstHouseholdCalls,
): Promise<string> {
  if (!household)
    throw new PlainError("--sign-in-link needs a household: leave out --no-household.");
  const operator = createClient(origin, operatorKey, undefined, fetchExchange);
  const { id, name, timeZone } = household;
  const body = { id, time_zone: timeZone, ...defined({ name }) };
  for (let attempt = 1; ; attempt++) {
    try {
      await operator.post("/api/v1/households", body, `deploy-${id}`);
      break;
    } catch (error) {
      if (error instanceof ApiRefusal && error.code === "already_exists") break;
      const isFinal = error instanceof ApiRefusal && [400, 409, 422].includes(error.status);
      if (isFinal || attempt === MAX_ATTEMPTS)
        throw new PlainError(
          `The Worker is deployed, but the household ${id} could not be created at ${origin}: ${(error as Error).message}. Repeat the command; it continues here.`,
        );
      await sleep(RETRY_MS);
    }
  }
  return (await operator.post<{ url: string }>(`/api/v1/households/${id}/sign-in-links`, {})).url;
}
