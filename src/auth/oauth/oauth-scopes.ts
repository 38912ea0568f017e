/** OAuth scopes: the upper limit of what a client may do. The role of the grant limits it further. */
import { type Role, ROLES } from "../principal.ts";

const SCOPE_BY_ROLE: Readonly<Record<Role, string>> = {
  executor: "mess:answer",
  agent: "mess:ask",
  member: "mess:join",
  owner: "mess:manage",
};

export const ALL_SCOPES: readonly string[] = [
  SCOPE_BY_ROLE.executor,
  SCOPE_BY_ROLE.agent,
  SCOPE_BY_ROLE.member,
  SCOPE_BY_ROLE.owner,
];

/** The scope that a connector requests by default: create requests and read the answers. */
export const DEFAULT_SCOPE = SCOPE_BY_ROLE.agent;

/** The highest role that the scopes allow; each scope includes the lower ones. Undefined without a known scope. */
export function scopesToRole(scopes: readonly string[]): Role | undefined {
  return ROLES.find((role) => scopes.includes(SCOPE_BY_ROLE[role]));
}

/** The scopes of a grant whose highest role is this one. */
export const roleToScopes = (role: Role): string[] =>
  ALL_SCOPES.slice(0, ALL_SCOPES.indexOf(SCOPE_BY_ROLE[role]) + 1);
