/** Machines that call back without an API key: by a signature over what they send, or by the token they were given. */
import { householdStub } from "../../stubs.ts";
import type { CallbackCredentials } from "../../contracts/contacts.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { HOUSEHOLD_ID_PATTERN } from "../api-keys.ts";
import { readCallbackToken } from "./callback-tokens.ts";
import { LINK_PERMISSIONS, type Principal } from "../principal.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";
import { deriveWebhookSecret, verifyWebhook, type WebhookHeaders } from "./webhook-signatures.ts";

/** Who calls back, and from where its files come. */
export interface CallbackCaller extends CallbackCredentials {
  principal: Principal;
}

type HouseholdBindings = Pick<Env, "HOUSEHOLDS">;

const MAX_EXECUTOR_ID_CHARS = 64;

/** What the household knows of the executor; null for both of them unknown. */
const findCredentials = async (
  env: HouseholdBindings,
  household: string,
  executor: string,
): Promise<CallbackCredentials | null> =>
  HOUSEHOLD_ID_PATTERN.test(household) && executor.length <= MAX_EXECUTOR_ID_CHARS
    ? await householdStub(env, household).getCallbackCredentials(executor)
    : null;

/** The executor that the token was given to, held to its thread. */
export async function authenticateCallback(
  env: HouseholdBindings,
  secret: string,
  token: string,
): Promise<Outcome<CallbackCaller>> {
  const grant = await readCallbackToken(secret, token);
  if (!grant) return refuseUnauthenticated();
  const { household, executor, ref, binding } = grant;
  const known = await findCredentials(env, household, executor);
  if (!known || (binding ?? known.token_binding) !== known.token_binding)
    return refuseUnauthenticated();
  const scope = { ref, permissions: LINK_PERMISSIONS };
  return ok({ ...known, principal: { household, actor: executor, role: "executor", scope } });
}

/**
 * The executor whose secret signed the body. Unknown households and executors and wrong signatures are one refusal,
 * for the same work.
 * @param secret MESS_SECRET
 */
export async function authenticateSignature(
  env: HouseholdBindings,
  secret: string,
  { household, executor }: { household: string; executor: string },
  headers: WebhookHeaders,
  body: Uint8Array,
): Promise<Outcome<CallbackCaller>> {
  const known = await findCredentials(env, household, executor);
  const derived = await deriveWebhookSecret(secret, household, executor);
  const isValid = await verifyWebhook(known?.secret ?? derived, headers, body);
  if (!known || !isValid) return refuseUnauthenticated();
  return ok({ ...known, principal: { household, actor: executor, role: "executor" } });
}
