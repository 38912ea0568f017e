/**
 * The part of the household's object for contacts: how to contact members, and which member an inbound message is from.
 */
import { getThreadStub } from "../../stubs.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { PushSubscription } from "../../channels/push/config.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import { ALERTS_BREAKER_KEY } from "./owner-alerts.ts";
import { checkSecret } from "../secrets/check-secret.ts";
import { resetBreakersOfSecret } from "../settings/configure.ts";
import { findContacts, loadChannelSettings } from "./contacts.ts";
import { findCallbackCredentials } from "./callback-credentials.ts";
import type {
  CallbackCredentials,
  Contacts,
  ContactQuery,
  ContactsRpc,
  UndeliverableAddress,
  DeliveryReport,
  ResolvedInbound,
  InboundQuery,
} from "../../contracts/contacts.ts";
import { resolveInbound } from "./resolve-inbound.ts";
import { refuseNoHousehold } from "../household-context.ts";
import { IdentityObject } from "../identity/identity-object.ts";
import { recordDeliveryReport, isAlertMessage } from "./delivery-reports.ts";
import { setPresence } from "./presence.ts";
import type {
  Presence,
  ChannelSetupRpc,
  SecretInfo,
  VapidKeys,
} from "../../contracts/member-settings.ts";

const SECRET_NAME_PATTERN = /^[A-Za-z_]\w{0,127}$/;
const MAX_SECRET_CHARS = 8_192;

export class ContactsObject extends IdentityObject implements ContactsRpc, ChannelSetupRpc {
  async findContacts(query: ContactQuery): Promise<Contacts> {
    const stores = this.context.openStores();
    if (!stores) return { contacts: [], names: {} };
    const { context } = this;
    return await findContacts(
      stores,
      context.getGeneratedSecrets(stores),
      context.getVault(stores),
      query,
      Date.now(),
    );
  }

  async reportDeliveries(reports: DeliveryReport[]): Promise<void> {
    this.context.write((stores, now) => {
      for (const report of reports) recordDeliveryReport(stores, report, now);
    });
  }

  async markUndeliverable(address: UndeliverableAddress): Promise<boolean> {
    const stores = this.context.openStores();
    if (!stores) return false;
    const alert = isAlertMessage(stores, address);
    const { executor, channel, ref, reason } = address;
    const failed = { executor, channel, ref, reason, ok: false, isPermanent: true } as const;
    await this.reportDeliveries([alert ? { ...failed, isAlert: alert } : failed]);
    const recipients = alert ? "owners" : [executor];
    const { contacts } = await this.findContacts({ recipients, priority: "normal" });
    return contacts.some(({ addresses }) => addresses.length > 0);
  }

  async recordDeliveryFailure(summary: ThreadSummary, executor: string, at: number): Promise<void> {
    this.context.write(({ events }) => events.appendDeliveryFailure(summary, executor, at));
  }

  async recordEscalation(summary: ThreadSummary, note: string, at: number): Promise<void> {
    this.context.write(({ events }) => events.appendEscalation(summary, note, at));
  }

  async resolveInbound(query: InboundQuery): Promise<Outcome<ResolvedInbound>> {
    const stores = this.context.openStores();
    if (!stores) return refuseNoHousehold();
    const { id } = stores.settings.getHousehold();
    return await resolveInbound(
      stores,
      this.context.getVault(stores),
      query,
      async (ref) => (await getThreadStub(this.env, id, ref).getSummary())?.executor,
    );
  }

  async recordUnknownSender(channel: ChannelKind, from: string): Promise<void> {
    this.context.write(({ events }, now) => events.appendUnknownSender(channel, from, now));
  }

  async getChannelSettings(channel: ChannelKind): Promise<JsonMap | null> {
    const stores = this.context.openStores();
    if (!stores) return null;
    return await loadChannelSettings(
      stores,
      this.context.getGeneratedSecrets(stores),
      this.context.getVault(stores),
      channel,
    );
  }

  async getCallbackCredentials(executor: string): Promise<CallbackCredentials | null> {
    const stores = this.context.openStores();
    return stores
      ? await findCallbackCredentials(stores, this.context.getVault(stores), executor)
      : null;
  }

  async putSecret(name: string, value: string): Promise<Outcome<SecretInfo>> {
    const stores = this.context.openStores();
    if (!stores) return refuseNoHousehold();
    if (!SECRET_NAME_PATTERN.test(name)) {
      const hint = "Use up to 128 letters, digits and _, such as SLACK_BOT_TOKEN.";
      return refuse("bad_field", "name: not a valid name for a secret", hint, { path: "name" });
    }
    if (value === "" || value.length > MAX_SECRET_CHARS) {
      const hint = `Give 1 to ${MAX_SECRET_CHARS} characters.`;
      return refuse("bad_field", "value: empty or too long", hint, { path: "value" });
    }
    const vault = this.context.getVault(stores);
    const checked = await checkSecret(stores, vault, name, value);
    if (!checked.ok) return checked;
    const sealed = await vault.seal(name, value);
    return this.context.transact((_stores, now) => {
      stores.secrets.put(sealed, now);
      const limitError = stores.secrets.checkLimit();
      if (limitError) return limitError;
      resetBreakersOfSecret(stores, name);
      return ok(stores.secrets.getInfo(name)!);
    });
  }

  async listSecrets(): Promise<SecretInfo[]> {
    const stores = this.context.openStores();
    if (!stores) return [];
    const listed = stores.secrets.list();
    const opened = await this.context.getVault(stores).openAll(listed.map(({ name }) => name));
    return listed.map((one) => (opened.has(one.name) ? one : { ...one, unreadable: true }));
  }

  async removeSecret(name: string): Promise<Outcome<true>> {
    return this.context.transact(({ secrets }) => secrets.remove(name));
  }

  async subscribe(
    actor: string,
    subscription: PushSubscription,
    session?: string,
  ): Promise<Outcome<true>> {
    return this.context.transact(({ subscriptions, circuitBreakers: breakers }, now) => {
      subscriptions.add(actor, subscription, session, now);
      for (const key of [actor, ALERTS_BREAKER_KEY]) breakers.reset(key, "push");
      return ok(true as const);
    });
  }

  async unsubscribe(actor: string, endpoint: string): Promise<Outcome<true>> {
    return this.context.transact(({ subscriptions }) =>
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
    return this.context.openStores()?.subscriptions.list(actor) ?? [];
  }

  async getVapidKeys(): Promise<Outcome<VapidKeys>> {
    const stores = this.context.openStores();
    return stores
      ? ok(await this.context.getGeneratedSecrets(stores).getVapidKeys())
      : refuseNoHousehold();
  }

  async setPresence(
    actor: string,
    state: Presence["state"],
    until?: string,
  ): Promise<Outcome<Presence>> {
    return this.context.transact((stores, now) => setPresence(stores, actor, state, until, now));
  }

  async listPresence(): Promise<Presence[]> {
    const stores = this.context.openStores();
    return stores?.presence.list(Date.now(), stores.settings.getZone()) ?? [];
  }
}
