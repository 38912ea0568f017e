/** The pages with which people sign in, and what they see when they are signed in. */
import { html } from "hono/html";
import type { FormToken } from "../../../auth/people/csrf-token.ts";
import { hasName } from "../../../auth/loopback.ts";
import { SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import type { Membership } from "../../../auth/people/browser-session.ts";
import type { SignedIn } from "../../../contracts/identity.ts";
import { type Html, page } from "./page.ts";
import { nameOf, standing } from "./role-labels.ts";

const hidden = (name: string, value: string | undefined): Html | string =>
  value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}" />`;

/** Shown by script where the browser can do it. */
const passkeyButton = (doing: "sign-in" | "registration", label: string, kind: string): Html =>
  html`<button type="button" class="${kind}" data-passkey="${doing}" hidden>${label}</button>`;

const linkForm = (form: string, next: string | undefined, open: boolean): Html =>
  html`<details ${open ? "open" : ""}>
    <summary>I have a sign-in link</summary>
    <form method="post" action="${SIGN_IN_PATH}">
      ${hidden("form", form)} ${hidden("next", next)}
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

const status = html`<p id="status" role="status" aria-live="polite"></p>`;

interface SignIn {
  form: FormToken;
  hostname: string;
  /** What signing in is for. */
  purpose: string;
  /** Path to go on to. */
  next?: string;
}

export const signInPage = ({ form, hostname, purpose, next }: SignIn): Promise<Response> =>
  page({
    title: "Sign in",
    cookies: [form.cookie],
    body: html`<h1>Sign in</h1>
      <p>${purpose}</p>
      <div class="actions" data-form="${form.token}">
        ${hasName(hostname) ? passkeyButton("sign-in", "Sign in with a passkey", "primary") : ""}
        ${linkForm(form.token, next, !hasName(hostname))}
      </div>
      ${status}
      <p class="note">No passkey yet? An owner of your household can make you a sign-in link.</p>`,
  });

/** What a link leads to: it says who would be signed in, and changes nothing by itself. */
export const invitationPage = (
  form: FormToken,
  token: string,
  person: SignedIn & { household: string },
): Promise<Response> =>
  page({
    title: "Sign in",
    cookies: [form.cookie],
    body: html`<h1>Sign in to <bdi>${nameOf(person)}</bdi></h1>
      <p>You sign in as <strong>${standing(person)}</strong>. The link works once.</p>
      <form class="actions" method="post" action="${SIGN_IN_PATH}">
        ${hidden("form", form.token)} ${hidden("token", token)}
        <button type="submit" class="primary">Sign in</button>
      </form>`,
  });

const membershipItem = (membership: Membership): Html =>
  html`<li>
    <strong><bdi>${nameOf(membership)}</bdi></strong>
    <span>${standing(membership)}${membership.has_passkey ? ", has a passkey" : ""}</span>
  </li>`;

function passkeyButtons(memberships: readonly Membership[]): Html {
  const first = memberships.some(({ has_passkey }) => !has_passkey);
  const label = first ? "Add a passkey on this device" : "Add another passkey";
  return html`${passkeyButton("registration", label, first ? "primary" : "plain")}
  ${passkeyButton("sign-in", "Add a household by its passkey", "plain")}`;
}

export const homePage = (
  form: FormToken,
  hostname: string,
  memberships: readonly Membership[],
): Promise<Response> =>
  page({
    title: "Signed in",
    cookies: [form.cookie],
    body: html`<h1>You are signed in</h1>
      <ul class="cards">
        ${memberships.map(membershipItem)}
      </ul>
      <div class="actions" data-form="${form.token}">
        <a class="button primary" href="/inbox">Open your inbox</a>
        ${hasName(hostname) ? passkeyButtons(memberships) : ""}
        ${linkForm(form.token, undefined, false)}
        <form method="post" action="/sign-out">
          ${hidden("form", form.token)}
          <button type="submit" class="plain">Sign out</button>
        </form>
      </div>
      ${status}`,
  });
