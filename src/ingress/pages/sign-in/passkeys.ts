/** Passkeys as the pages' script asks for them: options, then the browser's answer. */
import { householdStub } from "../../../stubs.ts";
import {
  askForNewPasskey,
  askForPasskey,
  readClaim,
  readNewPasskey,
  verifyPasskey,
} from "../../../auth/people/passkeys.ts";
import { addToSession, newSession, sessionOf } from "../../../auth/people/browser-session.ts";
import { unauthenticated } from "../../../auth/unauthenticated.ts";
import { configOf } from "../../../config.ts";
import { log } from "../../../log.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { refusal } from "../../http/response.ts";
import { readAnswer } from "./form.ts";
import { shield } from "./rate-limit.ts";

interface Done {
  body: object;
  cookie: string | undefined;
}

type Step = (request: Request, env: Env, answer: Record<string, unknown>) => Promise<Outcome<Done>>;

/** One step of the script: its answer is JSON that came from our own page. */
const step =
  (act: Step) =>
  async (request: Request, env: Env): Promise<Response> => {
    const allowed = await shield(env, request, "passkey");
    const answer = allowed.ok ? await readAnswer(request, configOf(env).secret) : allowed;
    const done = answer.ok ? await act(request, env, answer.value) : answer;
    if (!done.ok) return refusal(request, done.error);
    const { body, cookie } = done.value;
    return Response.json(body, cookie === undefined ? {} : { headers: { "Set-Cookie": cookie } });
  };

const unknownPasskey = () =>
  refuse(
    "unauthenticated",
    "this passkey is not known here",
    "Try another passkey, or sign in with a link.",
  );

export const passkeyOptions = step(async (request, env) => {
  const { options, cookie } = await askForPasskey(
    configOf(env).secret,
    new URL(request.url).hostname,
  );
  return ok({ body: options, cookie });
});

/** Signs in wherever the passkey was registered in one step: each household checks its own record of it. */
export const signInWithPasskey = step(async (request, env, { response }) => {
  const { secret } = configOf(env);
  const claim = readClaim(response);
  if (!claim) return unknownPasskey();
  const home = await householdStub(env, claim.household).passkey(claim.id);
  if (!home.ok) return unknownPasskey();
  const opened: { household: string; secret: string }[] = [];
  for (const household of [claim.household, ...home.value.households]) {
    if (opened.some((one) => one.household === household)) continue;
    const stub = householdStub(env, household);
    const known = await stub.passkey(claim.id);
    const verified = known.ok && (await verifyPasskey(secret, request, response, known.value));
    if (!verified) continue;
    const { secret: own, session } = await newSession();
    const { counter, answered } = verified;
    const accepted = await stub.acceptPasskey({ id: claim.id, counter }, answered, session);
    if (!accepted.ok) continue;
    log("signed_in", { household, actor: accepted.value.actor, by: "passkey" });
    opened.push({ household, secret: own });
  }
  if (opened.length === 0) return unknownPasskey();
  return ok({ body: { ok: true }, cookie: await addToSession(secret, request, opened) });
});

export const newPasskeyOptions = step(async (request, env) => {
  const { secret } = configOf(env);
  const [first, ...others] = await sessionOf(env, secret, request);
  if (!first) return unauthenticated();
  const known = await Promise.all(
    [first, ...others].map(({ household, session }) =>
      householdStub(env, household).passkeysInSession(session),
    ),
  );
  const { options, cookie } = await askForNewPasskey(
    secret,
    new URL(request.url).hostname,
    first,
    known.flatMap((one) => (one.ok ? one.value : [])),
  );
  return ok({ body: options, cookie });
});

/** The passkey opens every household of the session in which it is made. */
export const addPasskey = step(async (request, env, { response }) => {
  const { secret } = configOf(env);
  const memberships = await sessionOf(env, secret, request);
  if (memberships.length === 0) return unauthenticated();
  const made = await readNewPasskey(secret, request, response);
  if (!made) return unknownPasskey();
  const households = memberships.map(({ household }) => household);
  for (const { household, session, actor } of memberships) {
    const passkey = { ...made.passkey, households };
    const added = await householdStub(env, household).addPasskey(session, passkey, made.answered);
    if (!added.ok) return added;
    log("passkey_added", { household, actor });
  }
  return ok({ body: { ok: true }, cookie: undefined });
});
