/**
 * The order of roles: an executor answers, an agent creates requests, a member does both, an owner may do everything.
 */
import type { Role } from "./principal.ts";

const ROLE_RANKS: Readonly<Record<Role, number>> = {
  executor: 1,
  agent: 2,
  member: 3,
  owner: 4,
};

export const isRoleWithin = (role: Role, limit: Role): boolean =>
  ROLE_RANKS[role] <= ROLE_RANKS[limit];

/** The lower of two roles. */
export const getLesserRole = (one: Role, other: Role): Role =>
  isRoleWithin(one, other) ? one : other;

/** Roles whose members are executors, too. */
export const isServingRole = (role: Role): boolean => role === "executor" || role === "member";
