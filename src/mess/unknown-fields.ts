/** Warns of fields that have no effect, and names the field that was likely meant. */
import { findNearest } from "./nearest-word.ts";

/** Fields that the warnings of one map name. */
const MAX_LISTED = 6;
const MAX_NAME_CHARS = 40;

/**
 * @param of the map, such as `a request`
 * @param use what happens with such a field
 */
export const warnUnknownFields = (
  keys: readonly string[],
  known: readonly string[],
  of: string,
  use: string,
): string[] =>
  keys
    .filter((key) => !known.includes(key))
    .slice(0, MAX_LISTED)
    .map((key) => {
      const name = key.slice(0, MAX_NAME_CHARS);
      const near = findNearest(key, known);
      return near === undefined
        ? `${name} is not a field of ${of}; it is ${use}, and has no effect`
        : `${name} is not a field of ${of} and has no effect; did you mean ${near}?`;
    });

/** Warns of unknown fields in maps of a configuration, which stores them unchanged. @param of each map */
export const warnConfigFields = (
  maps: readonly object[],
  known: readonly string[],
  of: string,
): string[] => {
  const keys = new Set(maps.flatMap((map) => Object.keys(map)));
  return warnUnknownFields([...keys], known, of, "stored unchanged");
};
