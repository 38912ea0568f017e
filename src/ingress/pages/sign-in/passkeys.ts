/** The passkey steps of the sign-in script: options, then the browser's response. */
import { getHouseholdStub } from "../../../stubs.ts";
import {
  promptForNewPasskey,
  promptForPasskey,
  readPasskeyClaim,
  readNewPasskey,
  verifyPasskey,
} from "../../../auth/people/passkeys.ts";
import { addToSession, createSession, readSession } from "../../../auth/people/browser-session.ts";
import { isKnownHousehold } from "../../../auth/known-households.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { getConfig } from "../../../config.ts";
import { log } from "../../../log.ts";
import { checkNotSuspended } from "../../../auth/suspension.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { buildRefusal } from "../../http/response.ts";
import { readJsonBody } from "./form.ts";
import { checkAttemptRate } from "../../../auth/rates/attempt-rate.ts";

interface StepResult {
  body: object;
  cookie: string | undefined;
}

type StepHandler = (
  request: Request,
  env: Env,
  answer: Record<string, unknown>,
) => Promise<Outcome<StepResult>>;

/** One step of the script: a JSON request that must come from our own page. */
const defineStep =
  (handler: StepHandler) =>
  async (request: Request, env: Env): Promise<Response> => {
    const allowed = await checkAttemptRate(env, request, "passkey");
    const submitted = allowed.ok ? await readJsonBody(request, getConfig(env).secret) : allowed;
    const done = submitted.ok ? await handler(request, env, submitted.value) : submitted;
    if (!done.ok) return buildRefusal(request, done.error);
    const { body, cookie } = done.value;
    return Response.json(body, cookie === undefined ? {} : { headers: { "Set-Cookie": cookie } });
  };

const refuseUnknownPasskey = () =>
  refuse(
    "unauthenticated",
    "this passkey is not registered",
    "Try another passkey, or sign in with a link.",
  );

export const handlePasskeyOptions = defineStep(async (request, env) => {
  const { options, cookie } = await promptForPasskey(
    getConfig(env).secret,
    new URL(request.url).hostname,
  );
  return ok({ body: options, cookie });
});

/**
 * Signs in to all households where the passkey was registered in one step: each household checks its own record of it.
 */
export const handlePasskeySignIn = defineStep(async (request, env, { response }) => {
  const { secret } = getConfig(env);
  const claim = readPasskeyClaim(response);
  if (!claim || !(await isKnownHousehold(env, claim.household))) return refuseUnknownPasskey();
  const found = await getHouseholdStub(env, claim.household).identity.findPasskey(claim.id);
  if (!found.ok) return refuseUnknownPasskey();
  const opened: { household: string; secret: string }[] = [];
  let suspended: Outcome<never> | undefined;
  for (const household of [claim.household, ...found.value.households]) {
    if (opened.some((one) => one.household === household)) continue;
    const stub = getHouseholdStub(env, household);
    const known = await stub.identity.findPasskey(claim.id);
    const verified = known.ok && (await verifyPasskey(secret, request, response, known.value));
    if (!verified) continue;
    const active = await checkNotSuspended(env, household);
    if (!active.ok) {
      suspended = active;
      continue;
    }
    const { secret: own, session } = await createSession();
    const { counter, answered } = verified;
    const accepted = await stub.identity.acceptPasskey(
      { id: claim.id, counter },
      answered,
      session,
    );
    if (!accepted.ok) continue;
    log("signed_in", { household, actor: accepted.value.actor, by: "passkey" });
    opened.push({ household, secret: own });
  }
  if (opened.length === 0) return suspended ?? refuseUnknownPasskey();
  return ok({ body: { ok: true }, cookie: await addToSession(secret, request, opened) });
});

export const handleNewPasskeyOptions = defineStep(async (request, env) => {
  const { secret } = getConfig(env);
  const [first, ...others] = await readSession(env, secret, request);
  if (!first) return refuseUnauthenticated();
  const known = await Promise.all(
    [first, ...others].map(({ household, session }) =>
      getHouseholdStub(env, household).identity.listSessionPasskeys(session),
    ),
  );
  const { options, cookie } = await promptForNewPasskey(
    secret,
    new URL(request.url).hostname,
    first,
    known.flatMap((one) => (one.ok ? one.value : [])),
  );
  return ok({ body: options, cookie });
});

/** The passkey gives access to all households of the session in which it is registered. */
export const handleAddPasskey = defineStep(async (request, env, { response }) => {
  const { secret } = getConfig(env);
  const memberships = await readSession(env, secret, request);
  if (memberships.length === 0) return refuseUnauthenticated();
  const made = await readNewPasskey(secret, request, response);
  if (!made) return refuseUnknownPasskey();
  const households = memberships.map(({ household }) => household);
  for (const { household, session, actor } of memberships) {
    const passkey = { ...made.passkey, households };
    const added = await getHouseholdStub(env, household).identity.addPasskey(
      session,
      passkey,
      made.answered,
    );
    if (!added.ok) return added;
    log("passkey_added", { household, actor });
  }
  return ok({ body: { ok: true }, cookie: undefined });
});
