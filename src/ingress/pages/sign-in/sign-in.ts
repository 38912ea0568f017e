/** Signing in and out: a GET shows a page and changes nothing, a POST of our own form acts. */
import { householdStub } from "../../../stubs.ts";
import { formToken } from "../../../auth/people/csrf-token.ts";
import { AUTHORIZE_PATH } from "../../../auth/oauth/oauth.ts";
import {
  addToSession,
  endSession,
  newSession,
  sessionOf,
} from "../../../auth/people/browser-session.ts";
import { readSignInLink, SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import { configOf } from "../../../config.ts";
import { log } from "../../../log.ts";
import { ERRORS, type MessError } from "../../../mess/errors.ts";
import { readForm } from "./form.ts";
import { message } from "./page.ts";
import { shield } from "./rate-limit.ts";
import { homePage, invitationPage, signInPage } from "./sign-in-page.ts";

const again = { href: SIGN_IN_PATH, label: "Sign in" };

/** A refusal in words for a person. */
export const refusedPage = (error: MessError): Promise<Response> =>
  message(ERRORS[error.code], "That did not work", `${error.message}. ${error.hint}`, again);

const spentPage = (): Promise<Response> =>
  message(
    401,
    "This link does not work",
    "It was used already, or it is older than 15 minutes. Ask an owner of your household for a new one.",
    again,
  );

export async function showSignIn(request: Request, env: Env): Promise<Response> {
  const { secret } = configOf(env);
  const { hostname, searchParams } = new URL(request.url);
  const token = searchParams.get("token");
  if (token !== null) {
    const link = await readSignInLink(token);
    const invited = link && (await householdStub(env, link.household).invited(link.hash));
    if (!link || !invited?.ok) return await spentPage();
    const person = { ...invited.value, household: link.household };
    return await invitationPage(await formToken(secret, request), link.token, person);
  }
  const form = await formToken(secret, request);
  const memberships = await sessionOf(env, secret, request);
  return memberships.length > 0
    ? await homePage(form, hostname, memberships)
    : await signInPage({ form, hostname, purpose: "To see and decide what apps may do for you." });
}

/** A link is used up here and nowhere else. */
export async function signIn(request: Request, env: Env): Promise<Response> {
  const { secret } = configOf(env);
  const allowed = await shield(env, request, "sign-in");
  if (!allowed.ok) return await refusedPage(allowed.error);
  const form = await readForm(request, secret);
  if (!form.ok) return await refusedPage(form.error);
  const link = await readSignInLink(form.value.get("token") ?? "");
  if (!link) return await spentPage();
  const { household, hash } = link;
  const { secret: own, session } = await newSession();
  const accepted = await householdStub(env, household).acceptInvitation(hash, session);
  if (!accepted.ok) return await spentPage();
  log("signed_in", { household, actor: accepted.value.actor, by: "link" });
  const cookie = await addToSession(secret, request, [{ household, secret: own }]);
  return seeOther(nextOf(form.value.get("next")), cookie);
}

export async function signOut(request: Request, env: Env): Promise<Response> {
  const { secret } = configOf(env);
  const form = await readForm(request, secret);
  if (!form.ok) return await refusedPage(form.error);
  return seeOther(SIGN_IN_PATH, await endSession(env, secret, request));
}

/** Only a client's request is ever gone on to, so that no link can send a person elsewhere. */
const nextOf = (next: string | null): string =>
  next?.startsWith(`${AUTHORIZE_PATH}?`) ? next : SIGN_IN_PATH;

const seeOther = (location: string, cookie: string): Response =>
  new Response(null, { status: 303, headers: { Location: location, "Set-Cookie": cookie } });
