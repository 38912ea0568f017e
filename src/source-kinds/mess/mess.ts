/**
 * Requests of the household as messages. The household delivers them; an approved reply is the answer of the owner who
 * approved it, and only a member to whom the request is offered, or who holds it, may answer.
 */
import { buildCallKey } from "../../auth/call-key.ts";
import type { Principal } from "../../auth/principal.ts";
import { noSettingsSchema } from "../../channels/shared/config-fields.ts";
import { checkMessages } from "../../mess/wire/parse.ts";
import { getThreadStub } from "../../stubs.ts";
import { failForGood } from "../fail-for-good.ts";
import type { KindContext, OutgoingMessage, SourceKind, SourceSendResult } from "../source-kind.ts";

export const messKind: SourceKind<object> = {
  settings: noSettingsSchema,
  secrets: [],
  isSingle: true,
  detectsRepeats: true,
  explainCannotSend: () => undefined,
  send: answerRequest,
};

async function answerRequest(
  { env, household }: KindContext<object>,
  { key, to, body, answers, approved_by: owner, attachments }: OutgoingMessage,
): Promise<SourceSendResult> {
  if (!answers || to.length !== 1 || to[0] !== answers.channel)
    return failForGood("this source only answers the request of a message");
  if (attachments.length > 0) return failForGood("this source sends text without files");
  if (owner === undefined) return failForGood("it is not known who approved it");
  const ref = answers.channel;
  const response = { type: "response" as const, body: { content: [{ text: body }] } };
  const checked = checkMessages([{ re: ref, blocks: [response] }]);
  if (!checked.ok) return failForGood(checked.error.message);
  // As a member and not as an owner: only those who were asked may answer.
  const actor: Principal = { household, actor: owner, role: "executor" };
  const appended = await getThreadStub(env, household, ref).append({
    actor,
    channel: "source",
    message: checked.value[0]!,
    blobs: [],
    idempotency: { key: buildCallKey(actor, 0, `source ${key}`), digest: "" },
  });
  if (appended.ok) return { ok: true, external_id: appended.value.message_ref ?? ref };
  const { code, message } = appended.error;
  return code === "internal" || code === "rate_limited"
    ? { ok: false, reason: message }
    : failForGood(`the request does not accept it from ${owner}: ${message}`);
}
