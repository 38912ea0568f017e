/** A message and the `MESS:` list in which it is written and stored. */
import { readBlock } from "./read-block.ts";
import type { JsonMap } from "../json.ts";
import { readPayloads } from "./payloads.ts";
import type { Block, Message } from "./schema.ts";

/** The list of a message, `[{v}?, {type: body}…]`; its `re` belongs to the document (decision 1). */
export const messageToMess = ({ v, blocks }: Message): JsonMap[] => [
  ...(v === undefined ? [] : [{ v }]),
  ...blocks.map(({ type, body }): JsonMap => ({ [type]: body as JsonMap })),
];

/** The blocks of a stored or imported list, acks included; what cannot be read is left out. */
export const readBlocks = (list: readonly JsonMap[]): Block[] =>
  list.flatMap((item) => {
    const found = readPayloads(item);
    if (!found.ok) return [];
    return found.value.payloads.flatMap(({ type, raw, path }) => {
      const read = readBlock(type, raw, path);
      return read.ok ? [read.value.block] : [];
    });
  });
