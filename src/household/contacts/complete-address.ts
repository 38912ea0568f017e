/** Addresses and settings of channels as they are written, with the secrets to which they refer. */
import type { ChannelKind } from "../../channels/channel.ts";
import { ADDRESS_KEYS, getChannelSchema } from "../../channels/schemas.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { fill } from "../secrets/secret-references.ts";

/**
 * Settings or an address with its secrets, as its channel reads it. Undefined where something is missing, a secret
 * above all: nothing is sent unsigned because a secret was lost.
 */
export function completeConfig(
  kind: ChannelKind,
  part: "settings" | "address",
  written: Json,
  known: ReadonlyMap<string, string>,
): Json | undefined {
  const schema = getChannelSchema(kind);
  const filled = fill(written, known);
  if (filled === undefined) return undefined;
  if (isMap(written) && isMap(filled)) {
    const lost = (key: string) => Object.hasOwn(written, key) && !Object.hasOwn(filled, key);
    // Without its own address a channel would take its secrets to the maker's.
    if ([...schema.secrets, ...ADDRESS_KEYS].some(lost)) return undefined;
  }
  const read = schema[part].safeParse(filled);
  return read.success ? (read.data as Json) : undefined;
}
