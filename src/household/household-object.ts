/**
 * The Durable Object of one household. It owns all of the household's data. Each facet implements one interface of the
 * RPC surface; the facets share a HouseholdContext and do not inherit from each other.
 */
import { DurableObject } from "cloudflare:workers";
import type { CredentialId } from "../auth/principal.ts";
import type { HouseholdFacets, HouseholdObjectRpc } from "../contracts/household.ts";
import { callFacet } from "../object/call-facet.ts";
import { AuditFacet } from "./audit/audit-facet.ts";
import { ContactsFacet } from "./contacts/contacts-facet.ts";
import { EventsFacet } from "./events/events-facet.ts";
import { acceptListener, notifyListeners } from "./events/listeners.ts";
import { HouseholdContext } from "./household-context.ts";
import { mayReadThreadsOf } from "./identity/effective-role.ts";
import { isLive } from "./identity/end-access.ts";
import { IdentityFacet } from "./identity/identity-facet.ts";
import { GroupsFacet } from "./memberships/groups-facet.ts";
import { runHouseholdAlarm } from "./jobs/household-alarm.ts";
import { McpSessionsFacet } from "./mcp-sessions/mcp-sessions-facet.ts";
import { acceptSessionSocket } from "./mcp-sessions/session-sockets.ts";
import { QuotasFacet } from "./quotas/quotas-facet.ts";
import { ReservationsFacet } from "./reservations/reservations-facet.ts";
import { SchedulesFacet } from "./schedules/schedules-facet.ts";
import { SecretsFacet } from "./secrets/secrets-facet.ts";
import { isSealed, sealHousehold } from "./settings/seal-stored.ts";
import { acceptNoticeWait, wakeNoticeWaits } from "./message-sources/notice-waits.ts";
import { SourceHastener } from "./message-sources/hasten-sources.ts";
import { SourcesFacet } from "./message-sources/sources-facet.ts";
import { SettingsFacet } from "./settings/settings-facet.ts";
import { ThreadsFacet } from "./threads/threads-facet.ts";

export class HouseholdObject extends DurableObject<Env> implements HouseholdObjectRpc {
  readonly #context: HouseholdContext;
  readonly #facets: HouseholdFacets;
  readonly #hastener: SourceHastener;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const context = new HouseholdContext(ctx, env);
    this.#context = context;
    this.#hastener = new SourceHastener(env);
    this.#facets = {
      identity: new IdentityFacet(context),
      contacts: new ContactsFacet(context, env),
      threads: new ThreadsFacet(context, env, (summary) =>
        notifyListeners(ctx, summary, (role) => {
          const stores = context.openStores();
          return stores !== undefined && mayReadThreadsOf(stores, role, summary.requestor);
        }),
      ),
      schedules: new SchedulesFacet(context),
      settings: new SettingsFacet(context, env, ctx.id.name),
      secrets: new SecretsFacet(context),
      events: new EventsFacet(context),
      audit: new AuditFacet(context),
      quotas: new QuotasFacet(context),
      mcpSessions: new McpSessionsFacet(context, ctx),
      reservations: new ReservationsFacet(context),
      sources: new SourcesFacet(context, env, (source, seq) => wakeNoticeWaits(ctx, source, seq)),
      groups: new GroupsFacet(context, env),
    };
    const stores = context.openStores();
    // Runs before any call or alarm, so that no caller reads values that an earlier version stored in plain text.
    if (stores && !isSealed(stores))
      void ctx.blockConcurrencyWhile(() => sealHousehold(context, stores));
    // The former secret is still accepted, so callers need not wait.
    if (stores) ctx.waitUntil(context.resealAfterRotation(stores));
  }

  async callFacet(facet: keyof HouseholdFacets, method: string, args: unknown[]): Promise<unknown> {
    return await callFacet(this.#facets, facet, method, args);
  }

  override async fetch(request: Request): Promise<Response> {
    const stores = this.#context.openStores();
    if (!stores) return new Response(null, { status: 404 });
    const now = Date.now();
    const isActive = (credential: CredentialId) => isLive(stores, credential, now);
    const { pathname } = new URL(request.url);
    if (pathname === "/notices")
      return acceptNoticeWait(this.ctx, stores, request, now, (isAwaited) =>
        this.ctx.waitUntil(this.#hastener.hasten(stores, isAwaited, now)),
      );
    return pathname === "/mcp-session"
      ? acceptSessionSocket(this.ctx, request, isActive, (key) =>
          stores.mcpSessions.extend(key, now),
        )
      : acceptListener(this.ctx, request, isActive);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    await runHouseholdAlarm(this.env, this.#context);
  }
}
