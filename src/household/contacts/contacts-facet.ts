/** How to contact members, which member an inbound message is from, and the presence of members. */
import { getThreadStub } from "../../stubs.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { PushSubscription } from "../../channels/push/config.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { ALERTS_BREAKER_KEY } from "./owner-alerts.ts";
import { findContacts, loadChannelSettings } from "./contacts.ts";
import { findCallbackCredentials } from "./callback-credentials.ts";
import { findVerifiedOwner } from "../identity/sign-in.ts";
import type {
  ApprovalChat,
  Availability,
  AvailabilityChange,
  CallbackCredentials,
  Contacts,
  ContactQuery,
  ContactsRpc,
  UndeliverableAddress,
  DeliveryReport,
  ReceivedInbound,
  ResolvedInbound,
  InboundQuery,
  Presence,
  VapidKeys,
} from "../../contracts/contacts.ts";
import { buildInboundQuery } from "../../channels/inbound-query.ts";
import {
  type InboundRequest,
  type ReadRequest,
  REQUEST_READERS,
  type WebhookChannel,
  type WebhookEvent,
} from "../../channels/inbound.ts";
import { ALL_MEMBERS } from "./held-notices.ts";
import { resolveInbound } from "./resolve-inbound.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { recordDeliveryReport, isAlertMessage } from "./delivery-reports.ts";
import { getAvailability, setAvailability } from "./availability.ts";
import { checkConfirmable, listApprovalChats } from "./approval-chats.ts";
import { setPresence } from "./presence.ts";

/** How long a thread of a suspended household holds its notices before it asks again. */
const SUSPENDED_HOLD_MS = 86_400_000;

/** No member wrote it, or it answers no request. */
const SOURCE_CODES = ["unknown_executor", "not_found"];

export class ContactsFacet implements ContactsRpc {
  readonly #context: HouseholdContext;
  readonly #env: Pick<Env, "THREADS">;

  constructor(context: HouseholdContext, env: Pick<Env, "THREADS">) {
    this.#context = context;
    this.#env = env;
  }

  async findContacts(query: ContactQuery): Promise<Contacts> {
    const stores = this.#context.openStores();
    if (!stores) return { contacts: [], names: {} };
    if (stores.settings.isSuspended()) return this.#hold(query);
    const found = await findContacts(
      stores,
      this.#context.getGeneratedSecrets(stores),
      this.#context.getVault(stores),
      query,
      Date.now(),
    );
    this.#recordHolds(query, found);
    return found;
  }

