/** The sign-in pages, and the page of a signed-in person. */
import { html } from "hono/html";
import type { FormToken } from "../../../auth/people/csrf-token.ts";
import { isDomainName } from "../../../auth/loopback.ts";
import { SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import type { Membership } from "../../../auth/people/browser-session.ts";
import type { ChannelKind } from "../../../channels/channel.ts";
import type { ApprovalChat } from "../../../contracts/contacts.ts";
import type { SignedInMember } from "../../../contracts/identity.ts";
import type { PageTexts } from "../page-texts.ts";
import { type Html, buildPage } from "./page.ts";
import { formatHouseholdName, describeRole } from "./role-labels.ts";

export const CHATS_PATH = `${SIGN_IN_PATH}/chats`;

const buildHiddenInput = (name: string, value: string | undefined): Html | string =>
  value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}" />`;

/** The script shows it if the browser supports passkeys. */
const buildPasskeyButton = (
  purpose: "sign-in" | "registration",
  label: string,
  kind: string,
): Html =>
  html`<button type="button" class="${kind}" data-passkey="${purpose}" hidden>${label}</button>`;

const buildLinkForm = (
  { text }: PageTexts,
  form: string,
  next: string | undefined,
  open: boolean,
): Html =>
  html`<details ${open ? "open" : ""}>
    <summary>${text("have_link")}</summary>
    <form method="post" action="${SIGN_IN_PATH}">
      ${buildHiddenInput("form", form)} ${buildHiddenInput("next", next)}
      <label for="link">${text("paste_link")}</label>
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
      <button type="submit">${text("link_sign_in")}</button>
    </form>
  </details>`;

const STATUS_ELEMENT = html`<p id="status" role="status" aria-live="polite"></p>`;

interface SignInOptions {
  texts: PageTexts;
  form: FormToken;
  hostname: string;
  /** The reason for the sign-in. */
  purpose: string;
  /** The path to open after sign-in. */
  next?: string;
}

export const buildSignInPage = ({
  texts,
  form,
  hostname,
  purpose,
  next,
}: SignInOptions): Promise<Response> =>
  buildPage({
    texts,
    title: texts.text("sign_in"),
    cookies: [form.cookie],
    body: html`<h1>${texts.text("sign_in")}</h1>
      <p>${purpose}</p>
      <div class="actions" data-form="${form.token}">
        ${isDomainName(hostname) ? buildPasskeyButton("sign-in", texts.text("passkey_sign_in"), "primary") : ""}
        ${buildLinkForm(texts, form.token, next, !isDomainName(hostname))}
      </div>
      ${STATUS_ELEMENT}
      <p class="note">${texts.text("no_passkey")}</p>`,
  });

/** The page of a sign-in link: it shows who would be signed in, and changes nothing until the form is sent. */
export const buildInvitationPage = (
  texts: PageTexts,
  form: FormToken,
  token: string,
  person: SignedInMember & { household: string },
): Promise<Response> =>
  buildPage({
    texts,
    title: texts.text("sign_in"),
    cookies: [form.cookie],
    body: html`<h1>${texts.rich("sign_in_to", { household: formatHouseholdName(person) })}</h1>
      <p>
        ${texts.rich("sign_in_as", { person: html`<strong>${describeRole(texts, person)}</strong>` })}
      </p>
      <form class="actions" method="post" action="${SIGN_IN_PATH}">
        ${buildHiddenInput("form", form.token)} ${buildHiddenInput("token", token)}
        <button type="submit" class="primary">${texts.text("sign_in")}</button>
      </form>`,
  });

function buildMembershipItem(texts: PageTexts, membership: Membership): Html {
  const person = describeRole(texts, membership);
  return html`<li>
    <strong><bdi>${formatHouseholdName(membership)}</bdi></strong>
    <span>${membership.has_passkey ? texts.rich("has_passkey", { person }) : person}</span>
  </li>`;
}

function buildPasskeyButtons({ text }: PageTexts, memberships: readonly Membership[]): Html {
  const first = memberships.some(({ has_passkey }) => !has_passkey);
  const label = text(first ? "add_passkey" : "another_passkey");
  return html`${buildPasskeyButton("registration", label, first ? "secondary" : "plain")}
  ${buildPasskeyButton("sign-in", text("add_household"), "plain")}`;
}

/** A chat in which taps of the person approve, or may. */
export interface HouseholdChat extends ApprovalChat {
  household: string;
}

const CHANNEL_NAMES: Partial<Record<ChannelKind, string>> = {
  telegram: "Telegram",
  slack: "Slack",
};

function buildChatItem({ text }: PageTexts, form: FormToken, chat: HouseholdChat): Html {
  const { household, channel, address, confirmed } = chat;
  const name = `${CHANNEL_NAMES[channel] ?? channel} ${address}`;
  return html`<li>
    <strong><bdi>${name}</bdi></strong>
    <span>${text(confirmed ? "chat_confirmed" : "chat_open")}</span>
    <form method="post" action="${CHATS_PATH}">
      ${Object.entries({ form: form.token, household, channel, address }).map(([key, value]) => buildHiddenInput(key, value))}
      ${buildHiddenInput("confirmed", String(!confirmed))}
      <button type="submit" class="plain">
        ${text(confirmed ? "chat_end" : "chat_confirm", { chat: name })}
      </button>
    </form>
  </li>`;
}

/** How the owner approves: by which chats, or why not in this browser. */
function buildApprovals(
  texts: PageTexts,
  form: FormToken,
  memberships: readonly Membership[],
  chats: readonly HouseholdChat[],
): Html {
  const isUnverified = memberships.some(({ role, verified }) => role === "owner" && !verified);
  return html`${isUnverified ? html`<p class="warning">${texts.text("not_verified")}</p>` : ""}
  ${
    chats.length === 0
      ? ""
      : html`<h2>${texts.text("approve_chats")}</h2>
          <p class="note">${texts.text("approve_chats_how")}</p>
          <ul class="cards">
            ${chats.map((chat) => buildChatItem(texts, form, chat))}
          </ul>`
  }`;
}

export const buildHomePage = (
  texts: PageTexts,
  form: FormToken,
  hostname: string,
  memberships: readonly Membership[],
  chats: readonly HouseholdChat[],
): Promise<Response> =>
  buildPage({
    texts,
    title: texts.text("signed_in"),
    cookies: [form.cookie],
    body: html`<h1>${texts.text("you_are_signed_in")}</h1>
      <ul class="cards">
        ${memberships.map((membership) => buildMembershipItem(texts, membership))}
      </ul>
      <div class="actions" data-form="${form.token}">
        <a class="button primary" href="/inbox">${texts.text("open_inbox")}</a>
        ${isDomainName(hostname) ? buildPasskeyButtons(texts, memberships) : ""}
        ${buildLinkForm(texts, form.token, undefined, false)}
        <form method="post" action="/sign-out">
          ${buildHiddenInput("form", form.token)}
          <button type="submit" class="plain">${texts.text("sign_out")}</button>
        </form>
      </div>
      ${STATUS_ELEMENT} ${buildApprovals(texts, form, memberships, chats)}`,
  });
