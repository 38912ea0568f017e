import { type Outcome, refuse } from "../../mess/errors.ts";
import { toOneLine } from "../../mess/one-line.ts";
import { normalizeName } from "../../mess/reservations/names.ts";
import { ok } from "../../mess/result.ts";

/** The names as given, by their normalized form. */
export function readNames(names: readonly string[]): Outcome<Map<string, string>> {
  const given = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const normalized = normalizeName(name);
    if (normalized === undefined)
      return refuse(
        "bad_field",
        `names.${index}: not a name that can be reserved`,
        "Give the name of a thing, or a path without `..`, braces and a leading `!`; give each of several names on its own.",
        { path: `names.${index}` },
      );
    if (!given.has(normalized)) given.set(normalized, toOneLine(name));
  }
  return ok(given);
}
