/**
 * The consent page: a person decides the households, role and permissions of a client. Client names are unverified
 * claims.
 */
import type { ConsentDescription } from "@cloudflare/workers-oauth-provider";
import { html } from "hono/html";
import type { FormToken } from "../../../auth/people/csrf-token.ts";
import { AUTHORIZE_PATH } from "../../../auth/oauth/oauth.ts";
import type { McpPath } from "../../../auth/oauth/resources.ts";
import type { Role } from "../../../auth/principal.ts";
import { getLesserRole } from "../../../auth/roles.ts";
import type { Membership } from "../../../auth/people/browser-session.ts";
import type { PageTextKey, PageTexts } from "../page-texts.ts";
import { type Html, buildPage } from "./page.ts";
import { listGrantableRoles, formatHouseholdName, describeRole } from "./role-labels.ts";
import { formatRedirect, isOnDevice } from "./client-ids.ts";
import { toDisplayName } from "./display-name.ts";

/** The part of the exchange that the client reaches at each address. */
const ACCESS_TEXTS = {
  "/mcp": "access_requests",
  "/mcp/groups": "access_groups",
  "/mcp/messages": "access_messages",
  "/mcp/all": "access_all",
} as const satisfies Record<McpPath, PageTextKey>;

function describeProvenance({ text, rich }: PageTexts, client: ConsentDescription): Html {
  const { clientDomain } = client;
  const address = formatRedirect(client);
  if (isOnDevice(client))
    return html`<p class="warning">
      ${rich("own_device", {
        program: html`<strong>${text("own_program")}</strong>`,
        host: address,
      })}
    </p>`;
  const publisher =
    clientDomain === undefined
      ? text("name_unverified")
      : rich("published_by", { domain: html`<strong>${clientDomain}</strong>` });
  return html`<p>
    ${rich("access_goes", { host: html`<strong>${address}</strong>` })} ${publisher}
  </p>`;
}

const buildChoice = (
  texts: PageTexts,
  membership: Membership,
  requestedRole: Role,
  isOnlyHousehold: boolean,
): Html => {
  const { household, role } = membership;
  const { text, rich } = texts;
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
      ><strong><bdi>${name}</bdi></strong>
      <span>${rich("you_are", { role: describeRole(texts, membership) })}</span></label
    >
    <label class="role" for="role-${household}">${text("it_may")}</label>
    <select
      id="role-${household}"
      name="role-${household}"
      aria-label="${text("it_may_in", { household: name })}"
    >
      ${listGrantableRoles(role).map(
        (one) =>
          html`<option value="${one}" ${one === defaultRole ? "selected" : ""}>
            ${text(`grant_${one}`)}
          </option>`,
      )}
    </select>
  </li>`;
};

export interface Consent {
  texts: PageTexts;
  client: ConsentDescription;
  /** The address of the MCP server that the client asked for. */
  path: McpPath;
  /** Bound to the browser that got the page, and valid for one decision. */
  handle: string;
  form: FormToken;
  cookies: readonly string[];
  memberships: readonly Membership[];
  /** The scope that the client requested. */
  requestedRole: Role;
}

export const buildConsentPage = ({
  texts,
  client,
  path,
  handle,
  form,
  cookies,
  memberships,
  requestedRole,
}: Consent): Promise<Response> => {
  const { text, rich } = texts;
  const name = toDisplayName(client.clientName);
  const isOnlyHousehold = memberships.length === 1;
  return buildPage({
    texts,
    title: text("connect", { name }),
    cookies: [...cookies, form.cookie],
    body: html`<h1>${rich("may_act", { name })}</h1>
      ${describeProvenance(texts, client)}
      <p>${text(ACCESS_TEXTS[path])}</p>
      <form method="post" action="${AUTHORIZE_PATH}" data-consent>
        <input type="hidden" name="handle" value="${handle}" />
        <fieldset>
          <legend>${text(isOnlyHousehold ? "one_household" : "many_households")}</legend>
          <ul class="cards">
            ${memberships.map((membership) => buildChoice(texts, membership, requestedRole, isOnlyHousehold))}
          </ul>
        </fieldset>
        <p id="status" role="alert"></p>
        <p class="note">${text("consent_note")}</p>
        <div class="actions decide">
          <button type="submit" name="decision" value="deny">${text("deny")}</button>
          <button type="submit" name="decision" value="allow" class="primary">
            ${text("allow")}
          </button>
        </div>
      </form>
      <form class="small" method="post" action="/sign-out">
        <input type="hidden" name="form" value="${form.token}" />
        <button type="submit" class="plain">${text("not_you")}</button>
      </form>`,
  });
};
