/** What somebody may who is not calling: for what is done in a member's name while it is away. */
import { ROLES, type Role } from "../../auth/principal.ts";
import { isRoleWithin } from "../../auth/roles.ts";
import type { Stores } from "../stores.ts";

/** The farthest role that the member's keys, its own standing or a grant give it. */
export function getEffectiveRole(
  { credentials, people, grants }: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): Role | undefined {
  const roles = [credentials.getRole(actor), people.find(actor)?.role, grants.getRole(actor)];
  return ROLES.find((role) => roles.includes(role));
}

/** True while it may make requests. */
export function canMakeRequests(
  stores: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): boolean {
  const role = getEffectiveRole(stores, actor);
  return role !== undefined && isRoleWithin("agent", role);
}
