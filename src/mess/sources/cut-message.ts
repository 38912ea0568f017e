/** Cuts the texts of messages to their limits, without control characters. The raw message in R2 stays whole. */
import { stripControls } from "../wire/control-characters.ts";
import { SOURCE_LIMITS } from "./vocabulary.ts";

/** The first characters of the text, without half of a surrogate pair at the end. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const isSplit = /[\uD800-\uDBFF]/.test(text[maxChars - 1]!);
  return text.slice(0, isSplit ? maxChars - 1 : maxChars);
}

/** Characters of all headers of a message together, which bounds its row. */
const MAX_HEADERS_CHARS = 100_000;

/** Senders cannot correct a text, and the exchange refuses control characters in its own messages. */
const clean = (text: string, maxChars: number): string => cutText(stripControls(text), maxChars);

interface CuttableMessage {
  external_id: string;
  sender: string;
  sender_name?: string;
  recipient: string;
  subject?: string;
  body: string;
  headers: [name: string, value: string][];
  references?: string[];
  channel: string;
  attachments: { name: string }[];
}

/** Returns the message with every text within its limit, as it is stored. */
export function cutMessage<T extends CuttableMessage>(message: T): T {
  const { sender_name, subject, references } = message;
  const address = (text: string) => clean(text, SOURCE_LIMITS.addressChars);
  const externalId = (id: string) => clean(id, SOURCE_LIMITS.externalIdChars);
  return {
    ...message,
    external_id: externalId(message.external_id),
    sender: address(message.sender),
    ...(sender_name === undefined ? {} : { sender_name: address(sender_name) }),
    recipient: address(message.recipient),
    channel: address(message.channel),
    ...(subject === undefined ? {} : { subject: clean(subject, SOURCE_LIMITS.subjectChars) }),
    body: clean(message.body, SOURCE_LIMITS.bodyChars),
    headers: cutHeaders(message.headers),
    ...(references === undefined
      ? {}
      : { references: references.slice(0, SOURCE_LIMITS.references).map(externalId) }),
    attachments: message.attachments.slice(0, SOURCE_LIMITS.attachments).map((attachment) => ({
      ...attachment,
      name: clean(attachment.name, SOURCE_LIMITS.fileNameChars),
    })),
  };
}

function cutHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): [name: string, value: string][] {
  const kept: [name: string, value: string][] = [];
  let chars = 0;
  for (const [name, value] of headers.slice(0, SOURCE_LIMITS.headers)) {
    const cut: [string, string] = [
      clean(name, SOURCE_LIMITS.headerChars),
      clean(value, SOURCE_LIMITS.headerChars),
    ];
    chars += cut[0].length + cut[1].length;
    if (chars > MAX_HEADERS_CHARS) break;
    kept.push(cut);
  }
  return kept;
}
