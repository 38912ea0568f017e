/**
 * The consent page: a person decides the households, role and permissions of a client. Client names are unverified
 * claims.
 */
import type { ConsentDescription } from "@cloudflare/workers-oauth-provider";
import { html } from "hono/html";
import type { FormToken } from "../../../auth/people/csrf-token.ts";
import { AUTHORIZE_PATH } from "../../../auth/oauth/oauth.ts";
import type { Role } from "../../../auth/principal.ts";
import { getLesserRole } from "../../../auth/roles.ts";
import type { Membership } from "../../../auth/people/browser-session.ts";
import { type Html, buildPage } from "./page.ts";
import {
  GRANTED_ROLE_LABELS,
  listGrantableRoles,
  formatHouseholdName,
  describeRole,
} from "./role-labels.ts";
import { formatRedirect, isOnDevice } from "./client-ids.ts";
import { toDisplayName } from "./display-name.ts";

const describeProvenance = ({ clientDomain, ...client }: ConsentDescription): Html => {
  const address = formatRedirect(client);
  if (isOnDevice(client))
    return html`<p class="warning">
      This gives access to <strong>a program on your own device</strong> (${address}). Continue only
      if you just started to connect it yourself.
    </p>`;
  const publisher =
    clientDomain === undefined
      ? html`The app chose this name itself. Check the address.`
      : html`It is published by <strong>${clientDomain}</strong>.`;
  return html`<p>Access goes to <strong>${address}</strong>. ${publisher}</p>`;
};

const buildChoice = (
  membership: Membership,
  requestedRole: Role,
  isOnlyHousehold: boolean,
): Html => {
  const { household, role } = membership;
  const name = formatHouseholdName(membership);
  const defaultRole = getLesserRole(requestedRole, role);
  const id = `household-${household}`;
  return html`<li>
    <input
      type="checkbox"
      id="${id}"
      name="household"
      value="${household}"
      ${isOnlyHousehold ? "checked" : ""}
    />
    <label for="${id}"
      ><strong><bdi>${name}</bdi></strong> <span>you: ${describeRole(membership)}</span></label
    >
    <label class="role" for="role-${household}">It may</label>
    <select id="role-${household}" name="role-${household}" aria-label="It may, in ${name}">
      ${listGrantableRoles(role).map(
        (one) =>
          html`<option value="${one}" ${one === defaultRole ? "selected" : ""}>
            ${GRANTED_ROLE_LABELS[one]}
          </option>`,
      )}
    </select>
  </li>`;
};

export interface Consent {
  client: ConsentDescription;
  /** Bound to the browser that got the page, and valid for one decision. */
  handle: string;
  form: FormToken;
  cookies: readonly string[];
  memberships: readonly Membership[];
  /** The scope that the client requested. */
  requestedRole: Role;
}

export const buildConsentPage = ({
  client,
  handle,
  form,
  cookies,
  memberships,
  requestedRole,
}: Consent): Promise<Response> => {
  const name = toDisplayName(client.clientName);
  const isOnlyHousehold = memberships.length === 1;
  return buildPage({
    title: `Connect ${name}`,
    cookies: [...cookies, form.cookie],
    body: html`<h1>Let <bdi>${name}</bdi> act for you?</h1>
      ${describeProvenance(client)}
      <form method="post" action="${AUTHORIZE_PATH}" data-consent>
        <input type="hidden" name="handle" value="${handle}" />
        <fieldset>
          <legend>
            ${isOnlyHousehold ? "It gets access to" : "Choose the households it gets access to"}
          </legend>
          <ul class="cards">
            ${memberships.map((membership) => buildChoice(membership, requestedRole, isOnlyHousehold))}
          </ul>
        </fieldset>
        <p id="status" role="alert"></p>
        <p class="note">
          It replaces what you gave this app before. An owner can take it back at any time.
        </p>
        <div class="actions decide">
          <button type="submit" name="decision" value="deny">Deny</button>
          <button type="submit" name="decision" value="allow" class="primary">Allow</button>
        </div>
      </form>
      <form class="small" method="post" action="/sign-out">
        <input type="hidden" name="form" value="${form.token}" />
        <button type="submit" class="plain">Not you? Sign out</button>
      </form>`,
  });
};
