/** The form by which a signed-in owner confirms a chat, in which their taps then approve drafts. */
import { readSession } from "../../../auth/people/browser-session.ts";
import { SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { isChannelKind } from "../../../channels/registry.ts";
import { getConfig } from "../../../config.ts";
import { log } from "../../../log.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { getHouseholdStub } from "../../../stubs.ts";
import { loadPageTexts } from "../page-texts.ts";
import { readForm } from "./form.ts";
import { buildRefusedPage, redirectTo } from "./sign-in.ts";

export async function handleChat(request: Request, env: Env): Promise<Response> {
  const form = await readForm(request, getConfig(env).secret);
  const changed = form.ok ? await changeChat(request, env, form.value) : form;
  if (!changed.ok) return await buildRefusedPage(await loadPageTexts(env, request), changed.error);
  return redirectTo(SIGN_IN_PATH);
}

async function changeChat(
  request: Request,
  env: Env,
  form: URLSearchParams,
): Promise<Outcome<true>> {
  const household = form.get("household");
  const channel = form.get("channel") ?? "";
  const memberships = await readSession(env, getConfig(env).secret, request);
  const member = memberships.find((one) => one.household === household);
  if (!member || !isChannelKind(channel)) return refuseUnauthenticated();
  const confirmed = form.get("confirmed") === "true";
  const chat = { channel, address: form.get("address") ?? "", confirmed };
  const { contacts } = getHouseholdStub(env, member.household);
  const changed = await contacts.setApprovalChat(member.session, chat);
  if (changed.ok) log("approval_chat_set", { household: member.household, channel, confirmed });
  return changed;
}
