/** Polling: when a source is polled, what is stored with its messages, and what failures do. A scripted kind is polled. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as z from "zod";
import { hashSha256 } from "../../../src/auth/hash.ts";
import type { Json } from "../../../src/mess/json.ts";
import { SOURCE_KIND_REGISTRY } from "../../../src/source-kinds/registry.ts";
import type { PollOutcome, SourceKind } from "../../../src/source-kinds/source-kind.ts";
import { getHouseholdStub, getSourceStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";
import { createFreshHousehold, expectOkJson, type TestHousehold } from "../support.ts";
import { buildParsed } from "./support.ts";

const KIND = "feed";
const NAME = "news";
const START = Date.parse("2031-01-01T00:00:00Z");
const WAITING_MS = 60_000;
const IDLE_MS = 900_000;

type Poll = NonNullable<SourceKind["poll"]>;

const registry = SOURCE_KIND_REGISTRY as Record<string, SourceKind | undefined>;
const original = registry[KIND];
/** Households of the test. Feeds of other tests, whose jobs may run meanwhile, do not count. */
let polled: Set<string>;
/** The states that its polls got. */
let states: (Json | undefined)[];
let script: ((state: Json | undefined) => PollOutcome | Promise<PollOutcome>)[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  polled = new Set();
  states = [];
  script = [];
  const poll: Poll = async ({ household }, state) => {
    if (!polled.has(household)) return { ok: true, messages: [], state: state ?? null };
    states.push(state);
    const answer = script.shift();
    return answer ? await answer(state) : { ok: true, messages: [], state: state ?? null };
  };
  registry[KIND] = {
    settings: z.object({ url: z.string() }),
    secrets: [],
    explainCannotSend: () => "A feed cannot be answered.",
    pollIntervalMs: { waiting: WAITING_MS, idle: IDLE_MS },
    poll,
  };
});
afterEach(() => {
  registry[KIND] = original;
  vi.useRealTimers();
});

const getRpc = ({ id }: TestHousehold) => getSourceStub(env, id, NAME);
const configure = async ({ owner }: TestHousehold, url: string): Promise<void> => {
  const sources = { [NAME]: { kind: KIND, url } };
  await expectOkJson(await owner.postBlocks({ config: { sources } }));
};

/** A household with the source; its first poll has ended. */
async function createPolled(): Promise<TestHousehold> {
  const home = await createFreshHousehold();
  polled.add(home.id);
  await configure(home, "https://news.example/feed");
  await waitForPolls(1);
  await pass(home, 0);
  return home;
}

const waitForPolls = (count: number): Promise<void> =>
  vi.waitFor(() => expect(states.length).toBeGreaterThanOrEqual(count), { timeout: 5_000 });

/** Lets the time pass, then runs the object's alarm, which waits for a poll that runs. */
async function pass({ id }: TestHousehold, ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await runDurableObjectAlarm(env.SOURCES.getByName(`${id}/${NAME}`));
}

const list = async (home: TestHousehold) =>
  unwrap(await getRpc(home).messages.list({ limit: 100 })).messages;
const readStatus = async (home: TestHousehold) => unwrap(await getRpc(home).messages.status());

it("a source is polled when it is registered, and then at the interval for times when nobody waits", async () => {
  const home = await createPolled();

  await pass(home, IDLE_MS - 1_000);
  expect(states).toHaveLength(1);
  await pass(home, 1_000);

  expect(states).toHaveLength(2);
});

it("messages and the state of their kind are stored together, and the next poll gets the state", async () => {
  script = [() => ({ ok: true, messages: [buildParsed(1), buildParsed(2)], state: { last: 2 } })];
  const home = await createPolled();
  await vi.waitFor(async () => expect(await list(home)).toHaveLength(2));

  script = [() => ({ ok: true, messages: [buildParsed(2), buildParsed(3)], state: { last: 3 } })];
  await pass(home, IDLE_MS);
  await pass(home, IDLE_MS);

  expect(states).toEqual([undefined, { last: 2 }, { last: 3 }]);
  expect(await list(home)).toHaveLength(3);
});

it("while there are more messages the source is polled again at once", async () => {
  script = [1, 2, 3].map((n) => () => ({
    ok: true as const,
    messages: [buildParsed(n)],
    state: n,
    ...(n < 3 ? { more: true as const } : {}),
  }));
  const home = await createPolled();
  await waitForPolls(3);

  await vi.waitFor(async () => expect(await list(home)).toHaveLength(3));
  expect(states).toEqual([undefined, 1, 2]);
});

it("a source is polled often while somebody waits, and seldom again later", async () => {
  const home = await createPolled();
  await pass(home, 30_000);

  unwrap(
    await getRpc(home)
      .kind.hasten()
      .then(() => ({ ok: true as const, value: true })),
  );
  await pass(home, 29_000);
  expect(states).toHaveLength(1);
  await pass(home, 1_000);
  expect(states).toHaveLength(2);
  await pass(home, WAITING_MS);
  expect(states).toHaveLength(3);

  await pass(home, IDLE_MS);
  const polls = states.length;
  await pass(home, IDLE_MS - 1_000);
  expect(states).toHaveLength(polls);
});

