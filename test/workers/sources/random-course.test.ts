/** Random courses of calls, compared with a model that keeps every message in one list. */
import { evictDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { MessageQuery, SourceMessagePage } from "../../../src/contracts/sources.ts";
import { MESSAGE_MARKS, TIERS, type Tier } from "../../../src/mess/sources/vocabulary.ts";
import { unwrap } from "../outcomes.ts";
import { buildIncoming, createSource, type TestSource } from "./support.ts";

interface ModelMessage {
  id: string;
  external: number;
  seen: boolean;
  flagged: boolean;
  archived: boolean;
  progress: "new" | "classified" | "drafted" | "sent";
  tier?: Tier;
  waiting: boolean;
}

const pick = fc.double({ min: 0, max: 0.999, noNaN: true });
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      call: fc.constant("receive" as const),
      externals: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      call: fc.constant("mark" as const),
      which: pick,
      mark: fc.constantFrom(...MESSAGE_MARKS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      call: fc.constant("classify" as const),
      which: pick,
      tier: fc.constantFrom(...TIERS),
      provisional: fc.boolean(),
    }),
  },
  fc.record({ call: fc.constant("draft" as const), which: pick }),
  fc.record({ call: fc.constant("discard" as const), which: pick }),
  fc.record({ call: fc.constant("send" as const), which: pick }),
  fc.record({ call: fc.constant("remove" as const), which: pick }),
  fc.record({ call: fc.constant("restart" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

const query = fc.record({
  limit: fc.integer({ min: 1, max: 3 }),
  tier: option(fc.constantFrom(...TIERS)),
  seen: option(fc.boolean()),
  flagged: option(fc.boolean()),
  unclassified: option(fc.boolean()),
  status: option(
    fc.constantFrom("new" as const, "classified" as const, "drafted" as const, "archived" as const),
  ),
});

class Course {
  readonly #source: TestSource;
  messages: ModelMessage[] = [];

  constructor(source: TestSource) {
    this.#source = source;
  }

  async run(one: Step): Promise<void> {
    if (one.call === "restart") {
      await evictDurableObject(this.#source.getObject());
      await this.#source.status();
    } else if (one.call === "receive") await this.#receive(one.externals);
    else {
      const message = this.messages[Math.floor(one.which * this.messages.length)];
      if (message) await this.#change(one, message);
    }
  }

  async #receive(externals: readonly number[]): Promise<void> {
    const ids = await this.#source.receive(...externals.map((n) => buildIncoming(n)));
    for (const [index, external] of externals.entries()) {
      const known = this.messages.find((message) => message.external === external);
      if (known) expect(ids[index]).toBe(known.id);
      else
        this.messages.push({
          id: ids[index]!,
          external,
          seen: false,
          flagged: false,
          archived: false,
          progress: "new",
          waiting: true,
        });
    }
  }

  async #change(
    one: Exclude<Step, { call: "restart" | "receive" }>,
    message: ModelMessage,
  ): Promise<void> {
    const { messages } = this.#source.rpc;
    const seq = Number.parseInt(message.id.slice(14), 36);
    switch (one.call) {
      case "mark":
        unwrap(await messages.mark(message.id, one.mark));
        if (one.mark === "seen" || one.mark === "archive") message.seen = true;
        if (one.mark === "unseen") message.seen = false;
        if (one.mark.endsWith("flag")) message.flagged = one.mark === "flag";
        if (one.mark.endsWith("archive")) message.archived = one.mark === "archive";
        break;
      case "classify": {
        const { tier, provisional } = one;
        await this.#source.changeInside(({ changes }) =>
          changes.classify(seq, {
            tier,
            reason: "because",
            urgency: 1,
            by: "classifier",
            ...(provisional ? { provisional } : {}),
          }),
        );
        Object.assign(message, { tier, waiting: provisional });
        if (message.progress === "new") message.progress = "classified";
        break;
      }
      case "draft":
        await this.#source.changeInside(({ changes }) => changes.addDraft(seq, "d_one"));
        if (message.progress !== "sent") message.progress = "drafted";
        break;
      case "discard":
        await this.#source.changeInside(({ changes }) => changes.replaceDraft(seq, undefined));
        if (message.progress === "drafted") message.progress = message.tier ? "classified" : "new";
        break;
      case "send":
        await this.#source.changeInside(({ changes }) => changes.setSent(seq));
        message.progress = "sent";
        break;
      case "remove":
        unwrap(await messages.remove(message.id));
        this.messages = this.messages.filter((other) => other !== message);
        break;
    }
  }

  select(filter: Omit<MessageQuery, "limit">): string[] {
    return this.messages
      .filter(
        ({ tier, seen, flagged, waiting, archived, progress }) =>
          (filter.tier === undefined || filter.tier === tier) &&
          (filter.seen === undefined || filter.seen === seen) &&
          (filter.flagged === undefined || filter.flagged === flagged) &&
          (filter.unclassified === undefined || filter.unclassified === waiting) &&
          (filter.status === undefined || filter.status === (archived ? "archived" : progress)),
      )
      .map(({ id }) => id)
      .toReversed();
  }
}

async function readPages(source: TestSource, given: MessageQuery): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page: SourceMessagePage = unwrap(
      await source.rpc.messages.list({ ...given, ...(cursor ? { cursor } : {}) }),
    );
    expect(page.messages.length).toBeLessThanOrEqual(given.limit);
    ids.push(...page.messages.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}

it("after any course of changes, pages, filters and counters agree with a list of all messages", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      async (steps, queries) => {
        const source = await createSource();
        const course = new Course(source);

        for (const one of steps) await course.run(one);

        for (const { limit, ...filter } of queries) {
          const given = Object.fromEntries(
            Object.entries(filter).filter(([, value]) => value !== undefined),
          ) as Omit<MessageQuery, "limit">;
          expect(await readPages(source, { ...given, limit })).toEqual(course.select(given));
        }
        expect(await source.status()).toMatchObject({
          messages: course.messages.length,
          unseen: course.select({ seen: false }).length,
          unclassified: course.select({ unclassified: true }).length,
        });
      },
    ),
    { numRuns: 40 },
  );
}, 60_000);
