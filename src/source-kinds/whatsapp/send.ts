/** Sends a text by the Cloud API, as a reply to the original. */
import { clampWaitSeconds, parseJsonMap } from "../../channels/shared/send-failures.ts";
import { toRefusedFailure, toUnsentFailure } from "../../channels/shared/send-failures.ts";
import { defined } from "../../mess/defined.ts";
import { readOutgoingText, sendOnce } from "../chat/outgoing-text.ts";
import type { KindContext, OutgoingMessage, SourceSendResult } from "../source-kind.ts";
import { buildGraphHeaders, buildGraphUrl, type WhatsappSettings } from "./config.ts";
import {
  explainWhatsappError,
  isPermanentWhatsappCode,
  isThrottlingWhatsappCode,
} from "./errors.ts";

const MAX_CHARS = 4_096;
/** Used if WhatsApp names no time. */
const THROTTLED_SECONDS = 60;

export async function sendWhatsappMessage(
  context: KindContext<WhatsappSettings>,
  message: OutgoingMessage,
): Promise<SourceSendResult> {
  const outgoing = readOutgoingText(message, MAX_CHARS);
  if ("ok" in outgoing) return outgoing;
  const to = outgoing.to.replaceAll(/[\s().+-]/g, "");
  if (!/^\d{6,20}$/.test(to))
    return { ok: false, reason: "the recipient is not a phone number", isPermanent: true };
  const { settings, now } = context;
  const original = message.answers?.channel === to ? message.answers.external_id : undefined;
  const body = JSON.stringify({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to,
    ...defined({ context: original === undefined ? undefined : { message_id: original } }),
    type: "text",
    text: { preview_url: false, body: outgoing.text },
  });
  return await sendOnce(context, async ({ egress }) => {
    const response = await egress.send(
      buildGraphUrl(settings, `${settings.phone_number_id}/messages`),
      {
        method: "POST",
        headers: { ...buildGraphHeaders(settings), "Content-Type": "application/json" },
        body,
      },
    );
    if (!response.ok) return toUnsentFailure(response.error);
    const { status, text } = response.value;
    const { messages, error } = parseJsonMap(text);
    const id = Array.isArray(messages) ? (messages[0] as { id?: unknown })?.id : undefined;
    if (status === 200) return typeof id === "string" ? { ok: true, handle: id } : { ok: true };
    const code = Number((error as { code?: unknown } | undefined)?.code ?? 0);
    const isGone = status === 401 || isPermanentWhatsappCode(code);
    const failed = toRefusedFailure("WhatsApp", response.value, now, isGone);
    const isThrottled = status === 429 || isThrottlingWhatsappCode(code);
    return {
      ...(isThrottled ? { retryAfterSeconds: clampWaitSeconds(THROTTLED_SECONDS) } : {}),
      ...failed,
      reason: explainWhatsappError(code) ?? `${failed.reason}, error ${code}`,
    };
  });
}
