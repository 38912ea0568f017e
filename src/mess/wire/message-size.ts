/** What bounds a body as a whole once it is read: a small text must not become much work or a huge file. */
import { takeInline } from "./content.ts";
import { type Entry, isMediaEntry } from "./entries.ts";
import { type MessError, refuse } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Block, Message } from "./schema.ts";

/**
 * @param sent payloads of the body before any of them fanned out
 * @param length characters of the body, to spare small ones the measuring: none grows eightfold as it is read
 */
export function sizeFault(
  messages: readonly Message[],
  sent: number,
  length: number,
): MessError | undefined {
  const requests = messages.filter(({ blocks }) => blocks[0]?.type === "request").length;
  return (
    tooMany(sent, LIMITS.blocks, "payloads") ??
    tooMany(messages.length, LIMITS.documents, "messages") ??
    tooMany(requests, LIMITS.requestsPerBatch, "requests") ??
    tooMany(
      Math.max(...messages.map(countFiles)),
      LIMITS.attachmentsPerMessage,
      "files in one message",
    ) ??
    (length > LIMITS.file / 8 ? overflow(messages) : undefined)
  );
}

const tooMany = (count: number, limit: number, what: string): MessError | undefined =>
  count > limit
    ? refuse("too_large", `more than ${limit} ${what}`, "Send them in several calls.").error
    : undefined;

const countFiles = ({ blocks }: Message): number =>
  blocks
    .flatMap(({ body }) => [
      ...(("context" in body ? (body.context as Entry[] | undefined) : undefined) ?? []),
      ...(("content" in body ? (body.content as Entry[] | undefined) : undefined) ?? []),
    ])
    .filter(isMediaEntry).length;

/** A message over 1 MB once its attachments are out (decision 64). Blocks that fanned out are measured once. */
function overflow(messages: readonly Message[]): MessError | undefined {
  const sizes = new Map<Block, number>();
  const sizeOf = (block: Block): number => {
    const known = sizes.get(block);
    if (known !== undefined) return known;
    const { message } = takeInline({ blocks: [block] }, () => "");
    const size = new TextEncoder().encode(JSON.stringify(message)).length;
    sizes.set(block, size);
    return size;
  };
  const fits = messages.every(
    ({ blocks }) => blocks.reduce((sum, block) => sum + sizeOf(block), 0) <= LIMITS.file,
  );
  return fits
    ? undefined
    : refuse(
        "too_large",
        `a message is larger than ${LIMITS.file / 1024 / 1024} MB without its attachments`,
        "Put data into image, audio, video or file entries, or upload it first.",
      ).error;
}
