/** What somebody may who is not calling: for what is done in a member's name while it is away. */
import { ROLES, type Role } from "../../auth/principal.ts";
import { isWithin } from "../../auth/roles.ts";
import type { Stores } from "../stores.ts";

/** The farthest role that the member's keys, its own standing or a grant give it. */
export function standingOf(
  { credentials, people, grants }: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): Role | undefined {
  const roles = [credentials.roleOf(actor), people.person(actor)?.role, grants.roleOf(actor)];
  return ROLES.find((role) => roles.includes(role));
}

/** True while it may make requests. */
export function mayAsk(
  stores: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): boolean {
  const role = standingOf(stores, actor);
  return role !== undefined && isWithin("agent", role);
}
