/** OAuth scopes: how far a client may go at all. The role of the grant decides below that. */
import type { Role } from "../principal.ts";

const SCOPE_BY_ROLE: Readonly<Record<Role, string>> = {
  executor: "mess:answer",
  agent: "mess:ask",
  owner: "mess:manage",
};

export const ALL_SCOPES: readonly string[] = [
  SCOPE_BY_ROLE.executor,
  SCOPE_BY_ROLE.agent,
  SCOPE_BY_ROLE.owner,
];

/** What a connector asks for first: to ask, and to read the answers. */
export const DEFAULT_SCOPE = SCOPE_BY_ROLE.agent;

/** The farthest role that the scopes reach to; each reaches what lies below it. Undefined for none of ours. */
export function scopesToRole(scopes: readonly string[]): Role | undefined {
  const reach: readonly Role[] = ["owner", "agent", "executor"];
  return reach.find((role) => scopes.includes(SCOPE_BY_ROLE[role]));
}

/** The scopes of a grant in which the farthest role is this one. */
export const roleToScopes = (role: Role): string[] =>
  ALL_SCOPES.slice(0, ALL_SCOPES.indexOf(SCOPE_BY_ROLE[role]) + 1);
