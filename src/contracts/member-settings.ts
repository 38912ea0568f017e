/** The part of the household's RPC surface by which its owners set up how members are reached. Types only. */
import type { PushSubscription } from "../channels/schemas.ts";
import type { Outcome } from "../mess/errors.ts";

/** A secret as its owner sees it: never its value. */
export interface SecretInfo {
  name: string;
  /** Equal for equal values under one name. */
  fingerprint: string;
  created: string;
  updated: string;
  /** It was sealed under another MESS_SECRET, and is as good as not set. */
  unreadable?: true;
}

export interface VapidKeys {
  /** Uncompressed point, base64url: what a browser subscribes with. */
  publicKey: string;
  privateKey: JsonWebKey;
}

export interface Presence {
  actor: string;
  state: "here" | "away";
  /** ISO 8601 in the household's zone; after it the member counts as here. */
  until?: string;
}

export interface ChannelSetupRpc {
  putSecret(name: string, value: string): Promise<Outcome<SecretInfo>>;
  listSecrets(): Promise<SecretInfo[]>;
  removeSecret(name: string): Promise<Outcome<true>>;

  /** A browser of the member takes push messages from now on. */
  /** @param session of the browser, with whose end the subscription ends */
  subscribe(
    actor: string,
    subscription: PushSubscription,
    session?: string,
  ): Promise<Outcome<true>>;
  unsubscribe(actor: string, endpoint: string): Promise<Outcome<true>>;
  listSubscriptions(actor: string): Promise<PushSubscription[]>;
  /** The household's key pair for push services, made when it is first asked for. */
  getVapidKeys(): Promise<Outcome<VapidKeys>>;

  /** @param until ISO 8601, in the household's zone where it has none, or a duration from now on */
  setPresence(actor: string, state: Presence["state"], until?: string): Promise<Outcome<Presence>>;
  listPresence(): Promise<Presence[]>;
}
