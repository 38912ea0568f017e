/** Random courses of calls and restarts, compared with a model that keeps every message in one list. */
import { evictDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { GroupMessage, PendingSummary } from "../../../src/contracts/groups.ts";
import { GROUP_MESSAGE_TYPES, type GroupMessageType } from "../../../src/mess/groups/vocabulary.ts";
import { buildId, createGroup, getContents, type Name, TestGroup } from "./support.ts";

const NAMES = ["boss", "deputy", "indy"] as const satisfies readonly Name[];
type Member = (typeof NAMES)[number];

interface ModelMessage {
  seq: number;
  id: string;
  at: string;
  from: Member;
  to: Member;
  type: GroupMessageType;
  read: boolean;
  needsAck: boolean;
}

const member = fc.constantFrom(...NAMES);
const other = fc.option(member, { nil: undefined });
const limit = fc.integer({ min: 1, max: 4 });
/** Chooses one of the messages so far. */
const pick = fc.double({ min: 0, max: 0.999, noNaN: true });

const call = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      call: fc.constant("send" as const),
      from: member,
      to: member,
      type: fc.constantFrom(...GROUP_MESSAGE_TYPES),
      needsAck: fc.boolean(),
      replyTo: fc.option(pick, { nil: undefined }),
    }),
  },
  fc.record({
    call: fc.constant("readUnread" as const),
    who: member,
    other,
    limit,
    peek: fc.boolean(),
  }),
  fc.record({ call: fc.constant("readHistory" as const), who: member, other, limit, before: pick }),
  fc.record({ call: fc.constant("markOne" as const), who: member, message: pick }),
  fc.record({ call: fc.constant("markOthers" as const), who: member, other }),
  fc.record({ call: fc.constant("receive" as const), who: member }),
  fc.record({ call: fc.constant("receiveOnward" as const), who: member }),
);
type Step = (typeof call extends fc.Arbitrary<infer Each> ? Each : never) | { call: "restart" };

class Course {
  readonly #group: TestGroup;
  readonly #messages: ModelMessage[] = [];
  readonly #cursors = new Map<Member, number>();
  readonly #received = new Map<Member, Set<number>>();

  constructor(group: TestGroup) {
    this.#group = group;
  }

