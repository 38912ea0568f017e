/** RPC surface of the household for secrets, push subscriptions and presence. Types only. */
import type { PushSubscription } from "../channels/push/config.ts";
import type { Outcome } from "../mess/errors.ts";

/** A secret as owners see it, without its value. */
export interface SecretInfo {
  name: string;
  /** Equal for equal values of the same name. */
  fingerprint: string;
  created: string;
  updated: string;
  /** The secret was sealed with another MESS_SECRET and must be set again. */
  unreadable?: true;
}

export interface VapidKeys {
  /** Uncompressed point, base64url: the `applicationServerKey` of browsers. */
  publicKey: string;
  privateKey: JsonWebKey;
}

export interface Presence {
  actor: string;
  state: "here" | "away";
  /** ISO 8601 time in the household's zone; after it the member counts as here. */
  until?: string;
}

export interface ChannelSetupRpc {
  putSecret(name: string, value: string): Promise<Outcome<SecretInfo>>;
  listSecrets(): Promise<SecretInfo[]>;
  removeSecret(name: string): Promise<Outcome<true>>;

  /**
   * Adds a push subscription of a member's browser.
   * @param session the browser's session; the subscription ends with it
   */
  subscribe(
    actor: string,
    subscription: PushSubscription,
    session?: string,
  ): Promise<Outcome<true>>;
  unsubscribe(actor: string, endpoint: string): Promise<Outcome<true>>;
  listSubscriptions(actor: string): Promise<PushSubscription[]>;
  /** Returns the household's key pair for push services; creates it at the first call. */
  getVapidKeys(): Promise<Outcome<VapidKeys>>;

  /** Sets the presence. `until`: ISO 8601 (default zone: the household's) or a duration from now. */
  setPresence(actor: string, state: Presence["state"], until?: string): Promise<Outcome<Presence>>;
  listPresence(): Promise<Presence[]>;
}
