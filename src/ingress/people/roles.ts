/** Roles in the words of people. */
import { type Role, ROLES } from "../../auth/principal.ts";
import { isWithin } from "../../auth/roles.ts";

/** What a person is. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: "owner, manages the household",
  agent: "may ask and answer",
  executor: "answers what is asked",
};

/** What a client may do. */
export const GRANTED_ROLES: Readonly<Record<Role, string>> = {
  executor: "Answer in my name what I am asked",
  agent: "Ask for things, read the answers",
  owner: "Everything: all requests, all settings",
};

/** The roles that a person may hand on, the least first. */
export const grantable = (most: Role): Role[] =>
  ROLES.toReversed().filter((role) => isWithin(role, most));
