/**
 * The chats in which the taps of an owner approve drafts. API keys set channels up and can know their secrets, so a tap
 * counts only in a chat that its owner has confirmed in a verified session, and until a key changes the channel.
 */
import type { ChannelKind } from "../../channels/channel.ts";
import type { ApprovalChat } from "../../contracts/contacts.ts";
import type { ConfigChange } from "../../mess/config/config.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { findReferences } from "../secrets/secret-references.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";
import type { NewSecret } from "../secrets/secrets.ts";
import { listConfigPlaces } from "../settings/config-sections.ts";
import type { Stores } from "../stores.ts";
import { listInboundAddresses } from "./inbound-addresses.ts";

/** Channels whose services sign each tap. Anybody can send a text message or mail in another's name. */
const APPROVAL_CHANNELS = ["telegram", "slack"] as const satisfies readonly ChannelKind[];

interface Chat {
  channel: ChannelKind;
  /** The address in the normalized form of the channel. */
  identity: string;
  /** The owner whose address it is. */
  actor: string;
}

export class ApprovalChats {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  confirm({ channel, identity, actor }: Chat, now: number): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO approval_chats (channel, identity, actor, confirmed) VALUES (?, ?, ?, ?)",
      channel,
      identity,
      actor,
      now,
    );
  }

  isConfirmed({ channel, identity, actor }: Chat): boolean {
    const found = this.#sql.exec(
      "SELECT 1 FROM approval_chats WHERE channel = ? AND identity = ? AND actor = ?",
      channel,
      identity,
      actor,
    );
    return found.toArray().length > 0;
  }

  remove({ channel, identity, actor }: Chat): void {
    this.#sql.exec(
      "DELETE FROM approval_chats WHERE channel = ? AND identity = ? AND actor = ?",
      channel,
      identity,
      actor,
    );
  }

  removeChannel(channel: ChannelKind): void {
    this.#sql.exec("DELETE FROM approval_chats WHERE channel = ?", channel);
  }

  removeActor(actor: string): void {
    this.#sql.exec("DELETE FROM approval_chats WHERE actor = ?", actor);
  }
}

/** The owner's own addresses, and those of `dispatch.alerts` if they are alerted there. */
export async function listApprovalChats(
  stores: Stores,
  vault: SecretVault,
  actor: string,
): Promise<ApprovalChat[]> {
  const found = await Promise.all(
    APPROVAL_CHANNELS.map(async (channel) => {
      const addresses = await listInboundAddresses(stores, vault, channel);
      const own = addresses.filter((one) => one.actor === actor).map(({ identity }) => identity);
      return [...new Set(own)].map((identity) => ({
        channel,
        address: identity,
        confirmed: stores.approvalChats.isConfirmed({ channel, identity, actor }),
      }));
    }),
  );
  return found.flat();
}

/** The parts of the stored configuration other than the settings of the channel, by place. */
const listOtherPlaces = (stores: Stores, channel: ChannelKind): [place: string, written: Json][] =>
  listConfigPlaces(stores).filter(([place]) => place !== `dispatch.${channel}`);

/**
 * A refusal while a key may have prepared a way to forge taps: the channel's secrets are used elsewhere, where a receiver
 * could learn them, or the secret that Telegram sends is known outside the household.
 */
export function checkConfirmable(stores: Stores, channel: ChannelKind): Outcome<true> {
  const { [channel]: settings } = stores.settings.getDispatch();
  const own = findReferences(settings);
  const places = listOtherPlaces(stores, channel)
    .filter(([, written]) => findReferences(written).some((name) => own.includes(name)))
    .map(([place]) => place);
  const path = `dispatch.${channel}`;
  if (places.length > 0)
    return refuse(
      "bad_field",
      `secrets of ${path} are used by ${places.join(", ")}, too`,
      "Remove them there, and set new secrets for the channel. Then confirm the chat.",
      { path, valid: places },
    );
  const written = channel === "telegram" && isMap(settings) ? settings : {};
  for (const key of ["webhook_secret", "api"])
    if (written[key] !== undefined)
      return refuse(
        "bad_field",
        `${path}.${key} is set, so that others than Telegram may know the secret that verifies taps`,
        `Configure ${path} without ${key}: the household then makes the secret. Call POST /api/v1/channels/telegram/register, and confirm the chat.`,
        { path: `${path}.${key}` },
      );
  return ok(true as const);
}

/** A change of the configuration. */
interface WrittenChange {
  change: ConfigChange;
  /** Values that it wrote in plain text. */
  secrets: readonly NewSecret[];
}

/**
 * Ends the confirmations of channels that the change concerns: it writes other settings or secrets of the channel, or
 * uses its secrets elsewhere, where a receiver could learn them. Call it before the change is stored.
 */
export function endChangedConfirmations(stores: Stores, { change, secrets }: WrittenChange): void {
  const before = stores.settings.getDispatch();
  // Every part counts, so that none that is added later can be forgotten.
  const { dispatch = {}, ...parts } = change;
  const changedSecrets = secrets
    .filter(({ name, fingerprint }) => stores.secrets.getInfo(name)?.fingerprint !== fingerprint)
    .map(({ name }) => name);
  for (const channel of APPROVAL_CHANNELS) {
    const { [channel]: written = before[channel], ...others } = dispatch;
    const own = findReferences([before[channel] ?? null, written ?? null]);
    const stored = listOtherPlaces(stores, channel).map(([, one]) => one);
    const elsewhere = findReferences([others, parts as unknown as Json, ...stored]);
    const isChanged =
      JSON.stringify(written) !== JSON.stringify(before[channel]) ||
      own.some((name) => changedSecrets.includes(name) || elsewhere.includes(name));
    if (isChanged) stores.approvalChats.removeChannel(channel);
    // A service at another address was given the generated secret when the webhook was registered there.
    if (getApi(written) !== getApi(before[channel])) stores.secrets.removeGenerated(`${channel}.`);
  }
}

const getApi = (settings: Json | undefined): Json | undefined =>
  isMap(settings) ? settings["api"] : undefined;

/** Ends the confirmations of channels that use the secret. Call it when the secret is set. */
export function endConfirmationsOfSecret({ settings, approvalChats }: Stores, name: string): void {
  const dispatch = settings.getDispatch();
  for (const channel of APPROVAL_CHANNELS)
    if (findReferences(dispatch[channel]).includes(name)) approvalChats.removeChannel(channel);
}
