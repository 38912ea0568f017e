/**
 * A member of groups in a simulation. Like a correct client it repeats a call until it is answered, with the same key
 * where the call has one.
 */
import type { Principal } from "../../../../src/auth/principal.ts";
import type { NewGroupMessage, SentGroupMessage } from "../../../../src/contracts/groups.ts";
import type { Outcome } from "../../../../src/mess/errors.ts";
import {
  markGroupMessages,
  readGroupMessages,
  sendGroupMessage,
} from "../../../../src/exchange/group-calls/group-messages.ts";
import { waitForGroupMessages } from "../../../../src/exchange/group-calls/wait-for-messages.ts";
import type { GroupMessage } from "../../../../src/contracts/groups.ts";
import { createSeededRandom, type Random } from "../../../support/generators/random.ts";
import { isFault } from "../fault-injection.ts";
import type { Stream, World } from "./world.ts";

const MAX_ATTEMPTS = 8;
/** Refusals that the course of a simulation explains; any other is a violation. */
const EXPECTED_REFUSALS: readonly string[] = [
  "group_closed",
  "nobody_available",
  // A group's object may not know a new member, or an agent may have been taken back, until the next alarm.
  "not_found",
  "unknown_member",
  "wrong_role",
  "handoff_pending",
];

export class SimulatedMember {
  readonly name: string;
  readonly principal: Principal;
  readonly world: World;
  readonly random: Random;
  /** All ids that it has had. */
  readonly ids = new Set<string>();
  #streams = new Map<string, Stream>();
  #keyCount = 0;

  constructor(world: World, name: string, principal: Principal, seed: number) {
    this.world = world;
    this.name = name;
    this.principal = principal;
    this.random = createSeededRandom(seed);
  }

  chance(share: number): boolean {
    return this.random.next() < share;
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.random.pickBetween(0, list.length - 1)];
  }

  /** A text that no other call has. */
  buildKey = (): string => `${this.name}-${++this.#keyCount}`;

  /** Forgets everything but its name and its key. */
  loseContext(): void {
    this.#streams = new Map();
  }

  /** @returns undefined for a refusal, and where no attempt was answered */
  async call<T>(what: string, work: () => Promise<Outcome<T>>): Promise<T | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      this.world.callCount++;
      try {
        const outcome = await work();
        if (outcome.ok) return outcome.value;
        if (!EXPECTED_REFUSALS.includes(outcome.error.code))
          this.#violate(`${what} was refused: ${JSON.stringify(outcome.error)}`);
        return undefined;
      } catch (error) {
        if (!isFault(error)) this.#violate(`${what} threw ${String(error)}`);
      }
    }
    return undefined;
  }

  #violate(what: string): void {
    this.world.violations.push(`${this.name}: ${what}`);
  }

  async send(
    group: string,
    my_id: string,
    message: Omit<NewGroupMessage, "key">,
  ): Promise<SentGroupMessage | undefined> {
    const key = this.buildKey();
    const content = `${message.content} [${key}]`;
    const send = () =>
      this.call("send", () =>
        sendGroupMessage(
          this.world.env,
          this.principal,
          { group_id: group, my_id },
          { ...message, content, key },
        ),
      );
    const sent = await send();
    if (!sent) return undefined;
    this.world.sent.push({ group, id: sent.id, content });
    if (this.chance(0.1)) {
      const again = await send();
      if (again && again.id !== sent.id)
        this.#violate(`${key} was stored as ${sent.id}, and again as ${again.id}`);
    }
    return sent;
  }

  /** The messages since its last call, by a cursor that it remembers. */
  async receive(group: string, my_id: string): Promise<GroupMessage[]> {
    const stream = this.#openStream(group);
    const received: GroupMessage[] = [];
    for (let more = true; more;) {
      const { cursor } = stream;
      const wait = () =>
        this.call("wait", () =>
          waitForGroupMessages(
            this.world.env,
            this.principal,
            { group_id: group, my_id },
            cursor,
            0,
          ),
        );
      const page = await wait();
      if (!page) return received;
      if (this.chance(0.1)) await this.#checkRepeated(page.messages, wait);
      this.world.recordShown(this.name, this.ids, page.messages);
      stream.messages.push(...page.messages.map(({ id }) => id));
      stream.cursor = page.cursor;
      received.push(...page.messages);
      ({ more } = page);
    }
    return received;
  }

  /** The same cursor returns the same messages first. */
  async #checkRepeated(
    first: readonly GroupMessage[],
    wait: () => Promise<{ messages: GroupMessage[] } | undefined>,
  ): Promise<void> {
    const again = await wait();
    const ids = again?.messages
      .slice(0, first.length)
      .map(({ id }) => id)
      .join();
    if (again && ids !== first.map(({ id }) => id).join())
      this.#violate("the same cursor returned other messages");
  }

  #openStream(group: string): Stream {
    let stream = this.#streams.get(group);
    if (!stream) {
      stream = { member: this.name, group, ids: this.ids, cursor: "0", messages: [] };
      this.#streams.set(group, stream);
      this.world.streams.push(stream);
    }
    return stream;
  }

  /** Reads or marks some messages, which must not change what it receives. */
  async readSome(group: string, my_id: string): Promise<void> {
    const { env } = this.world;
    const ids = { group_id: group, my_id };
    const limit = this.random.pickBetween(1, 5);
    if (this.chance(0.2)) {
      await this.call("mark", () => markGroupMessages(env, this.principal, ids, {}));
      return;
    }
    const query = { limit, unread_only: this.chance(0.7), peek: this.chance(0.3) };
    const page = await this.call("read", () => readGroupMessages(env, this.principal, ids, query));
    if (page) this.world.recordShown(this.name, this.ids, page.messages);
  }

  /** Tries to read a channel between others. */
  async intrude(group: string, my_id: string, between: readonly [string, string]): Promise<void> {
    const { env } = this.world;
    const [other] = between;
    const tries = [
      () => readGroupMessages(env, this.principal, { group_id: group, my_id }, { between }),
      () => readGroupMessages(env, this.principal, { group_id: group, my_id }, { all: true }),
      () => readGroupMessages(env, this.principal, { group_id: group, my_id: other }, {}),
    ];
    for (const work of tries)
      if (await this.call("intrusion", work)) this.#violate("read a channel of others");
  }
}