  async run(each: Step): Promise<void> {
    const group = this.#group;
    switch (each.call) {
      case "send":
        return await this.#send(each);
      case "readUnread": {
        const expected = this.#listUnread(each.who, each.other).slice(0, each.limit);
        const page = await group.read(each.who, {
          unread_only: true,
          limit: each.limit,
          peek: each.peek,
          ...this.#name(each.other),
        });
        expect(toSeqs(page)).toEqual(toSeqs({ messages: expected }));
        if (!each.peek) for (const message of expected) message.read = true;
        return;
      }
      case "readHistory": {
        const before = Math.floor(each.before * (this.#messages.length + 1)) + 1;
        const channel = this.#messages.filter(
          ({ from, to, seq }) =>
            (from === each.who || to === each.who) &&
            (each.other === undefined || from === each.other || to === each.other) &&
            seq < before,
        );
        if (each.other === each.who) return;
        const expected = channel.toReversed().slice(0, each.limit);
        const page = await group.read(each.who, {
          limit: each.limit,
          before,
          ...this.#name(each.other),
        });
        expect(toSeqs(page)).toEqual(toSeqs({ messages: expected }));
        expect(page.more).toBe(channel.length > each.limit);
        for (const message of expected) if (message.to === each.who) message.read = true;
        return;
      }
      case "markOne": {
        const message = this.#pick(each.message);
        if (message?.to !== each.who) return;
        await group.mark(each.who, { message: message.id });
        message.read = true;
        message.needsAck = false;
        return;
      }
      case "markOthers": {
        const unread = this.#listUnread(each.who, each.other);
        if (each.other === each.who) return;
        const { marked } = await group.mark(each.who, this.#name(each.other));
        expect(marked).toBe(unread.length);
        for (const message of unread) message.read = true;
        return;
      }
      case "receive": {
        const cursor = this.#cursors.get(each.who) ?? 0;
        const expected = this.#messages.filter(({ to, seq }) => to === each.who && seq > cursor);
        const first = await group.receive(each.who, cursor);
        expect(toSeqs(first)).toEqual(toSeqs({ messages: expected }));
        expect(await group.receive(each.who, cursor)).toEqual(first);
        this.#cursors.set(each.who, first.cursor);
        return;
      }
      case "receiveOnward":
        return await this.#receiveOnward(each.who);
      case "restart":
        await evictDurableObject(group.getObject());
    }
  }

  async #send({
    from,
    to,
    type,
    needsAck,
    replyTo,
  }: Extract<Step, { call: "send" }>): Promise<void> {
    if (from === to) return;
    const replied = replyTo === undefined ? undefined : this.#pick(replyTo);
    const isOfChannel =
      replied && [replied.from, replied.to].every((one) => one === from || one === to);
    const seq = this.#messages.length + 1;
    const sent = await this.#group.send(from, to, {
      content: `${seq}`,
      type,
      needs_ack: needsAck,
      ...(isOfChannel ? { reply_to: replied.id } : {}),
    });
    expect(sent.seq).toBe(seq);
    if (isOfChannel && replied.to === from) replied.needsAck = false;
    this.#messages.push({ seq, id: sent.id, at: sent.at, from, to, type, read: false, needsAck });
  }

  /** Without a cursor, every message is received once, in order, unless it was read before. */
  async #receiveOnward(who: Member): Promise<void> {
    const received = this.#received.get(who) ?? new Set();
    const last = Math.max(0, ...received);
    const expected = this.#messages.filter(
      ({ to, seq, read }) => to === who && seq > last && !read,
    );
    const page = await this.#group.receive(who);
    expect(toSeqs(page)).toEqual(toSeqs({ messages: expected }));
    for (const { seq } of page.messages) received.add(seq);
    this.#received.set(who, received);
  }

  /** Every member's counters are those of a recount. */
  async check(): Promise<void> {
    for (const who of NAMES) expect(await this.#group.pending(who)).toEqual(this.#recount(who));
  }

  /** In the end, each message is stored once, as it was sent. */
  async checkAll(): Promise<void> {
    const stored = (await this.#group.listAll()).map(({ seq, id, content }) => [seq, id, content]);
    expect(stored).toEqual(this.#messages.map(({ seq, id }) => [seq, id, `${seq}`]));
    for (const who of NAMES) {
      const unread = await this.#group.read(who, { unread_only: true, limit: 50 });
      expect(getContents(unread)).toEqual(
        this.#listUnread(who, undefined).map(({ seq }) => `${seq}`),
      );
    }
  }

  #recount(who: Member): PendingSummary {
    const unread = this.#listUnread(who, undefined);
    const bySender = Map.groupBy(unread, ({ from }) => from);
    return {
      by_sender: Object.fromEntries(
        [...bySender].map(([from, messages]) => [
          buildId(from),
          {
            name: from,
            count: messages.length,
            types: Object.fromEntries(
              [...Map.groupBy(messages, ({ type }) => type)].map(([type, some]) => [
                type,
                some.length,
              ]),
            ),
            latest: messages.at(-1)!.at,
          },
        ]),
      ),
      total_pending: unread.length,
      needs_ack: this.#messages.filter(({ to, needsAck }) => to === who && needsAck).length,
    };
  }

  #listUnread(who: Member, from: Member | undefined): ModelMessage[] {
    return this.#messages.filter(
      (message) =>
        message.to === who && !message.read && (from === undefined || message.from === from),
    );
  }

  #pick(share: number): ModelMessage | undefined {
    return this.#messages[Math.floor(share * this.#messages.length)];
  }

  #name = (name: Member | undefined): { other?: string } =>
    name === undefined ? {} : { other: buildId(name) };
}

const toSeqs = ({ messages }: { messages: readonly Pick<GroupMessage, "seq">[] }): number[] =>
  messages.map(({ seq }) => seq);

const runCourses = (each: fc.Arbitrary<Step>, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(each, { minLength: 10, maxLength: 60, size: "max" }),
      async (steps) => {
        const course = new Course(await createGroup());
        for (const one of steps) {
          await course.run(one);
          await course.check();
        }
        await course.checkAll();
      },
    ),
    { numRuns },
  );

it("in any course of calls, nothing is lost or repeated, and counters equal a recount", async () => {
  await runCourses(call, 15);
});

it("in any course of calls and restarts, nothing is lost or repeated, and counters equal a recount", async () => {
  // A restart takes long, since it waits for the object.
  await runCourses(
    fc.oneof({ weight: 9, arbitrary: call }, fc.record({ call: fc.constant("restart" as const) })),
    3,
  );
});
