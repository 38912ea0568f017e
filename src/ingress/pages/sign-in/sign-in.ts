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
import { checkNotSuspended } from "../../../auth/suspension.ts";
import { ERRORS, type MessError } from "../../../mess/errors.ts";
import { loadPageTexts, type PageTextKey, type PageTexts } from "../page-texts.ts";
import { readForm } from "./form.ts";
import { buildMessagePage } from "./page.ts";
import { checkAttemptRate } from "../../../auth/rates/attempt-rate.ts";
import { listChats } from "./list-chats.ts";
import { buildHomePage, buildInvitationPage, buildSignInPage } from "./sign-in-page.ts";

const buildSignInLink = ({ text }: PageTexts) => ({ href: SIGN_IN_PATH, label: text("sign_in") });

/** Refusals that people see, in their language; others are for the authors of clients. */
const REFUSAL_TEXTS: Partial<Record<MessError["code"], PageTextKey>> = {
  rate_limited: "rate_limited",
  unsafe_message: "foreign_form",
};

/** Shows a refusal as a page. */
export function buildRefusedPage(texts: PageTexts, error: MessError): Promise<Response> {
  const known = REFUSAL_TEXTS[error.code];
  return buildMessagePage(
    texts,
    ERRORS[error.code],
    texts.text("failed"),
    known === undefined ? `${error.message}. ${error.hint}` : texts.text(known),
    buildSignInLink(texts),
  );
}

const buildSpentLinkPage = (texts: PageTexts): Promise<Response> =>
  buildMessagePage(
    texts,
    401,
    texts.text("link_spent"),
    texts.text("link_spent_how"),
    buildSignInLink(texts),
  );

export async function showSignIn(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const texts = await loadPageTexts(env, request);
  const { hostname, searchParams } = new URL(request.url);
  const token = searchParams.get("token");
  if (token !== null) {
    const link = await readSignInLink(token);
    const invited =
      link &&
      (await isKnownHousehold(env, link.household)) &&
      (await getHouseholdStub(env, link.household).identity.readInvitation(link.hash));
    if (!invited || !invited.ok) return await buildSpentLinkPage(texts);
    const active = await checkNotSuspended(env, link.household);
    if (!active.ok) return await buildRefusedPage(texts, active.error);
    const person = { ...invited.value, household: link.household };
    return await buildInvitationPage(
      texts,
      await makeFormToken(secret, request),
      link.token,
      person,
    );
  }
  const form = await makeFormToken(secret, request);
  const memberships = await readSession(env, secret, request);
  return memberships.length > 0
    ? await buildHomePage(texts, form, hostname, memberships, await listChats(env, memberships))
    : await buildSignInPage({
        texts,
        form,
        hostname,
        purpose: texts.text("sign_in_purpose"),
      });
}

/** A sign-in link is used up only here. */
export async function handleSignIn(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const texts = await loadPageTexts(env, request);
  const allowed = await checkAttemptRate(env, request, "sign-in");
  if (!allowed.ok) return await buildRefusedPage(texts, allowed.error);
  const form = await readForm(request, secret);
  if (!form.ok) return await buildRefusedPage(texts, form.error);
  const link = await readSignInLink(form.value.get("token") ?? "");
  if (!link || !(await isKnownHousehold(env, link.household)))
    return await buildSpentLinkPage(texts);
  const { household, hash } = link;
  const active = await checkNotSuspended(env, household);
  if (!active.ok) return await buildRefusedPage(texts, active.error);
  const { secret: own, session } = await createSession();
  const accepted = await getHouseholdStub(env, household).identity.acceptInvitation(hash, session);
  if (!accepted.ok) return await buildSpentLinkPage(texts);
  log("signed_in", { household, actor: accepted.value.actor, by: "link" });
  const cookie = await addToSession(secret, request, [{ household, secret: own }]);
  return redirectTo(readNextPath(form.value.get("next")), cookie);
}

export async function handleSignOut(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const texts = await loadPageTexts(env, request);
  const form = await readForm(request, secret);
  if (!form.ok) return await buildRefusedPage(texts, form.error);
  return redirectTo(SIGN_IN_PATH, await endSession(env, secret, request));
}

/** Only a client's authorization request and the page for programs are valid targets, which prevents open redirects. */
const readNextPath = (next: string | null): string =>
  next?.startsWith(`${AUTHORIZE_PATH}?`) || /^\/device(?:\?code=[A-Z-]{9})?$/.test(next ?? "")
    ? next!
    : SIGN_IN_PATH;

export const redirectTo = (location: string, cookie?: string): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: location, ...(cookie === undefined ? {} : { "Set-Cookie": cookie }) },
  });
