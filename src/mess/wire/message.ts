/** Converts between a message and its `MESS:` list, the form in which it is written and stored. */
import { readBlock } from "./read-block.ts";
import type { JsonMap } from "../json.ts";
import { readPayloads } from "./payloads.ts";
import type { Block, Message } from "./schema.ts";

/** Writes the list of a message, `[{v}?, {type: body}…]`; its `re` belongs to the document (decision 1). */
export const messageToMess = ({ v, blocks }: Message): JsonMap[] => [
  ...(v === undefined ? [] : [{ v }]),
  ...blocks.map(({ type, body }): JsonMap => ({ [type]: body as JsonMap })),
];

/** Reads the blocks of a stored or imported list, including acks; skips unreadable blocks. */
export const readBlocks = (list: readonly JsonMap[]): Block[] =>
  list.flatMap((item) => {
    const found = readPayloads(item);
    if (!found.ok) return [];
    return found.value.payloads.flatMap(({ type, raw, path }) => {
      const read = readBlock(type, raw, path);
      return read.ok ? [read.value.block] : [];
    });
  });
