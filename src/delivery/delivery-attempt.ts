/** One attempt by one channel. Whatever goes wrong in it is a failure of the attempt, never of the thread. */
import { sha256 } from "../auth/hash.ts";
import type { Principal } from "../auth/principal.ts";
import { getConfig } from "../config.ts";
import type { ContactAddress } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import { withTimeout } from "../object/with-timeout.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channels/channel.ts";
import { CHANNELS } from "../channels/registry.ts";
import { createEgress } from "../egress/egress-fetch.ts";

/** Seconds that an attempt takes at most, where its channel does not ask for more. */
const DEFAULT_TIMEOUT_SECONDS = 20;

/** A message that a machine sent as its reply to a delivery. */
export interface DeliveryReply {
  /** MESS in YAML or JSON. */
  text: string;
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
  /** The member's identity in the channel, where answers come in by it. */
  identity?: string;
}

const toFailedAttempt = (reason: string): AttemptResult => ({ result: { ok: false, reason } });

/** Sends the notice, or edits the message that has the handle. Never rejects. */
export async function attemptDelivery(
  env: Env,
  { channel: kind, address: given, settings: set }: ContactAddress,
  notice: Notice,
  handle: string | null,
  postReply: PostReply,
): Promise<AttemptResult> {
  const channel: Channel | undefined = CHANNELS[kind];
  if (!channel) return toFailedAttempt("this exchange has no such channel");
  const settings = channel.settings.safeParse(set);
  const address = channel.address.safeParse(given);
  if (!settings.success || !address.success)
    return toFailedAttempt(
      `${settings.success ? "the address" : "the channel"} is not set up as it must be`,
    );
  const replies = new MachineReplyPoster(postReply, notice, kind);
  const { origin, loopback } = getConfig(env);
  const context: SendContext<unknown> = {
    settings: settings.data,
    egress: createEgress({ loopback, origin }),
    now: Date.now(),
    env,
    postReply: (text) => replies.post(text),
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
        result: { ...result, note: result.note ?? "the thread did not take its answer" },
        ...(identity === undefined ? {} : { identity }),
      };
    return { result, ...(identity === undefined ? {} : { identity }) };
  } catch (error) {
    if (error instanceof Error && error.message === "no answer in time")
      return toFailedAttempt("no answer in time");
    logDefect(error, { channel: kind });
    return toFailedAttempt("the channel could not be used");
  }
}

/** What a machine says while it is told something, in its name; each once, also where the notice is sent again. */
class MachineReplyPoster {
  readonly #postReply: PostReply;
  readonly #notice: Notice;
  readonly #channel: string;

  constructor(postReply: PostReply, notice: Notice, channel: string) {
    this.#postReply = postReply;
    this.#notice = notice;
    this.#channel = channel;
  }

  /** False where the thread refuses it. */
  async post(text: string): Promise<boolean> {
    const { id, household, executor, ref } = this.#notice;
    const principal: Principal = { household, actor: executor, role: "executor" };
    const key = `${id}:${await sha256(text)}`;
    return await this.#postReply(principal, { text, channel: this.#channel, key, target: ref });
  }
}
