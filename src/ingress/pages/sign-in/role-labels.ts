/** Labels of roles for people. */
import { html } from "hono/html";
import { type Role, ROLES } from "../../../auth/principal.ts";
import { isRoleWithin } from "../../../auth/roles.ts";
import type { PageTexts } from "../page-texts.ts";
import { toDisplayName } from "./display-name.ts";
import type { Html } from "./page.ts";

/** A person with their role in a household. The name is isolated from the direction of the text around it. */
export const describeRole = (
  { text }: PageTexts,
  { name, role }: { name: string; role: Role },
): Html =>
  // A member that is called owner needs no second "owner".
  name === "owner" && role === "owner"
    ? html`${text("role_owner")}`
    : html`<bdi>${toDisplayName(name)}</bdi> (${text(`role_${role}`)})`;

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
