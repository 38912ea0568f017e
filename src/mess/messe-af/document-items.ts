/** Converts items of a document's `MESS` list to blocks of any type and back, to change their entries. */
import { isMap, type JsonMap } from "../json.ts";
import type { Block } from "../wire/schema.ts";

export const toBlocks = (item: JsonMap): Block[] =>
  Object.entries(item).map(([type, body]) => ({
    type,
    body: isMap(body) ? body : { "": body },
  })) as Block[];

export const toItem = (blocks: readonly Block[]): JsonMap =>
  Object.fromEntries(
    blocks.map(({ type, body }): [string, JsonMap[string]] => {
      const map = body as JsonMap;
      const [only] = Object.keys(map);
      return [type, only === "" ? (map[""] ?? null) : map];
    }),
  );
