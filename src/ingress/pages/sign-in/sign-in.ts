/** Sign-in and sign-out: a GET shows a page and changes nothing, a POST of our own form takes effect. */
import { getHouseholdStub } from "../../../stubs.ts";
import { isKnownHousehold } from "../../../auth/known-households.ts";
import { makeFormToken } from "../../../auth/people/csrf-token.ts";
import { AUTHORIZE_PATH } from "../../../auth/oauth/oauth.ts";
import {
  addToSession,
  endSession,
  createSession,
  readSession,
} from "../../../auth/people/browser-session.ts";
import { readSignInLink, SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import { getConfig } from "../../../config.ts";
import { log } from "../../../log.ts";
import { ERRORS, type MessError } from "../../../mess/errors.ts";
import { readForm } from "./form.ts";
import { buildMessagePage } from "./page.ts";
import { checkAttemptRate } from "../../../auth/rates/attempt-rate.ts";
import { buildHomePage, buildInvitationPage, buildSignInPage } from "./sign-in-page.ts";

const SIGN_IN_AGAIN_LINK = { href: SIGN_IN_PATH, label: "Sign in" };

/** Shows a refusal as a page. */
export const buildRefusedPage = (error: MessError): Promise<Response> =>
  buildMessagePage(
    ERRORS[error.code],
    "That did not work",
    `${error.message}. ${error.hint}`,
    SIGN_IN_AGAIN_LINK,
  );

const buildSpentLinkPage = (): Promise<Response> =>
  buildMessagePage(
    401,
    "This link does not work",
    "It was already used, or it is older than 15 minutes. Ask an owner of your household for a new one.",
    SIGN_IN_AGAIN_LINK,
  );

export async function showSignIn(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const { hostname, searchParams } = new URL(request.url);
  const token = searchParams.get("token");
  if (token !== null) {
    const link = await readSignInLink(token);
    const invited =
      link &&
      (await isKnownHousehold(env, link.household)) &&
      (await getHouseholdStub(env, link.household).identity.readInvitation(link.hash));
    if (!invited || !invited.ok) return await buildSpentLinkPage();
    const person = { ...invited.value, household: link.household };
    return await buildInvitationPage(await makeFormToken(secret, request), link.token, person);
  }
  const form = await makeFormToken(secret, request);
  const memberships = await readSession(env, secret, request);
  return memberships.length > 0
    ? await buildHomePage(form, hostname, memberships)
    : await buildSignInPage({
        form,
        hostname,
        purpose: "To see and decide what apps may do for you.",
      });
}

/** A sign-in link is used up only here. */
export async function handleSignIn(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const allowed = await checkAttemptRate(env, request, "sign-in");
  if (!allowed.ok) return await buildRefusedPage(allowed.error);
  const form = await readForm(request, secret);
  if (!form.ok) return await buildRefusedPage(form.error);
  const link = await readSignInLink(form.value.get("token") ?? "");
  if (!link || !(await isKnownHousehold(env, link.household))) return await buildSpentLinkPage();
  const { household, hash } = link;
  const { secret: own, session } = await createSession();
  const accepted = await getHouseholdStub(env, household).identity.acceptInvitation(hash, session);
  if (!accepted.ok) return await buildSpentLinkPage();
  log("signed_in", { household, actor: accepted.value.actor, by: "link" });
  const cookie = await addToSession(secret, request, [{ household, secret: own }]);
  return redirectTo(readNextPath(form.value.get("next")), cookie);
}

export async function handleSignOut(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const form = await readForm(request, secret);
  if (!form.ok) return await buildRefusedPage(form.error);
  return redirectTo(SIGN_IN_PATH, await endSession(env, secret, request));
}

/** Only a client's authorization request is a valid target, which prevents open redirects. */
const readNextPath = (next: string | null): string =>
  next?.startsWith(`${AUTHORIZE_PATH}?`) ? next : SIGN_IN_PATH;

const redirectTo = (location: string, cookie: string): Response =>
  new Response(null, { status: 303, headers: { Location: location, "Set-Cookie": cookie } });
