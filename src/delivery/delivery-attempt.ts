/** One attempt by one channel. Whatever goes wrong in it is a failure of the attempt, never of the thread. */
import { sha256 } from "../auth/hash.ts";
import type { Principal } from "../auth/principal.ts";
import { configOf } from "../config.ts";
import type { ContactAddress } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import { within } from "../object/with-timeout.ts";
import type { Channel, Notice, Sender, Sent } from "../channels/channel.ts";
import { CHANNELS } from "../channels/registry.ts";
import { egressOf } from "../egress/egress-fetch.ts";

/** Seconds that an attempt takes at most, where its channel does not ask for more. */
const PATIENCE = 20;

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
export type PostReply = (sender: Principal, reply: DeliveryReply) => Promise<boolean>;

export interface Attempt {
  sent: Sent;
  /** The member's identity in the channel, where answers come in by it. */
  identity?: string;
}

const failed = (reason: string): Attempt => ({ sent: { ok: false, reason } });

/** Sends the notice, or edits the message that has the handle. Never rejects. */
export async function attempt(
  env: Env,
  { channel: kind, address: given, settings: set }: ContactAddress,
  notice: Notice,
  handle: string | null,
  postReply: PostReply,
): Promise<Attempt> {
  const channel: Channel | undefined = CHANNELS[kind];
  if (!channel) return failed("this exchange has no such channel");
  const settings = channel.settings.safeParse(set);
  const address = channel.address.safeParse(given);
  if (!settings.success || !address.success)
    return failed(
      `${settings.success ? "the address" : "the channel"} is not set up as it must be`,
    );
  const voice = new Voice(postReply, notice, kind);
  const { origin, loopback } = configOf(env);
  const sender: Sender<unknown> = {
    settings: settings.data,
    egress: egressOf({ loopback, origin }),
    now: Date.now(),
    env,
    say: (text) => voice.say(text),
  };
  try {
    const work =
      handle === null
        ? channel.send(sender, address.data, notice)
        : channel.update!(sender, address.data, handle, notice);
    const sent = await within((channel.carries.seconds ?? PATIENCE) * 1_000, work);
    const identity = channel.identity?.(address.data);
    if (sent.ok && sent.said !== undefined && !(await voice.say(sent.said)))
      return {
        sent: { ...sent, note: sent.note ?? "the thread did not take its answer" },
        ...(identity === undefined ? {} : { identity }),
      };
    return { sent, ...(identity === undefined ? {} : { identity }) };
  } catch (error) {
    if (error instanceof Error && error.message === "no answer in time")
      return failed("no answer in time");
    logDefect(error, { channel: kind });
    return failed("the channel could not be used");
  }
}

/** What a machine says while it is told something, in its name; each once, also where the notice is sent again. */
class Voice {
  readonly #postReply: PostReply;
  readonly #notice: Notice;
  readonly #channel: string;

  constructor(postReply: PostReply, notice: Notice, channel: string) {
    this.#postReply = postReply;
    this.#notice = notice;
    this.#channel = channel;
  }

  /** False where the thread refuses it. */
  async say(text: string): Promise<boolean> {
    const { id, household, executor, ref } = this.#notice;
    const principal: Principal = { household, actor: executor, role: "executor" };
    const key = `${id}:${await sha256(text)}`;
    return await this.#postReply(principal, { text, channel: this.#channel, key, target: ref });
  }
}
