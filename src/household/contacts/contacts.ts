/** How members are reached at this moment: their ways in order, with secrets in clear, for sending at once. */
import type { ChannelKind } from "../../channels/channel.ts";
import type { Json, JsonMap } from "../../mess/json.ts";
import { isMap } from "../../mess/json.ts";
import { hinderedNow } from "../../mess/routing/unavailability.ts";
import type { Contact, ContactAddress, ContactQuery, Contacts } from "../../contracts/contacts.ts";
import { alertedOwner, alertWays, ownersOf, type Reach, reachOf } from "./owner-alerts.ts";
import { tokenBindings } from "./callback-credentials.ts";
import { complete } from "./complete-address.ts";
import { momentOf } from "../threads/routing-context.ts";
import type { Way } from "./notify-settings.ts";
import { quietUntil } from "./quiet-hours.ts";
import type { Stores } from "../stores.ts";
import { ownSecret, type OwnSecrets } from "../secrets/generated-secrets.ts";
import { referencesIn, type Vault } from "../secrets/secret-vault.ts";

/** Who is to be told, with the ways as they are written. */
interface Wanted extends Reach {
  executor: string;
}

/** `dispatch.{channel}` as it is written; an empty map where there is nothing. */
export function writtenSettings({ settings }: Stores, kind: ChannelKind): JsonMap {
  const written = settings.dispatch()[kind];
  return isMap(written) ? written : {};
}

const wantedOf = (stores: Stores, executor: string, alert: boolean): Wanted => ({
  executor,
  ...reachOf(stores, executor, alert),
});

/** `dispatch.alerts`, else the owners' own ways, else the browsers in which owners take push messages. */
function ownersToTell(stores: Stores): Wanted[] {
  const owners = alertWays(stores).length > 0 ? [alertedOwner(stores)] : ownersOf(stores);
  return owners
    .map((executor) => wantedOf(stores, executor, true))
    .filter(({ ways }) => ways.length > 0);
}

/** Names of what the ways and their channels refer to. */
const namesIn = (stores: Stores, ways: readonly Way[]): string[] =>
  referencesIn(ways.flatMap(({ kind, address }) => [address, writtenSettings(stores, kind)]));

/** `dispatch.{channel}` with its secrets and with what the household adds itself; null where it is not set up. */
export async function settingsOf(
  stores: Stores,
  own: OwnSecrets,
  vault: Vault,
  kind: ChannelKind,
): Promise<JsonMap | null> {
  const written = writtenSettings(stores, kind);
  const known = await vault.openAll(referencesIn(written));
  const settings = complete(kind, "settings", written, known);
  if (!isMap(settings)) return null;
  if (kind === "telegram" && settings["webhook_secret"] === undefined) {
    return { ...settings, webhook_secret: await own.text(ownSecret.telegram) };
  }
  if (kind === "push") return { ...settings, vapid: (await own.vapid()) as unknown as Json };
  return settings;
}

/** @param priority of the thread: below urgent, quiet hours hold what is sent */
export async function contactsOf(
  stores: Stores,
  own: OwnSecrets,
  vault: Vault,
  { who, priority, offering }: ContactQuery,
  now: number,
): Promise<Contacts> {
  const wanted: Wanted[] =
    who === "owners"
      ? ownersToTell(stores)
      : who.map((executor) => wantedOf(stores, executor, false));
  const ways = wanted.flatMap((one) => one.ways);
  const known = await vault.openAll(namesIn(stores, ways));
  const settings = new Map<ChannelKind, JsonMap | null>();
  for (const kind of new Set(ways.map((one) => one.kind))) {
    settings.set(kind, await settingsOf(stores, own, vault, kind));
  }
  const members = who === "owners" ? [] : who;
  const bindings = await tokenBindings(stores, vault, members);
  const moment = offering ? momentOf(stores, now) : undefined;
  const names: Record<string, string> = {};
  for (const { id, name } of stores.members.executors()) if (name !== undefined) names[id] = name;
  const contacts = wanted.map(({ executor, ways: own_ways, breaker }): Contact => {
    const addresses = own_ways.flatMap(({ kind, address }): ContactAddress[] => {
      const set = settings.get(kind);
      if (!set || stores.breakers.isGone(breaker, kind)) return [];
      const whole =
        kind === "push"
          ? (stores.subscriptions.of(executor) as unknown as Json[])
          : complete(kind, "address", address, known);
      if (whole === undefined || (Array.isArray(whole) && whole.length === 0)) return [];
      return [{ channel: kind, address: whole, settings: set }];
    });
    const ways = admitted(stores, breaker, addresses, now);
    const membership = stores.members.membership(executor);
    const binding = bindings.get(executor);
    return {
      executor,
      membership,
      ...(binding === undefined ? {} : { token_binding: binding }),
      ...ways,
      ...held(executor),
      ...hindered(executor),
    };
  });
  return { contacts, names };

  function hindered(executor: string): Pick<Contact, "hindered"> {
    const member = moment && stores.members.executor(executor);
    const why = member && hinderedNow(member, moment);
    return why === undefined ? {} : { hindered: why };
  }

  function held(executor: string): Pick<Contact, "hold"> {
    const member = stores.members.executor(executor);
    if (who === "owners" || priority === "urgent" || !member) return {};
    const hold = quietUntil(member, now, stores.settings.zone());
    return hold ? { hold } : {};
  }
}

/**
 * Ways whose breaker is open come after the others, since what is bound to one waits for it; a member who has no other
 * is to be tried when the first of them closes.
 */
function admitted(
  { breakers }: Stores,
  breaker: string,
  addresses: readonly ContactAddress[],
  now: number,
): Pick<Contact, "addresses" | "broken_until"> {
  const usable: ContactAddress[] = [];
  const broken: (ContactAddress & { broken_until: number })[] = [];
  for (const address of addresses) {
    const until = breakers.openUntil(breaker, address.channel, now);
    if (until === undefined) usable.push(address);
    else broken.push({ ...address, broken_until: until });
  }
  for (const { channel } of usable) breakers.admit(breaker, channel, now);
  const first = Math.min(...broken.map(({ broken_until }) => broken_until));
  return {
    addresses: [...usable, ...broken],
    ...(usable.length === 0 && broken.length > 0 ? { broken_until: first } : {}),
  };
}
