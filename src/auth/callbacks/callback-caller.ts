/** Authenticates machines that call back without an API key: by a signature of the body, or by a callback token. */
import { type WorkerSecret, listAccepted } from "../worker-secret.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { CallbackCredentials } from "../../contracts/contacts.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { isKnownHousehold } from "../known-households.ts";
import { readCallbackToken } from "./callback-tokens.ts";
import { LINK_PERMISSIONS, type Principal } from "../principal.ts";
import { checkRequestRate, type RateBindings } from "../rates/request-rate.ts";
import { checkNotSuspended } from "../suspension.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";
import { deriveWebhookSecret, verifyWebhook, type WebhookHeaders } from "./webhook-signatures.ts";

/** The executor that calls back, and the origins from which its files may be fetched. */
export interface CallbackCaller extends CallbackCredentials {
  principal: Principal;
}

type HouseholdBindings = Pick<Env, "HOUSEHOLDS" | "INDEX">;

const MAX_EXECUTOR_ID_CHARS = 64;

/** The household's data about the executor; null if the household or the executor is unknown. */
const findCredentials = async (
  env: HouseholdBindings,
  household: string,
  executor: string,
): Promise<CallbackCredentials | null> =>
  executor.length <= MAX_EXECUTOR_ID_CHARS && (await isKnownHousehold(env, household))
    ? await getHouseholdStub(env, household).contacts.getCallbackCredentials(executor)
    : null;

/**
 * Authenticates a callback token as its executor, limited to its thread. Its rate is checked before the household is
 * called, so a flood with a stolen token costs no Durable Object.
 */
export async function authenticateCallback(
  env: HouseholdBindings & RateBindings,
  secret: WorkerSecret,
  token: string,
): Promise<Outcome<CallbackCaller>> {
  const claims = await readCallbackToken(secret, token);
  if (!claims) return refuseUnauthenticated();
  const { household, executor, ref, binding } = claims;
  const scope = { ref, permissions: LINK_PERMISSIONS };
  const principal = { household, actor: executor, role: "executor", scope } as const;
  const rate = await checkRequestRate(env, principal);
  if (!rate.ok) return rate;
  const known = await findCredentials(env, household, executor);
  const bindings = [known?.token_binding, known?.former_binding];
  if (!known || (binding !== undefined && !bindings.includes(binding)))
    return refuseUnauthenticated();
  const active = await checkNotSuspended(env, household);
  if (!active.ok) return active;
  return ok({ ...known, principal });
}

/**
 * Authenticates the executor whose secret signed the body. Unknown executors and wrong signatures get the same
 * refusal after the same work, so that timing reveals nothing; unknown households get it without a call to an object.
 */
export async function authenticateSignature(
  env: HouseholdBindings,
  secret: WorkerSecret,
  { household, executor }: { household: string; executor: string },
  headers: WebhookHeaders,
  body: Uint8Array,
): Promise<Outcome<CallbackCaller>> {
  const known = await findCredentials(env, household, executor);
  const derived = await Promise.all(
    listAccepted(secret).map((one) => deriveWebhookSecret(one, household, executor)),
  );
  const secrets = derived.map((one) => known?.secret ?? one);
  const verified = await Promise.all(secrets.map((one) => verifyWebhook(one, headers, body)));
  if (!known || !verified.includes(true)) return refuseUnauthenticated();
  return ok({ ...known, principal: { household, actor: executor, role: "executor" } });
}
