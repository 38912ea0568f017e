/** Roles in the words of people. */
import { type Role, ROLES } from "../../../auth/principal.ts";
import { isWithin } from "../../../auth/roles.ts";
import { visible } from "./display-name.ts";

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: "owner",
  agent: "asks and answers",
  executor: "answers requests",
};

/** What a person is in a household. */
export const standing = ({ actor, role }: { actor: string; role: Role }): string =>
  actor === ROLE_NAMES[role] ? actor : `${actor}, ${ROLE_NAMES[role]}`;

/** The household's name, with its id where that is another: names are chosen freely, ids are not shared. */
export const nameOf = ({ household, household_name }: Named): string =>
  household_name === household ? household : `${visible(household_name)} (${household})`;

interface Named {
  household: string;
  household_name: string;
}

/** What a client may do. */
export const GRANTED_ROLES: Readonly<Record<Role, string>> = {
  executor: "Answer in my name",
  agent: "Ask, and read answers",
  owner: "Everything, settings too",
};

/** The roles that a person may hand on, the least first. */
export const grantable = (most: Role): Role[] =>
  ROLES.toReversed().filter((role) => isWithin(role, most));
