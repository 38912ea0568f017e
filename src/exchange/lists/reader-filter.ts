import type { Principal } from "../../auth/principal.ts";
import type { ListFilter } from "../../partitions/list.ts";

/** The conditions that limit a list to the threads that the caller may see. */
export function buildReaderFilter({
  actor,
  role,
  readsAll,
}: Pick<Principal, "actor" | "role" | "readsAll">): Pick<ListFilter, "participant" | "reader"> {
  if (role === "owner") return {};
  return readsAll ? { reader: actor } : { participant: actor };
}
