/** Formats the earlier threads to which a request refers, each with its answers quoted under the sender's name. */
import type { EarlierThread } from "../../../contracts/thread-views.ts";
import { attributeText, describeMessage } from "./describe-message.ts";
import { formatFiles } from "./describe-thread.ts";
import { inlineText } from "./untrusted-text.ts";

const MAX_TEXT_CHARS = 4_000;

export const describeContext = (threads: readonly EarlierThread[]): string[] =>
  threads.map(describeEarlierThread);

export function describeEarlierThread({
  ref,
  part,
  intent,
  status,
  messages,
  attachments,
}: EarlierThread): string {
  const named = part === undefined ? "" : `, of which only ${inlineText(part, 128)}`;
  const answers = messages
    .filter(({ MESS }) => MESS.every((item) => !("request" in item)))
    .map((document) => {
      const text = describeMessage(document).lines.join("\n");
      const cut =
        text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}\n[cut here]` : text;
      return attributeText(document.from, [cut]);
    });
  const files = attachments.map(({ name, mime, size }) => ({
    uri: `content://${ref}/${name}`,
    mime,
    size,
  }));
  return [
    `Earlier request ${ref} "${inlineText(intent, 120)}" (${status})${named}, to which it refers:`,
    ...answers,
    ...formatFiles(files),
  ].join("\n");
}
