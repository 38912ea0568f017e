/** Turns a message from a channel into the query that resolves its sender and its thread. */
import { defined } from "../mess/defined.ts";
import type { InboundQuery } from "../contracts/contacts.ts";
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import { buildTooLongHint } from "../mess/lengths.ts";
import { LIMITS } from "../mess/limits.ts";
import { fail, ok } from "../mess/result.ts";
import type { InboundMessage } from "./inbound.ts";
import { classifyReply } from "./replies/interpret-reply.ts";
import { readKeyword } from "./replies/reply-keywords.ts";

const MAX_CHARS = {
  text: LIMITS.freeTextChars,
  id: LIMITS.nameChars,
  group: LIMITS.nameChars,
  ref: LIMITS.targetChars,
  handle: LIMITS.handleChars,
} as const;

/** Refuses a message with a text that is too long. */
export function buildInboundQuery(inbound: InboundMessage): Outcome<InboundQuery> {
  const long = checkInboundLengths(inbound);
  if (long) return fail(long);
  const { channel, identities, personIdentities, ref, handle, isOwnMessage } = inbound;
  const meaning = classifyReply(inbound);
  const isKeyword = inbound.action === "message" && readKeyword(inbound.text ?? "") !== undefined;
  return ok({
    channel,
    id: inbound.group ?? inbound.id,
    identities,
    ...defined({ ref, handle }),
    ...(isOwnMessage ? { isOwnMessage } : {}),
    ...defined({ personIdentities, meaning }),
    ...(isKeyword ? { keyword: true as const } : {}),
  });
}

/** Undefined if every text of the message is within its limit. */
function checkInboundLengths(inbound: InboundMessage): MessError | undefined {
  const texts = Object.entries(MAX_CHARS).map(
    ([field, maxChars]) => [field, maxChars, inbound[field as keyof typeof MAX_CHARS]] as const,
  );
  const senders = inbound.identities.map((from) => ["from", LIMITS.senderChars, from] as const);
  for (const [field, maxChars, text] of [...texts, ...senders])
    if (text !== undefined && text.length > maxChars)
      return refuse(
        field === "text" ? "too_large" : "bad_field",
        `${field} is longer than ${maxChars} characters`,
        buildTooLongHint(maxChars),
        { path: field },
      ).error;
  return undefined;
}
