/** Checks and results that the kinds share whose messages are a text to one person or chat. */
import type { SendResult } from "../../channels/channel.ts";
import type { Egress } from "../../egress/egress.ts";
import { defined } from "../../mess/defined.ts";
import { failForGood } from "../fail-for-good.ts";
import type { OutgoingMessage, SourceSendResult } from "../source-kind.ts";

export interface OutgoingText {
  to: string;
  text: string;
}

/** The text and its recipient, or why the service would not take it. A subject has no place in a chat. */
export function readOutgoingText(
  { to, body, attachments }: OutgoingMessage,
  maxChars: number,
): OutgoingText | SourceSendResult {
  const [recipient, ...others] = to;
  if (recipient === undefined || others.length > 0)
    return failForGood("a message of this source goes to exactly one recipient");
  if (attachments.length > 0) return failForGood("this source sends text without files");
  const text = body.toWellFormed();
  return text.length > maxChars
    ? failForGood(`the text has more than ${maxChars} characters`)
    : { to: recipient.trim(), text };
}

/** Server errors after which nobody knows whether the request had an effect. 503 says that it had none. */
const UNCERTAIN_STATUSES: readonly number[] = [500, 502, 504];

/**
 * Makes one call by the code of a channel. None of these services can tell a repeated message, so a call without an
 * answer, or with a server error, may have sent it.
 */
export async function sendOnce<Context extends { readonly egress: Egress }>(
  context: Context,
  call: (context: Context) => Promise<SendResult>,
): Promise<SourceSendResult> {
  let mayBeSent = false;
  const send: Egress["send"] = async (url, init) => {
    const response = await context.egress.send(url, init);
    // An address that is not allowed is refused with another code, before anything is sent.
    mayBeSent = response.ok
      ? UNCERTAIN_STATUSES.includes(response.value.status)
      : response.error.code === "internal";
    return response;
  };
  const result = await call({ ...context, egress: { ...context.egress, send } });
  if (result.ok) return { ok: true, ...defined({ external_id: result.handle }) };
  const { reason, retryAfterSeconds, isPermanent } = result;
  return {
    ok: false,
    reason,
    ...defined({ retryAfterSeconds, isPermanent }),
    ...(mayBeSent ? { mayBeSent } : {}),
  };
}
