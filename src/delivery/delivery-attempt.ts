/** One attempt to send a notice by one channel. A failure fails the attempt, never the thread. */
import { defined } from "../mess/defined.ts";
import { hashSha256 } from "../auth/hash.ts";
import type { Principal } from "../auth/principal.ts";
import { getConfig } from "../config.ts";
import type { ContactAddress } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import { TIMEOUT_MESSAGE, withTimeout } from "../object/with-timeout.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channels/channel.ts";
import { CHANNELS } from "../channels/registry.ts";
import { toCanonicalJson } from "../mess/json.ts";
import type { MessageInput } from "../mess/wire/schema.ts";
import { createEgress } from "../egress/egress-fetch.ts";

/** Limit of one attempt, unless the channel declares a longer one. */
const DEFAULT_TIMEOUT_SECONDS = 20;

/** A message that a machine sent as its reply to a delivery. */
export interface DeliveryReply {
  messages: readonly MessageInput[];
  channel: string;
  /** The idempotency key: a reply that arrives again is stored once. */
  key: string;
  /** The ref of the thread. */
  target: string;
}

/** Posts a machine's reply as a message of its member; resolves with false where the exchange refuses it. */
export type PostReply = (context: Principal, reply: DeliveryReply) => Promise<boolean>;

export interface AttemptResult {
  result: SendResult;
  /** The member's identity in the channel, for channels in which members reply. */
  identity?: string;
}

const toFailedAttempt = (reason: string): AttemptResult => ({ result: { ok: false, reason } });

/** Sends the notice, or edits the earlier message with this handle. Never rejects. */
export async function attemptDelivery(
  env: Env,
  { channel: kind, address: channelAddress, settings: set }: ContactAddress,
  notice: Notice,
  handle: string | null,
  postReply: PostReply,
): Promise<AttemptResult> {
  const channel: Channel | undefined = CHANNELS[kind];
  if (!channel) return toFailedAttempt("this exchange does not offer the channel");
  const settings = channel.settings.safeParse(set);
  const address = channel.address.safeParse(channelAddress);
  if (!settings.success || !address.success)
    return toFailedAttempt(
      `the configuration of ${settings.success ? "the address" : "the channel"} is not valid`,
    );
  const replies = new MachineReplyPoster(postReply, notice, kind);
  const { origin, loopback } = getConfig(env);
  const context: SendContext<unknown> = {
    settings: settings.data,
    egress: createEgress({ loopback, origin }),
    now: Date.now(),
    env,
    postReply: (messages) => replies.post(messages),
  };
  try {
    const work =
      handle === null
        ? channel.send(context, address.data, notice)
        : channel.update!(context, address.data, handle, notice);
    const result = await withTimeout(
      (channel.features.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
      work,
    );
    const identity = channel.identity?.(address.data);
    if (result.ok && result.reply !== undefined && !(await replies.post(result.reply)))
      return {
        result: { ...result, note: result.note ?? "the thread refused its reply" },
        ...defined({ identity }),
      };
    return { result, ...defined({ identity }) };
  } catch (error) {
    if (error instanceof Error && error.message === TIMEOUT_MESSAGE)
      return toFailedAttempt(TIMEOUT_MESSAGE);
    logDefect(error, { channel: kind });
    return toFailedAttempt("the channel failed unexpectedly");
  }
}

/** Posts what a machine replies to a notice, in its name. The key makes a repeated notice store a reply once. */
class MachineReplyPoster {
  readonly #postReply: PostReply;
  readonly #notice: Notice;
  readonly #channel: string;

  constructor(postReply: PostReply, notice: Notice, channel: string) {
    this.#postReply = postReply;
    this.#notice = notice;
    this.#channel = channel;
  }

  /** Resolves with false where the thread refuses the reply. */
  async post(messages: readonly MessageInput[]): Promise<boolean> {
    const { id, household, executor, ref } = this.#notice;
    const principal: Principal = { household, actor: executor, role: "executor" };
    const key = `${id}:${await hashSha256(toCanonicalJson(messages))}`;
    return await this.#postReply(principal, { messages, channel: this.#channel, key, target: ref });
  }
}
