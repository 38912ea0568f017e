/** The effective role of a member that is not the caller: for work that is done in its name. */
import { ROLES, type Role } from "../../auth/principal.ts";
import { isRoleWithin } from "../../auth/roles.ts";
import type { Stores } from "../stores.ts";

/** The highest role that the member has by its keys, as a person, or by a grant. */
export function getEffectiveRole(
  { credentials, people, grants }: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): Role | undefined {
  const roles = [credentials.getRole(actor), people.find(actor)?.role, grants.getRole(actor)];
  return ROLES.find((role) => roles.includes(role));
}

/** True while the member may create requests. */
export function canMakeRequests(
  stores: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): boolean {
  const role = getEffectiveRole(stores, actor);
  return role !== undefined && isRoleWithin("agent", role);
}
