/** The effective role of a member that is not the caller: for work that is done in its name. */
import { ROLES, type Role } from "../../auth/principal.ts";
import { getLesserRole, isRoleWithin } from "../../auth/roles.ts";
import { isSourceRequestor } from "../../mess/sources/request-origin.ts";
import type { Stores } from "../stores.ts";

/** The highest role that the member has by its keys, as a person, or by a grant. */
export function getEffectiveRole(
  { credentials, people, grants }: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): Role | undefined {
  const roles = [credentials.getRole(actor), people.find(actor)?.role, grants.getRole(actor)];
  return ROLES.find((role) => roles.includes(role));
}

/**
 * The threads that a credential reads although its member takes no part in them: none, all, or, in an open household,
 * all but the requests of message sources, which show the owner's mail.
 */
export type ReadingScope = "own" | "open" | "all";

export const getReadingScope = (
  { settings }: Pick<Stores, "settings">,
  role: Role | undefined,
): ReadingScope => {
  if (role === "owner") return "all";
  return role === "member" && settings.getAccess().threads === "open" ? "open" : "own";
};

/** Whether a credential with this role may read this requestor's threads without a part in them. */
export const mayReadThreadsOf = (
  stores: Pick<Stores, "settings">,
  role: Role | undefined,
  requestor: string,
): boolean => {
  const scope = getReadingScope(stores, role);
  return scope === "all" || (scope === "open" && !isSourceRequestor(requestor));
};

/** The member for whom a thread is looked up, with the role of its credential, which may be below its own. */
export interface Viewer {
  readonly actor: string;
  readonly role?: Role | undefined;
}

/**
 * The viewer of work that the household does by itself for the member.
 * @param limit role of the credential that asked for the work; the member may have a higher one by another credential
 */
export function toViewer(stores: Stores, actor: string, limit: Role): Viewer {
  const role = getEffectiveRole(stores, actor);
  return { actor, role: role && getLesserRole(role, limit) };
}

/** True while the member may create requests. */
export function canMakeRequests(
  stores: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): boolean {
  const role = getEffectiveRole(stores, actor);
  return role !== undefined && isRoleWithin("agent", role);
}

/** `readsAll` of the principal of a credential with this role. Owners need no mark. */
export const describeReading = (
  stores: Pick<Stores, "settings">,
  role: Role,
): { readsAll?: true } => (getReadingScope(stores, role) === "open" ? { readsAll: true } : {});
