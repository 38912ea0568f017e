/** The household's event log. */
import type { Principal } from "../../auth/principal.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { EventsRpc, HouseholdEvent } from "../../contracts/events.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import { getReadingScope } from "../identity/effective-role.ts";
import type { HouseholdContext } from "../household-context.ts";

export class EventsFacet implements EventsRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
  }

  async listEvents(
    viewer: Pick<Principal, "actor" | "role">,
    after: number,
    limit: number,
  ): Promise<{ events: HouseholdEvent[]; cursor: number }> {
    const stores = this.#context.openStores();
    if (!stores) return { events: [], cursor: after };
    const { actor, role } = viewer;
    const reader = { actor, reads: getReadingScope(stores, role) };
    return stores.events.listAfter(reader, after, limit, stores.settings.getZone());
  }

  async recordLinkRequest(summary: ThreadSummary, executor: string): Promise<void> {
    this.#context.write(({ events }, now) => events.appendLinkRequest(summary, executor, now));
  }

  async recordDeliveryFailure(summary: ThreadSummary, executor: string, at: number): Promise<void> {
    this.#context.write(({ events }) => events.appendDeliveryFailure(summary, executor, at));
  }

  async recordEscalation(summary: ThreadSummary, note: string, at: number): Promise<void> {
    this.#context.write(({ events }) => events.appendEscalation(summary, note, at));
  }

  async recordUnknownSender(channel: ChannelKind, from: string): Promise<void> {
    this.#context.write(({ events }, now) => events.appendUnknownSender(channel, from, now));
  }
}
