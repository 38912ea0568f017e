/** Machines that call back without an API key: by a signature over what they send, or by the token they were given. */
import { householdStub } from "../../stubs.ts";
import type { CallingBack } from "../../contracts/contacts.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { HOUSEHOLD_ID } from "../api-keys.ts";
import { readCallbackToken } from "./callback-tokens.ts";
import { LINK_PERMISSIONS, type Principal } from "../principal.ts";
import { unauthenticated } from "../unauthenticated.ts";
import { deriveWebhookSecret, verifyWebhook, type WebhookHeaders } from "./webhook-signatures.ts";

/** Who calls back, and from where its files come. */
export interface Caller extends CallingBack {
  principal: Principal;
}

type Households = Pick<Env, "HOUSEHOLDS">;

const LONGEST_ID = 64;

/** What the household knows of the executor; null for both of them unknown. */
const lookUp = async (
  env: Households,
  household: string,
  executor: string,
): Promise<CallingBack | null> =>
  HOUSEHOLD_ID.test(household) && executor.length <= LONGEST_ID
    ? await householdStub(env, household).callingBack(executor)
    : null;

/** The executor that the token was given to, held to its thread. */
export async function authenticateCallback(
  env: Households,
  secret: string,
  token: string,
): Promise<Outcome<Caller>> {
  const grant = await readCallbackToken(secret, token);
  if (!grant) return unauthenticated();
  const { household, executor, ref, binding } = grant;
  const known = await lookUp(env, household, executor);
  if (!known || (binding ?? known.token_binding) !== known.token_binding) return unauthenticated();
  const scope = { ref, permissions: LINK_PERMISSIONS };
  return ok({ ...known, principal: { household, actor: executor, role: "executor", scope } });
}

/**
 * The executor whose secret signed the body. Unknown households and executors and wrong signatures are one refusal,
 * for the same work.
 * @param secret MESS_SECRET
 */
export async function authenticateSignature(
  env: Households,
  secret: string,
  { household, executor }: { household: string; executor: string },
  headers: WebhookHeaders,
  body: Uint8Array,
): Promise<Outcome<Caller>> {
  const known = await lookUp(env, household, executor);
  const derived = await deriveWebhookSecret(secret, household, executor);
  const good = await verifyWebhook(known?.secret ?? derived, headers, body);
  if (!known || !good) return unauthenticated();
  return ok({ ...known, principal: { household, actor: executor, role: "executor" } });
}