it("a client that waits for a message hastens the next poll", async () => {
  const home = await createPolled();

  const response = await getRpc(home).fetch(
    new Request("https://source/new", { headers: { Upgrade: "websocket" } }),
  );
  response.webSocket!.accept();
  await pass(home, WAITING_MS);

  expect(states).toHaveLength(2);
  response.webSocket!.close();
});

it("a client that waits for a notice in the household hastens the polls of the sources that it may read, and of no others", async () => {
  const [home, other] = [await createPolled(), await createPolled()];
  const waitForNotice = async ({ id }: TestHousehold, paths: string[]): Promise<void> => {
    const rpc = getHouseholdStub(env, id);
    const key_hash = await hashSha256(crypto.randomUUID());
    const added = unwrap(
      await rpc.identity.addKey({ actor: "ann", role: "agent", key_hash, paths }),
    );
    const viewer = {
      household: id,
      actor: "ann",
      role: "agent",
      credential: `key:${added.id}`,
      paths,
    };
    const query = new URLSearchParams({ viewer: JSON.stringify(viewer), after: "0" });
    const { webSocket } = await rpc.fetch(
      new Request(`https://household/notices?${query.toString()}`, {
        headers: { Upgrade: "websocket" },
      }),
    );
    webSocket!.accept();
  };

  const readAwaited = ({ id }: TestHousehold): Promise<number> =>
    runInDurableObject(env.SOURCES.getByName(`${id}/${NAME}`), (_object, { storage }) =>
      Number(storage.sql.exec("SELECT awaited_until FROM poll").one()["awaited_until"]),
    );

  await waitForNotice(other, ["msg/mail"]);
  await waitForNotice(home, ["msg"]);
  await vi.waitFor(async () => expect(await readAwaited(home)).toBeGreaterThan(START));

  expect(await readAwaited(other)).toBe(0);
});

it("a failure is shown in the status, retried later each time, and cleared by a success", async () => {
  const fail = () => ({ ok: false as const, reason: "the server answered 500" });
  script = [fail, fail];
  const home = await createPolled();
  await vi.waitFor(async () =>
    expect(await readStatus(home)).toMatchObject({ problem: "the server answered 500" }),
  );

  await pass(home, 30_000);
  expect(states).toHaveLength(2);
  await pass(home, 30_000);
  expect(states).toHaveLength(2);
  await pass(home, 30_000);

  expect(states).toHaveLength(3);
  expect(await readStatus(home)).not.toHaveProperty("problem");
});

it("a provider that asks to wait is not polled before, not even while somebody waits", async () => {
  script = [() => ({ ok: false, reason: "too many requests", retryAfterSeconds: 3_000 })];
  const home = await createPolled();
  await vi.waitFor(async () => expect(await readStatus(home)).toHaveProperty("problem"));

  await getRpc(home).kind.hasten();
  await pass(home, 2_999_000);
  expect(states).toHaveLength(1);
  await pass(home, 1_000);

  expect(states).toHaveLength(2);
});

it("a permanent failure ends polling until the owner changes the settings", async () => {
  script = [() => ({ ok: false, reason: "the password is wrong", isPermanent: true })];
  const home = await createPolled();
  await vi.waitFor(async () =>
    expect(await readStatus(home)).toMatchObject({ problem: "the password is wrong" }),
  );

  await pass(home, 30 * 86_400_000);
  await getRpc(home).kind.hasten();
  await pass(home, IDLE_MS);
  expect(states).toHaveLength(1);

  await configure(home, "https://news.example/other");
  await waitForPolls(2);
  await vi.waitFor(async () => expect(await readStatus(home)).not.toHaveProperty("problem"));
});

it("a disconnected source is not polled, and a connected one is polled again at once", async () => {
  const home = await createPolled();
  const { sources, identity } = getHouseholdStub(env, home.id);
  const key_hash = "a".repeat(64);
  const { id } = unwrap(await identity.addKey({ actor: "olga", role: "owner", key_hash }));
  const olga = {
    household: home.id,
    actor: "olga",
    role: "owner" as const,
    credential: `key:${id}` as const,
  };

  unwrap(await sources.setStatus(olga, NAME, "disconnected"));
  await pass(home, IDLE_MS);
  expect(states).toHaveLength(1);
  unwrap(await sources.setStatus(olga, NAME, "connected"));

  await waitForPolls(2);
});

it("messages of settings that were changed during the poll are not stored", async () => {
  const home = await createPolled();
  script = [
    async () => {
      await configure(home, "https://news.example/other");
      return { ok: true, messages: [buildParsed(1)], state: "old" };
    },
  ];

  await pass(home, IDLE_MS);

  await waitForPolls(3);
  expect(states).not.toContain("old");
  expect(await list(home)).toEqual([]);
});

it("a kind that throws shows a failure without the text of its error, and is polled again", async () => {
  script = [
    () => {
      throw new Error("password=hunter2");
    },
  ];
  const home = await createPolled();

  await vi.waitFor(async () => expect(await readStatus(home)).toHaveProperty("problem"));
  expect(JSON.stringify(await readStatus(home))).not.toContain("hunter2");
  await pass(home, 30_000);
  expect(states).toHaveLength(2);
});
