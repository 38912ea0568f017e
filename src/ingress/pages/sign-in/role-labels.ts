/** Labels of roles for people. */
import { type Role, ROLES } from "../../../auth/principal.ts";
import { isRoleWithin } from "../../../auth/roles.ts";
import type { PageTexts } from "../page-texts.ts";
import { toDisplayName } from "./display-name.ts";

/** A person's role in a household. */
export const describeRole = (
  { text }: PageTexts,
  { actor, role }: { actor: string; role: Role },
): string =>
  // A member that is called owner needs no second "owner".
  actor === "owner" && role === "owner" ? text("role_owner") : `${actor}, ${text(`role_${role}`)}`;

/** The household's name; also its id if it differs, since names are chosen freely and only ids are unique. */
export const formatHouseholdName = ({ household, household_name }: NamedHousehold): string =>
  household_name === household ? household : `${toDisplayName(household_name)} (${household})`;

interface NamedHousehold {
  household: string;
  household_name: string;
}

/** The roles that a person can grant to a client, least privileged first. */
export const listGrantableRoles = (maxRole: Role): Role[] =>
  ROLES.toReversed().filter((role) => isRoleWithin(role, maxRole));
