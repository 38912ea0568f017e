/** How far roles reach: an executor answers, an agent asks and answers, an owner may do everything. */
import type { Role } from "./principal.ts";

const REACH: Readonly<Record<Role, number>> = { executor: 1, agent: 2, owner: 3 };

export const isWithin = (role: Role, limit: Role): boolean => REACH[role] <= REACH[limit];

/** The lesser of two roles. */
export const lesser = (one: Role, other: Role): Role => (isWithin(one, other) ? one : other);