  /** While the household is suspended. The end of the suspension releases the notices. */
  #hold({ ref }: ContactQuery): Contacts {
    const until = Date.now() + SUSPENDED_HOLD_MS;
    this.#context.write(({ heldNotices }, now) => {
      if (ref !== undefined) heldNotices.add(ALL_MEMBERS, ref, until, now);
    });
    return { contacts: [], names: {}, held_until: until };
  }

  /** Recorded before the thread postpones its notices, so that no end of a wait is missed. */
  #recordHolds({ ref }: ContactQuery, { contacts }: Contacts): void {
    if (ref === undefined || contacts.every(({ delay }) => delay === undefined)) return;
    this.#context.write(({ heldNotices }, now) => {
      for (const { executor, delay } of contacts)
        if (delay) heldNotices.add(executor, ref, delay.until, now);
    });
  }

  async reportDeliveries(reports: DeliveryReport[]): Promise<void> {
    this.#context.write((stores, now) => {
      for (const report of reports) recordDeliveryReport(stores, report, now);
    });
  }

  async markUndeliverable(address: UndeliverableAddress): Promise<boolean> {
    const stores = this.#context.openStores();
    if (!stores) return false;
    const alert = isAlertMessage(stores, address);
    const { executor, channel, ref, reason } = address;
    const failed = { executor, channel, ref, reason, ok: false, isPermanent: true } as const;
    await this.reportDeliveries([alert ? { ...failed, isAlert: alert } : failed]);
    const recipients = alert ? "owners" : [executor];
    const { contacts } = await this.findContacts({ recipients, priority: "normal" });
    return contacts.some(({ addresses }) => addresses.length > 0);
  }

  async resolveInbound(query: InboundQuery, hasSource = false): Promise<Outcome<ResolvedInbound>> {
    const stores = this.#context.openStores();
    if (!stores) return refuseNoHousehold();
    const { id } = stores.settings.getHousehold();
    return await resolveInbound(
      stores,
      this.#context.getVault(stores),
      query,
      async (ref) => (await getThreadStub(this.#env, id, ref).getSummary())?.executor,
      { hasSource },
    );
  }

  async receiveInbound<Kind extends WebhookChannel>(
    channel: Kind,
    request: InboundRequest,
  ): Promise<ReceivedInbound<WebhookEvent<Kind>> | null> {
    const settings = await this.getChannelSettings(channel);
    const household = this.#context.openStores()?.settings.getHousehold().id ?? "";
    const readRequest = REQUEST_READERS[channel] as ReadRequest<WebhookEvent<Kind>>;
    const verified = await readRequest(settings, request, household, Date.now());
    if (!verified || !settings) return null;
    const { event, message, isForSource: isKept = false } = verified;
    const findSource = () => this.#context.openStores()?.messageSources.findConnected(channel);
    if (!message) return { settings, event, ...(isKept ? defined({ source: findSource() }) : {}) };
    const query = buildInboundQuery(message);
    if (!query.ok) return { settings, event, resolved: query };
    // Buttons and addresses name their thread.
    const source =
      message.action === "message" && message.ref === undefined ? findSource() : undefined;
    const resolved = await this.resolveInbound(query.value, source !== undefined);
    const isForSource = !resolved.ok && SOURCE_CODES.includes(resolved.error.code);
    return { settings, event, resolved, ...(isForSource ? defined({ source }) : {}) };
  }

  async getChannelSettings(channel: ChannelKind): Promise<JsonMap | null> {
    const stores = this.#context.openStores();
    if (!stores) return null;
    return await loadChannelSettings(
      stores,
      this.#context.getGeneratedSecrets(stores),
      this.#context.getVault(stores),
      channel,
    );
  }

  async getCallbackCredentials(executor: string): Promise<CallbackCredentials | null> {
    const stores = this.#context.openStores();
    return stores
      ? await findCallbackCredentials(stores, this.#context.getVault(stores), executor)
      : null;
  }

  async subscribe(
    actor: string,
    subscription: PushSubscription,
    session?: string,
  ): Promise<Outcome<true>> {
    return this.#context.transact(({ subscriptions, circuitBreakers: breakers }, now) => {
      subscriptions.add(actor, subscription, session, now);
      for (const key of [actor, ALERTS_BREAKER_KEY]) breakers.reset(key, "push");
      return ok(true as const);
    });
  }

  async unsubscribe(actor: string, endpoint: string): Promise<Outcome<true>> {
    return this.#context.transact(({ subscriptions }) =>
      subscriptions.remove(actor, endpoint)
        ? ok(true as const)
        : refuse(
            "not_found",
            "subscription not found",
            "The subscription may have ended. Turn notifications on again to renew it.",
          ),
    );
  }

  async listSubscriptions(actor: string): Promise<PushSubscription[]> {
    return this.#context.openStores()?.subscriptions.list(actor) ?? [];
  }

  async getVapidKeys(): Promise<Outcome<VapidKeys>> {
    const stores = this.#context.openStores();
    return stores
      ? ok(await this.#context.getGeneratedSecrets(stores).getVapidKeys())
      : refuseNoHousehold();
  }

  async setPresence(
    actor: string,
    state: Presence["state"],
    until?: string,
  ): Promise<Outcome<Presence>> {
    return await this.#context.transactAndSetAlarm((stores, now) =>
      setPresence(stores, actor, state, until, now),
    );
  }

  async getAvailability(actor: string): Promise<Availability> {
    const stores = this.#context.openStores();
    return stores ? getAvailability(stores, actor, Date.now()) : { state: "here" };
  }

  async setAvailability(actor: string, change: AvailabilityChange): Promise<Outcome<Availability>> {
    return await this.#context.transactAndSetAlarm((stores, now) =>
      setAvailability(stores, actor, change, now),
    );
  }

  async listApprovalChats(session: string): Promise<Outcome<ApprovalChat[]>> {
    const owner = this.#context.transact((stores, now) => findVerifiedOwner(stores, session, now));
    const stores = this.#context.openStores();
    if (!owner.ok || !stores) return owner.ok ? refuseNoHousehold() : owner;
    return ok(await listApprovalChats(stores, this.#context.getVault(stores), owner.value));
  }

  async setApprovalChat(
    session: string,
    { channel, address, confirmed }: ApprovalChat,
  ): Promise<Outcome<true>> {
    const listed = await this.listApprovalChats(session);
    if (!listed.ok) return listed;
    if (!listed.value.some((one) => one.channel === channel && one.address === address))
      return refuse("not_found", "chat not found", "Add its address to your member first.");
    return this.#context.transact((stores, now) => {
      const owner = findVerifiedOwner(stores, session, now);
      if (!owner.ok) return owner;
      const confirmable = confirmed ? checkConfirmable(stores, channel) : ok(true as const);
      if (!confirmable.ok) return confirmable;
      const actor = owner.value;
      const chat = { channel, identity: address, actor };
      if (confirmed) stores.approvalChats.confirm(chat, now);
      else stores.approvalChats.remove(chat);
      const action = confirmed ? "approval_chat_confirmed" : "approval_chat_ended";
      const source = { actor, credential: "session" } as const;
      stores.audit.append({ action, source, target: channel }, now);
      return ok(true as const);
    });
  }

  async listPresence(): Promise<Presence[]> {
    const stores = this.#context.openStores();
    return stores?.presence.list(Date.now(), stores.settings.getZone()) ?? [];
  }
}
