/** The household's object as those meet it who reach its members, and whom its members answer. */
import { threadStub } from "../../stubs.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { PushSubscription } from "../../channels/schemas.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import { ALERTS } from "./owner-alerts.ts";
import { checkSecret } from "../secrets/check-secret.ts";
import { secretChanged } from "../settings/configure.ts";
import { contactsOf, settingsOf } from "./contacts.ts";
import { callingBack } from "./callback-credentials.ts";
import type {
  CallingBack,
  Contacts,
  ContactQuery,
  ContactsRpc,
  DeadAddress,
  DeliveryReport,
  HeardAs,
  HeardQuery,
} from "../../contracts/contacts.ts";
import { hear } from "./resolve-inbound.ts";
import { noHousehold } from "../household-context.ts";
import { PeopleObject } from "../identity/identity-object.ts";
import { reported, wasAlert } from "./delivery-reports.ts";
import { setPresence } from "./presence.ts";
import type { Presence, ReachRpc, SecretInfo, Vapid } from "../../contracts/member-settings.ts";

const SECRET_NAME = /^[A-Za-z_]\w{0,127}$/;
const LONGEST_SECRET = 8_192;

export class ContactsObject extends PeopleObject implements ContactsRpc, ReachRpc {
  async contacts(query: ContactQuery): Promise<Contacts> {
    const stores = this.home.open();
    if (!stores) return { contacts: [], names: {} };
    const { home } = this;
    return await contactsOf(stores, home.own(stores), home.vault(stores), query, Date.now());
  }

  async delivered(reports: DeliveryReport[]): Promise<void> {
    this.home.write((stores, now) => {
      for (const report of reports) reported(stores, report, now);
    });
  }

  async addressGone(dead: DeadAddress): Promise<boolean> {
    const stores = this.home.open();
    if (!stores) return false;
    const alert = wasAlert(stores, dead);
    const { executor, channel, ref, reason } = dead;
    const failed = { executor, channel, ref, reason, ok: false, gone: true } as const;
    await this.delivered([alert ? { ...failed, alert } : failed]);
    const who = alert ? "owners" : [executor];
    const { contacts } = await this.contacts({ who, priority: "normal" });
    return contacts.some(({ addresses }) => addresses.length > 0);
  }

  async deliveryFailed(summary: ThreadSummary, executor: string, at: number): Promise<void> {
    this.home.write(({ events }) => events.deliveryFailed(summary, executor, at));
  }

  async escalated(summary: ThreadSummary, note: string, at: number): Promise<void> {
    this.home.write(({ events }) => events.escalated(summary, note, at));
  }

  async heard(query: HeardQuery): Promise<Outcome<HeardAs>> {
    const stores = this.home.open();
    if (!stores) return noHousehold();
    const { id } = stores.settings.household();
    return await hear(
      stores,
      this.home.vault(stores),
      query,
      async (ref) => (await threadStub(this.env, id, ref).summary())?.executor,
    );
  }

  async stranger(channel: ChannelKind, from: string): Promise<void> {
    this.home.write(({ events }, now) => events.stranger(channel, from, now));
  }

  async channelSettings(channel: ChannelKind): Promise<JsonMap | null> {
    const stores = this.home.open();
    if (!stores) return null;
    return await settingsOf(stores, this.home.own(stores), this.home.vault(stores), channel);
  }

  async callingBack(executor: string): Promise<CallingBack | null> {
    const stores = this.home.open();
    return stores ? await callingBack(stores, this.home.vault(stores), executor) : null;
  }

  async putSecret(name: string, value: string): Promise<Outcome<SecretInfo>> {
    const stores = this.home.open();
    if (!stores) return noHousehold();
    if (!SECRET_NAME.test(name)) {
      const hint = "Use up to 128 letters, digits and _, such as SLACK_BOT_TOKEN.";
      return refuse("bad_field", "name: no name for a secret", hint, { path: "name" });
    }
    if (value === "" || value.length > LONGEST_SECRET) {
      const hint = `Give 1 to ${LONGEST_SECRET} characters.`;
      return refuse("bad_field", "value: empty or too long", hint, { path: "value" });
    }
    const vault = this.home.vault(stores);
    const fits = await checkSecret(stores, vault, name, value);
    if (!fits.ok) return fits;
    const sealed = await vault.seal(name, value);
    return this.home.within((_stores, now) => {
      stores.secrets.put(sealed, now);
      const fault = stores.secrets.tooMany();
      if (fault) return fault;
      secretChanged(stores, name);
      return ok(stores.secrets.info(name)!);
    });
  }

  async secrets(): Promise<SecretInfo[]> {
    const stores = this.home.open();
    if (!stores) return [];
    const listed = stores.secrets.list();
    const opened = await this.home.vault(stores).openAll(listed.map(({ name }) => name));
    return listed.map((one) => (opened.has(one.name) ? one : { ...one, unreadable: true }));
  }

  async removeSecret(name: string): Promise<Outcome<true>> {
    return this.home.within(({ secrets }) => secrets.remove(name));
  }

  async subscribe(
    actor: string,
    subscription: PushSubscription,
    session?: string,
  ): Promise<Outcome<true>> {
    return this.home.within(({ subscriptions, breakers }, now) => {
      subscriptions.add(actor, subscription, session, now);
      for (const key of [actor, ALERTS]) breakers.reset(key, "push");
      return ok(true as const);
    });
  }

  async unsubscribe(actor: string, endpoint: string): Promise<Outcome<true>> {
    return this.home.within(({ subscriptions }) =>
      subscriptions.remove(actor, endpoint)
        ? ok(true as const)
        : refuse("not_found", "no such subscription", "It may have ended already."),
    );
  }

  async subscriptions(actor: string): Promise<PushSubscription[]> {
    return this.home.open()?.subscriptions.of(actor) ?? [];
  }

  async vapid(): Promise<Outcome<Vapid>> {
    const stores = this.home.open();
    return stores ? ok(await this.home.own(stores).vapid()) : noHousehold();
  }

  async setPresence(
    actor: string,
    state: Presence["state"],
    until?: string,
  ): Promise<Outcome<Presence>> {
    return this.home.within((stores, now) => setPresence(stores, actor, state, until, now));
  }

  async presence(): Promise<Presence[]> {
    const stores = this.home.open();
    return stores?.presences.list(Date.now(), stores.settings.zone()) ?? [];
  }
}
