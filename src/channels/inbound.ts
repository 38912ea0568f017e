/**
 * Channels whose services report members' messages and taps by webhook. A request is verified on its raw bytes before it
 * is parsed. Both happen in the household, which has the secret, so that an event costs one call to it.
 */
import type { JsonMap } from "../mess/json.ts";
import type { InboundEvent } from "./chat-event.ts";
import { readSlackRequest } from "./slack/receive-request.ts";
import { readTwilioRequest } from "./sms/receive-request.ts";
import { readTelegramRequest } from "./telegram/receive-request.ts";

/** A request as it arrived, not verified. */
export interface InboundRequest {
  /** The address as the service knows it, with its query. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** A verified request. */
export interface VerifiedRequest<Event> {
  readonly event: Event;
  /** A member's message in the event. */
  readonly message?: InboundMessage;
  /** The event answers no request, and is kept in the household's source of the channel if it has one. */
  readonly isForSource?: true;
}

/** An event whose files were not fetched from the channel yet. */
export type InboundMessage = Omit<InboundEvent, "files"> & { readonly files: readonly unknown[] };

/**
 * Verifies and parses a request; undefined if it is not authentic.
 * @param settings `dispatch.{channel}` with its secrets; null if the household does not have the channel, which must take
 * as long to refuse as a wrong signature
 * @param now milliseconds since 1970
 */
export type ReadRequest<Event> = (
  settings: JsonMap | null,
  request: InboundRequest,
  household: string,
  now: number,
) => Promise<VerifiedRequest<Event> | undefined>;

export const REQUEST_READERS = {
  telegram: readTelegramRequest,
  slack: readSlackRequest,
  sms: readTwilioRequest,
} as const;

export type WebhookChannel = keyof typeof REQUEST_READERS;

/** The event of a channel's request. */
export type WebhookEvent<Kind extends WebhookChannel> =
  (typeof REQUEST_READERS)[Kind] extends ReadRequest<infer Event> ? Event : never;
