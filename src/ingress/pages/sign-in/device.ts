/** `/device`: a person compares the code of a program that waits, such as the command line, and lets it sign in. */
import { html } from "hono/html";
import { type FormToken, makeFormToken } from "../../../auth/people/csrf-token.ts";
import { decideDevice, findDevice } from "../../../auth/people/device-sign-in.ts";
import { DEVICE_PATH, readUserCode } from "../../../auth/people/user-codes.ts";
import { type Membership, readSession } from "../../../auth/people/browser-session.ts";
import { type Role, ROLES } from "../../../auth/principal.ts";
import { checkAttemptRate } from "../../../auth/rates/attempt-rate.ts";
import { isRoleWithin } from "../../../auth/roles.ts";
import { getConfig } from "../../../config.ts";
import { log } from "../../../log.ts";
import type { DeviceAccess, WaitingDevice } from "../../../contracts/device-codes.ts";
import { loadPageTexts, type PageTexts } from "../page-texts.ts";
import { toDisplayName } from "./display-name.ts";
import { readForm } from "./form.ts";
import { buildMessagePage, buildPage, type Html } from "./page.ts";
import { formatHouseholdName, listGrantableRoles } from "./role-labels.ts";
import { buildRefusedPage } from "./sign-in.ts";
import { buildSignInPage } from "./sign-in-page.ts";

/** The role that is proposed: the person's own, but no owner's, since most programs change no settings. */
const proposeRole = (role: Role): Role => (role === "owner" ? "agent" : role);

export async function showDevice(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const texts = await loadPageTexts(env, request);
  const { hostname, searchParams } = new URL(request.url);
  const given = searchParams.get("code");
  const code = readUserCode(given ?? "");
  const memberships = await readSession(env, secret, request);
  const form = await makeFormToken(secret, request);
  if (memberships.length === 0) {
    const next = code === undefined ? DEVICE_PATH : `${DEVICE_PATH}?code=${code}`;
    const purpose = texts.text("device_sign_in");
    return await buildSignInPage({ texts, form, hostname, purpose, next });
  }
  if (code === undefined) return await buildCodePage(texts, given !== null);
  const allowed = await checkAttemptRate(env, request, "device");
  if (!allowed.ok) return await buildRefusedPage(texts, allowed.error);
  const device = await findDevice(env, code, Date.now());
  if (!device.ok) return await buildRefusedPage(texts, device.error);
  return device.value
    ? await buildDecisionPage(texts, form, memberships, device.value)
    : await buildCodePage(texts, true);
}

export async function decideOnDevice(request: Request, env: Env): Promise<Response> {
  const { secret } = getConfig(env);
  const texts = await loadPageTexts(env, request);
  const allowed = await checkAttemptRate(env, request, "device");
  const form = allowed.ok ? await readForm(request, secret) : allowed;
  if (!form.ok) return await buildRefusedPage(texts, form.error);
  const code = readUserCode(form.value.get("code") ?? "");
  const memberships = await readSession(env, secret, request);
  const now = Date.now();
  const device = code === undefined ? undefined : await findDevice(env, code, now);
  if (device?.ok === false) return await buildRefusedPage(texts, device.error);
  if (code === undefined || !device?.value) return await buildCodePage(texts, true);
  const isAllowed = form.value.get("decision") === "allow";
  const access = readAccess(memberships, form.value.get("access"), device.value);
  if (!access)
    return await buildMessagePage(
      texts,
      401,
      texts.text("signed_out"),
      texts.text("device_sign_in"),
      { href: `${DEVICE_PATH}?code=${code}`, label: texts.text("sign_in") },
    );
  const decided = await decideDevice(env, code, isAllowed ? access : "denied", now);
  if (!decided.ok) return await buildRefusedPage(texts, decided.error);
  if (!decided.value) return await buildCodePage(texts, true);
  const { household, role } = access;
  log("device_decided", { household, role, allowed: isAllowed });
  return await buildMessagePage(
    texts,
    200,
    texts.text(isAllowed ? "access_given" : "access_denied"),
    texts.text(isAllowed ? "device_done" : "device_refused"),
  );
}

/** The chosen household and role, `{household} {role}`: only what the session gives can be named. */
function readAccess(
  memberships: readonly Membership[],
  choice: string | null,
  { client }: WaitingDevice,
): DeviceAccess | undefined {
  const [id, named] = (choice ?? "").split(" ");
  const membership = memberships.find(({ household }) => household === id);
  const role = ROLES.find((one) => one === named);
  if (!membership || !role || !isRoleWithin(role, membership.role)) return undefined;
  const { household, session } = membership;
  return { client: toDisplayName(client), household, session, role };
}

/** Asks for the code. @param isWrong whether one was given that no program waits with */
const buildCodePage = (texts: PageTexts, isWrong: boolean): Promise<Response> =>
  buildPage({
    texts,
    status: isWrong ? 404 : 200,
    title: texts.text("device_title"),
    body: html`<h1>${texts.text("device_title")}</h1>
      ${isWrong ? html`<p class="warning" role="alert">${texts.text("device_unknown")}</p>` : ""}
      <form class="actions" method="get" action="${DEVICE_PATH}">
        <label for="code">${texts.text("device_code")}</label>
        <input
          id="code"
          name="code"
          type="text"
          dir="ltr"
          maxlength="16"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          required
        />
        <button type="submit" class="primary">${texts.text("proceed")}</button>
      </form>`,
  });

/** The program has chosen its name itself, and somebody else may have sent the person here: both are said. */
const buildDecisionPage = (
  texts: PageTexts,
  form: FormToken,
  memberships: readonly Membership[],
  { user_code, client, address }: WaitingDevice,
): Promise<Response> =>
  buildPage({
    texts,
    title: texts.text("device_title"),
    cookies: [form.cookie],
    body: html`<h1>${texts.text("device_title")}</h1>
      <p>
        ${texts.rich("device_asks", { name: html`<strong>${toDisplayName(client)}</strong>` })}
        ${address === "" ? "" : texts.rich("device_from", { address })}
      </p>
      <p>${texts.rich("device_compare", { code: html`<strong>${user_code}</strong>` })}</p>
      <p class="warning">${texts.text("device_warning")}</p>
      <form method="post" action="${DEVICE_PATH}">
        <input type="hidden" name="form" value="${form.token}" />
        <input type="hidden" name="code" value="${user_code}" />
        <label for="access">${texts.text("it_may")}</label>
        <select id="access" name="access">
          ${memberships.map((membership, index) => buildOptions(texts, membership, index === 0))}
        </select>
        <p class="note">${texts.text("device_note")}</p>
        <div class="actions decide">
          <button type="submit" name="decision" value="deny">${texts.text("deny")}</button>
          <button type="submit" name="decision" value="allow" class="primary">
            ${texts.text("allow")}
          </button>
        </div>
      </form>`,
  });

function buildOptions({ text }: PageTexts, membership: Membership, isFirst: boolean): Html {
  const { household, role } = membership;
  const name = formatHouseholdName(membership);
  return html`${listGrantableRoles(role).map(
    (one) =>
      html`<option
        value="${household} ${one}"
        ${isFirst && one === proposeRole(role) ? "selected" : ""}
      >
        ${name}: ${text(`grant_${one}`)}
      </option>`,
  )}`;
}
