/** The RPC surface of HouseholdObject: one interface for each facet. Types only. */
import type { AuditRpc } from "./audit.ts";
import type { ContactsRpc } from "./contacts.ts";
import type { EventsRpc } from "./events.ts";
import type { HouseholdThreadsRpc } from "./household-threads.ts";
import type { GroupsRpc } from "./household-groups.ts";
import type { IdentityRpc } from "./identity.ts";
import type { McpSessionsRpc } from "./mcp-sessions.ts";
import type { QuotasRpc } from "./quotas.ts";
import type { ReservationsRpc } from "./reservations.ts";
import type { SchedulesRpc } from "./schedules.ts";
import type { SecretsRpc } from "./secrets.ts";
import type { SettingsRpc } from "./settings.ts";
import type { SourcesRpc } from "./household-sources.ts";

export interface HouseholdFacets {
  readonly identity: IdentityRpc;
  readonly contacts: ContactsRpc;
  readonly threads: HouseholdThreadsRpc;
  readonly schedules: SchedulesRpc;
  readonly settings: SettingsRpc;
  readonly secrets: SecretsRpc;
  readonly events: EventsRpc;
  readonly audit: AuditRpc;
  readonly quotas: QuotasRpc;
  readonly mcpSessions: McpSessionsRpc;
  readonly groups: GroupsRpc;
  readonly reservations: ReservationsRpc;
  readonly sources: SourcesRpc;
}

/** A household as its callers see it: `household.identity.isLive(credential)` is one call to its object. */
export interface HouseholdRpc extends HouseholdFacets {
  /**
   * Opens a WebSocket. `/changes`: gets a ThreadChange as JSON for every change that its member may see.
   * `/mcp-session`: gets the session's state, or the client's response to one request. `/notices`: gets the position of
   * the next NOTIFY notice that its viewer may see, then closes.
   */
  fetch(request: Request): Promise<Response>;
}

/** The methods of the object itself. Callers use HouseholdRpc, which `getHouseholdStub` builds on them. */
export interface HouseholdObjectRpc extends Pick<HouseholdRpc, "fetch"> {
  /** Calls one method of one facet (decision 125). */
  callFacet(facet: keyof HouseholdFacets, method: string, args: unknown[]): Promise<unknown>;
}
