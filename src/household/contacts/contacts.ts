/**
 * The contact addresses of members: their channels in order of preference, with secrets in plain text, for immediate
 * use.
 */
import { defined } from "../../mess/defined.ts";
import { type ChannelKind, CHANNELS } from "../../channels/registry.ts";
import type { Json, JsonMap } from "../../mess/json.ts";
import { isMap } from "../../mess/json.ts";
import { listAgentNames } from "../memberships/pools/pool-executors.ts";
import { getUnavailability } from "../../mess/routing/unavailability.ts";
import type { Contact, ContactAddress, ContactQuery, Contacts } from "../../contracts/contacts.ts";
import {
  getAlertedOwner,
  listAlertChannels,
  listOwners,
  type ContactChannels,
  findContactChannels,
} from "./owner-alerts.ts";
import { listTokenBindings } from "./callback-credentials.ts";
import { completeConfig } from "./complete-address.ts";
import { buildRoutingContext } from "../threads/routing-context.ts";
import type { NotifyChannel } from "./notify-settings.ts";
import { SNOOZED_REASON } from "../../mess/delay-reasons.ts";
import { getQuietUntil } from "./quiet-hours.ts";
import type { Stores } from "../stores.ts";
import type { GeneratedSecrets } from "../secrets/generated-secrets.ts";
import { findReferences } from "../secrets/secret-references.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";

/** A member to notify, with its channels as they are configured. */
interface Recipient extends ContactChannels {
  executor: string;
}

/** `dispatch.{channel}` as it is configured; an empty map if there is none. */
export function getWrittenSettings({ settings }: Stores, kind: ChannelKind): JsonMap {
  const written = settings.getDispatch()[kind];
  return isMap(written) ? written : {};
}

const toRecipient = (stores: Stores, executor: string, alert: boolean): Recipient => ({
  executor,
  ...findContactChannels(stores, executor, alert),
});

/** `dispatch.alerts` if set, else the channels of each owner, else the browsers in which owners take push messages. */
function listOwnerRecipients(stores: Stores): Recipient[] {
  const owners =
    listAlertChannels(stores).length > 0 ? [getAlertedOwner(stores)] : listOwners(stores);
  return owners
    .map((executor) => toRecipient(stores, executor, true))
    .filter(({ channels }) => channels.length > 0);
}

/** Names of the secrets that these channels and their settings refer to. */
const listSecretNames = (stores: Stores, channels: readonly NotifyChannel[]): string[] =>
  findReferences(
    channels.flatMap(({ kind, address }) => [address, getWrittenSettings(stores, kind)]),
  );

/** `dispatch.{channel}` with its secrets and with the generated values; null if the channel is not set up. */
export async function loadChannelSettings(
  stores: Stores,
  generated: GeneratedSecrets,
  vault: SecretVault,
  kind: ChannelKind,
): Promise<JsonMap | null> {
  const written = getWrittenSettings(stores, kind);
  const secretValues = await vault.openAll(findReferences(written));
  const settings = completeConfig(kind, "settings", written, secretValues);
  if (!isMap(settings)) return null;
  const { generatedSecret: key } = CHANNELS[kind];
  if (key !== undefined && settings[key] === undefined)
    return { ...settings, [key]: await generated.getText(`${kind}.${key}`) };
  if (kind === "push")
    return { ...settings, vapid: (await generated.getVapidKeys()) as unknown as Json };
  return settings;
}

/** @param priority of the thread: quiet hours delay everything below urgent */
export async function findContacts(
  stores: Stores,
  generated: GeneratedSecrets,
  vault: SecretVault,
  { recipients, priority, isOffer }: ContactQuery,
  now: number,
): Promise<Contacts> {
  const selected: Recipient[] =
    recipients === "owners"
      ? listOwnerRecipients(stores)
      : recipients.map((executor) => toRecipient(stores, executor, false));
  const channels = selected.flatMap((one) => one.channels);
  const secretValues = await vault.openAll(listSecretNames(stores, channels));
  const settings = new Map<ChannelKind, JsonMap | null>();
  for (const kind of new Set(channels.map((one) => one.kind))) {
    settings.set(kind, await loadChannelSettings(stores, generated, vault, kind));
  }
  const members = recipients === "owners" ? [] : recipients;
  const bindings = await listTokenBindings(stores, vault, members);
  const routingContext = isOffer ? buildRoutingContext(stores, now) : undefined;
  const contacts = selected.map(({ executor, channels: ownChannels, breakerKey }): Contact => {
    const addresses = ownChannels.flatMap(({ kind, address }): ContactAddress[] => {
      const set = settings.get(kind);
      if (!set || stores.circuitBreakers.isGone(breakerKey, kind)) return [];
      const completeAddress =
        kind === "push"
          ? (stores.subscriptions.list(executor) as unknown as Json[])
          : completeConfig(kind, "address", address, secretValues);
      if (
        completeAddress === undefined ||
        (Array.isArray(completeAddress) && completeAddress.length === 0)
      )
        return [];
      return [{ channel: kind, address: completeAddress, settings: set }];
    });
    const channels = admitAndOrderByBreaker(stores, breakerKey, addresses, now);
    const membership = stores.members.getMembership(executor);
    const binding = bindings.get(executor);
    return {
      executor,
      membership,
      ...defined({ token_binding: binding }),
      ...channels,
      ...getNoticeDelay(executor),
      ...describeUnavailability(executor),
    };
  });
  return { contacts, names: listNames(stores) };

  function describeUnavailability(executor: string): Pick<Contact, "unavailableReason"> {
    const member = routingContext && stores.members.findExecutor(executor);
    const unavailableReason = member && getUnavailability(member, routingContext);
    return unavailableReason === undefined ? {} : { unavailableReason };
  }

  function getNoticeDelay(executor: string): Pick<Contact, "delay"> {
    const member = stores.members.findExecutor(executor);
    if (recipients === "owners" || priority === "urgent") return {};
    const snoozedUntil = stores.presence.getSnoozedUntil(executor, now);
    if (snoozedUntil !== undefined)
      return { delay: { until: snoozedUntil, reason: SNOOZED_REASON } };
    if (!member) return {};
    const delay = getQuietUntil(member, now, stores.settings.getZone());
    return delay ? { delay } : {};
  }
}

/**
 * Moves channels whose breaker is open to the end: their notices wait, so the others come first. Where the time of an
 * open breaker is over, it admits the one trial. A member with no other channel is tried when the first breaker closes.
 */
function admitAndOrderByBreaker(
  { circuitBreakers: breakers }: Stores,
  breakerKey: string,
  addresses: readonly ContactAddress[],
  now: number,
): Pick<Contact, "addresses" | "broken_until"> {
  const usable: ContactAddress[] = [];
  const broken: (ContactAddress & { broken_until: number })[] = [];
  for (const address of addresses) {
    const until = breakers.getOpenUntil(breakerKey, address.channel, now);
    if (until === undefined) usable.push(address);
    else broken.push({ ...address, broken_until: until });
  }
  for (const { channel } of usable) breakers.admit(breakerKey, channel, now);
  const first = Math.min(...broken.map(({ broken_until }) => broken_until));
  return {
    addresses: [...usable, ...broken],
    ...(usable.length === 0 && broken.length > 0 ? { broken_until: first } : {}),
  };
}

/** Display names of the members and of the agents in the pool, by id; without members that have none. */
export const listNames = (
  stores: Pick<Stores, "members" | "groupMembers">,
): Record<string, string> =>
  Object.fromEntries([
    ...listAgentNames(stores),
    ...stores.members
      .listExecutors()
      .flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const])),
  ]);
