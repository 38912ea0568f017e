/** The sign-in pages, and the page of a signed-in person. */
import { html } from "hono/html";
import type { FormToken } from "../../../auth/people/csrf-token.ts";
import { isDomainName } from "../../../auth/loopback.ts";
import { SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import type { Membership } from "../../../auth/people/browser-session.ts";
import type { SignedInMember } from "../../../contracts/identity.ts";
import { type Html, buildPage } from "./page.ts";
import { formatHouseholdName, describeRole } from "./role-labels.ts";

const buildHiddenInput = (name: string, value: string | undefined): Html | string =>
  value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}" />`;

/** The script shows it if the browser supports passkeys. */
const buildPasskeyButton = (
  purpose: "sign-in" | "registration",
  label: string,
  kind: string,
): Html =>
  html`<button type="button" class="${kind}" data-passkey="${purpose}" hidden>${label}</button>`;

const buildLinkForm = (form: string, next: string | undefined, open: boolean): Html =>
  html`<details ${open ? "open" : ""}>
    <summary>I have a sign-in link</summary>
    <form method="post" action="${SIGN_IN_PATH}">
      ${buildHiddenInput("form", form)} ${buildHiddenInput("next", next)}
      <label for="link">Paste the whole link</label>
      <input
        id="link"
        name="token"
        type="text"
        inputmode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        required
      />
      <button type="submit">Sign in with the link</button>
    </form>
  </details>`;

const STATUS_ELEMENT = html`<p id="status" role="status" aria-live="polite"></p>`;

interface SignInOptions {
  form: FormToken;
  hostname: string;
  /** The reason for the sign-in. */
  purpose: string;
  /** The path to open after sign-in. */
  next?: string;
}

export const buildSignInPage = ({
  form,
  hostname,
  purpose,
  next,
}: SignInOptions): Promise<Response> =>
  buildPage({
    title: "Sign in",
    cookies: [form.cookie],
    body: html`<h1>Sign in</h1>
      <p>${purpose}</p>
      <div class="actions" data-form="${form.token}">
        ${isDomainName(hostname) ? buildPasskeyButton("sign-in", "Sign in with a passkey", "primary") : ""}
        ${buildLinkForm(form.token, next, !isDomainName(hostname))}
      </div>
      ${STATUS_ELEMENT}
      <p class="note">No passkey yet? An owner of your household can make you a sign-in link.</p>`,
  });

/** The page of a sign-in link: it shows who would be signed in, and changes nothing until the form is sent. */
export const buildInvitationPage = (
  form: FormToken,
  token: string,
  person: SignedInMember & { household: string },
): Promise<Response> =>
  buildPage({
    title: "Sign in",
    cookies: [form.cookie],
    body: html`<h1>Sign in to <bdi>${formatHouseholdName(person)}</bdi></h1>
      <p>You sign in as <strong>${describeRole(person)}</strong>. The link works once.</p>
      <form class="actions" method="post" action="${SIGN_IN_PATH}">
        ${buildHiddenInput("form", form.token)} ${buildHiddenInput("token", token)}
        <button type="submit" class="primary">Sign in</button>
      </form>`,
  });

const buildMembershipItem = (membership: Membership): Html =>
  html`<li>
    <strong><bdi>${formatHouseholdName(membership)}</bdi></strong>
    <span>${describeRole(membership)}${membership.has_passkey ? ", has a passkey" : ""}</span>
  </li>`;

function buildPasskeyButtons(memberships: readonly Membership[]): Html {
  const first = memberships.some(({ has_passkey }) => !has_passkey);
  const label = first ? "Add a passkey on this device" : "Add another passkey";
  return html`${buildPasskeyButton("registration", label, first ? "primary" : "plain")}
  ${buildPasskeyButton("sign-in", "Add a household by its passkey", "plain")}`;
}

export const buildHomePage = (
  form: FormToken,
  hostname: string,
  memberships: readonly Membership[],
): Promise<Response> =>
  buildPage({
    title: "Signed in",
    cookies: [form.cookie],
    body: html`<h1>You are signed in</h1>
      <ul class="cards">
        ${memberships.map(buildMembershipItem)}
      </ul>
      <div class="actions" data-form="${form.token}">
        <a class="button primary" href="/inbox">Open your inbox</a>
        ${isDomainName(hostname) ? buildPasskeyButtons(memberships) : ""}
        ${buildLinkForm(form.token, undefined, false)}
        <form method="post" action="/sign-out">
          ${buildHiddenInput("form", form.token)}
          <button type="submit" class="plain">Sign out</button>
        </form>
      </div>
      ${STATUS_ELEMENT}`,
  });
