/** Limits of a whole body after parsing, since a small text can expand to many messages or a large file. */
import { extractInlineData } from "./content/content.ts";
import { type Entry, isMediaEntry } from "./content/entries.ts";
import { type MessError, refuse } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Block, Message } from "./schema.ts";

/**
 * @param sent number of payloads in the body, before expansion to several targets
 * @param length characters of the body; small bodies are not measured, since parsing never grows a body eightfold
 */
export function checkSize(
  messages: readonly Message[],
  sent: number,
  length: number,
): MessError | undefined {
  const requests = messages.filter(({ blocks }) => blocks[0]?.type === "request").length;
  return (
    checkCount(sent, LIMITS.blocks, "payloads") ??
    checkCount(messages.length, LIMITS.documents, "messages") ??
    checkCount(requests, LIMITS.requestsPerBatch, "requests") ??
    checkCount(
      Math.max(...messages.map(countFiles)),
      LIMITS.attachmentsPerMessage,
      "files in one message",
    ) ??
    (length > LIMITS.fileBytes / 8 ? checkMessageSizes(messages) : undefined)
  );
}

const checkCount = (count: number, limit: number, items: string): MessError | undefined =>
  count > limit
    ? refuse("too_large", `more than ${limit} ${items}`, "Split the message into several calls.")
        .error
    : undefined;

const countFiles = ({ blocks }: Message): number =>
  blocks
    .flatMap(({ body }) => [
      ...(("context" in body ? (body.context as Entry[] | undefined) : undefined) ?? []),
      ...(("content" in body ? (body.content as Entry[] | undefined) : undefined) ?? []),
    ])
    .filter(isMediaEntry).length;

/** Refuses a message over 1 MB without its attachments (decision 64). Blocks sent to several targets are measured once. */
function checkMessageSizes(messages: readonly Message[]): MessError | undefined {
  const sizes = new Map<Block, number>();
  const measureBlock = (block: Block): number => {
    const known = sizes.get(block);
    if (known !== undefined) return known;
    const { message } = extractInlineData({ blocks: [block] }, () => "");
    const size = new TextEncoder().encode(JSON.stringify(message)).length;
    sizes.set(block, size);
    return size;
  };
  const isWithinLimit = messages.every(
    ({ blocks }) => blocks.reduce((sum, block) => sum + measureBlock(block), 0) <= LIMITS.fileBytes,
  );
  return isWithinLimit
    ? undefined
    : refuse(
        "too_large",
        `a message is larger than ${LIMITS.fileBytes / 1024 / 1024} MB without its attachments`,
        "Put data into image, audio, video or file entries, or upload it first.",
      ).error;
}
