/** Fills the secrets into the addresses and settings of channels, which are stored with references to secrets. */
import { type ChannelKind, CHANNELS } from "../../channels/registry.ts";
import { ADDRESS_KEYS } from "../../channels/shared/config-fields.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { fillReferences } from "../secrets/secret-references.ts";

/**
 * Settings or an address with its secrets filled in, in the form that the channel expects. Undefined if a value is
 * missing, such as a lost secret: nothing may be sent unsigned for that reason.
 */
export function completeConfig(
  kind: ChannelKind,
  part: "settings" | "address",
  settings: Json,
  known: ReadonlyMap<string, string>,
): Json | undefined {
  const schema = CHANNELS[kind];
  const filled = fillReferences(settings, known);
  if (filled === undefined) return undefined;
  if (isMap(settings) && isMap(filled)) {
    const isLost = (key: string) => Object.hasOwn(settings, key) && !Object.hasOwn(filled, key);
    // Without its configured address a channel would send the household's secrets to its vendor's default address.
    if ([...schema.secrets, ...ADDRESS_KEYS].some(isLost)) return undefined;
  }
  const read = schema[part].safeParse(filled);
  return read.success ? (read.data as Json) : undefined;
}
