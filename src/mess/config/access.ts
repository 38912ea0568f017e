/** Reads `access` of a `config` block: who may join the household by itself, and what its members may read. */
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json } from "../json.ts";
import { ok } from "../result.ts";

export const REGISTRATIONS = ["closed", "open", "invited"] as const;
export const THREAD_ACCESS = ["participants", "open"] as const;

export interface AccessSettings {
  /** Who may register a member of its own: nobody, everybody who knows the address, or those with an invitation. */
  registration: (typeof REGISTRATIONS)[number];
  /** Which threads a member reads: those in which it takes part, or all of the household. */
  threads: (typeof THREAD_ACCESS)[number];
}

export const DEFAULT_ACCESS: AccessSettings = { registration: "closed", threads: "participants" };

const VALUES = { registration: REGISTRATIONS, threads: THREAD_ACCESS } as const;

const isField = (key: string): key is keyof AccessSettings => Object.hasOwn(VALUES, key);

/** The fields that are given; null stands for the default. Undefined where the block has no `access`. */
export function readAccess(value: Json | undefined): Outcome<Partial<AccessSettings> | undefined> {
  if (value === undefined) return ok(undefined);
  if (value === null) return ok(DEFAULT_ACCESS);
  const path = "config.access";
  if (!isMap(value))
    return refuse("bad_field", `${path}: not a map`, "Write access: {registration, threads}.", {
      path,
    });
  const read: Record<string, string> = {};
  for (const [key, given] of Object.entries(value)) {
    const at = `${path}.${key}`;
    if (!isField(key))
      return refuse("bad_field", `${at}: unknown field`, "Write access: {registration, threads}.", {
        path: at,
        valid: Object.keys(VALUES),
      });
    const valid: readonly string[] = VALUES[key];
    const chosen = given ?? DEFAULT_ACCESS[key];
    if (typeof chosen !== "string" || !valid.includes(chosen))
      return refuse("bad_field", `${at}: not a known value`, `Write ${valid.join(" or ")}.`, {
        path: at,
        valid,
      });
    read[key] = chosen;
  }
  return ok(read as Partial<AccessSettings>);
}
