/** Ids of members and households: their format, and the reserved ids (decision 51). */
import { type Outcome, refuse } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { ok } from "./result.ts";

export const RESERVED_ACTORS: readonly string[] = ["exchange", "last", "all", "system"];

const ACTOR_ID_PATTERN = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Returns the id unchanged, or refuses it with `reserved_id` or `bad_field` at `path`. */
export function checkActorId(id: string, path: string): Outcome<string> {
  if (RESERVED_ACTORS.includes(id)) {
    return refuse(
      "reserved_id",
      `${path}: this id is reserved for the exchange`,
      `Use an id other than ${RESERVED_ACTORS.join(", ")}.`,
      { path },
    );
  }
  if (id.length > LIMITS.actorIdChars || !ACTOR_ID_PATTERN.test(id)) {
    return refuse(
      "bad_field",
      `${path}: not a member id`,
      "Use 1 to 64 lower-case letters, digits, dots, dashes or underscores; begin with a letter or digit.",
      { path },
    );
  }
  return ok(id);
}
