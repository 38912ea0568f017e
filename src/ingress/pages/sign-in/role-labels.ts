/** Labels of roles for people. */
import { type Role, ROLES } from "../../../auth/principal.ts";
import { isRoleWithin } from "../../../auth/roles.ts";
import { toDisplayName } from "./display-name.ts";

const ROLE_LABELS: Readonly<Record<Role, string>> = {
  owner: "owner",
  agent: "asks and answers",
  executor: "answers requests",
};

/** A person's role in a household. */
export const describeRole = ({ actor, role }: { actor: string; role: Role }): string =>
  actor === ROLE_LABELS[role] ? actor : `${actor}, ${ROLE_LABELS[role]}`;

/** The household's name; also its id if it differs, since names are chosen freely and only ids are unique. */
export const formatHouseholdName = ({ household, household_name }: NamedHousehold): string =>
  household_name === household ? household : `${toDisplayName(household_name)} (${household})`;

interface NamedHousehold {
  household: string;
  household_name: string;
}

/** The permissions of a client. */
export const GRANTED_ROLE_LABELS: Readonly<Record<Role, string>> = {
  executor: "Answer in my name",
  agent: "Ask, and read answers",
  owner: "Everything, settings too",
};

/** The roles that a person can grant to a client, least privileged first. */
export const listGrantableRoles = (maxRole: Role): Role[] =>
  ROLES.toReversed().filter((role) => isRoleWithin(role, maxRole));
