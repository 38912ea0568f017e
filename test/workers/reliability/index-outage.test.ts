import { getHouseholdStub, getThreadStub } from "../../../src/stubs.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { listThreads, postMessages } from "../../../src/exchange/exchange.ts";
import { toCanonicalJson } from "../../../src/mess/json.ts";
import { upsertThread } from "../../../src/partitions/upsert.ts";
import { type Random, createSeededRandom } from "../../support/generators/random.ts";
import { buildCreation } from "../thread/support.ts";
import { expectOkJson } from "../support.ts";
import { prepare, getThreadObject } from "./real-bindings.ts";
import { Faults } from "./fault-injection.ts";
import {
  type ReliabilityHousehold,
  createReliabilityHousehold,
  advanceClock,
} from "./reliability-household.ts";

const THREADS = Number(env.RELIABILITY_THREADS);
const SEED = Number(env.RELIABILITY_SEED);
const CONCURRENT_CREATIONS = 25;

const faults = new Faults();

beforeAll(() => {
  faults.install();
  advanceClock(0);
});

afterEach(() => {
  for (const site of ["index", "list"] as const) faults.setOutage(site, undefined);
});

const appendBlock = async (
  home: ReliabilityHousehold,
  actor: string,
  block: object,
): Promise<string> => {
  const raw = {
    text: JSON.stringify({ MESS: [block] }),
    channel: "http",
    key: crypto.randomUUID(),
  };
  const posted = await postMessages(env, home.as(actor), raw);
  if (!posted.ok) throw new Error(JSON.stringify(posted.error));
  const [entry] = posted.value.entries;
  return entry && "ack" in entry ? (entry.ack["ref"] as string) : "";
};

const COLUMNS = `ref, client_id, seq, status, partition, requestor, executor, participants, intent, priority, zone,
  created, updated, expires, words`;

/** The household's rows in the index, with their participants. */
async function readIndexRows(
  household: string,
): Promise<{ threads: string[]; participants: string[] }> {
  const [threads, participants] = await Promise.all([
    prepare(`SELECT ${COLUMNS} FROM threads WHERE household = ? ORDER BY ref`)
      .bind(household)
      .all(),
    prepare(
      "SELECT actor, status, updated, ref FROM participants WHERE household = ? ORDER BY ref, actor",
    )
      .bind(household)
      .all(),
  ]);
  const texts = (rows: unknown[]) => rows.map((row) => toCanonicalJson(row));
  return { threads: texts(threads.results), participants: texts(participants.results) };
}

/** The rows that the index should have, computed from the threads. */
async function computeExpectedRows({ id }: ReliabilityHousehold, refs: readonly string[]) {
  const household = `truth-of-${id}`;
  for (const ref of refs) {
    const summary = await getThreadStub(env, id, ref).getSummary();
    if (summary) await upsertThread(env.INDEX, { ...summary, household });
  }
  return await readIndexRows(household);
}

describe.each([
  ["throws", "before"],
  ["does not respond", "stall"],
] as const)("while D1 %s", (_name, kind) => {
  it("every append succeeds while the index is down, lists report it, and no difference remains", async () => {
    const home = await createReliabilityHousehold("outage");
    const refs: string[] = [];
    for (let made = 0; made < 4; made++)
      refs.push(await appendBlock(home, "scout", { request: { intent: `before ${made}` } }));

    faults.setOutage("index", kind);
    faults.setOutage("list", kind);
    const began = performance.now();
    // 80 seconds by the clock of the objects.
    for (let second = 0; second < 80; second++) {
      advanceClock(1_000);
      const re = refs[second % refs.length]!;
      if (second % 20 === 0)
        refs.push(await appendBlock(home, "scout", { request: { intent: "amid" } }));
      await appendBlock(home, second % 2 ? "scout" : "olga", {
        followup: { re, message: `m${second}` },
      });
    }
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await listThreadsOf(home)).toMatchObject({
      ok: false,
      error: { code: "index_unavailable" },
    });

    faults.setOutage("index", undefined);
    faults.setOutage("list", undefined);
    await faults.endStalls();
    advanceClock(600_000);
    for (const ref of refs)
      await runInDurableObject(getThreadObject(home.id, ref), (object) => object.alarm());
    expect(await readIndexRows(home.id)).toEqual(await computeExpectedRows(home, refs));
    expect(await listThreads(env, home.as("olga"), { limit: 50 })).toMatchObject({
      ok: true,
      value: { threads: { length: refs.length } },
    });
  });
});

/** Reads a list as the owner, with a short timeout. */
async function listThreadsOf(home: ReliabilityHousehold) {
  const now = Date.now();
  vi.useFakeTimers({ now, toFake: ["setTimeout", "clearTimeout"] });
  try {
    const listed = listThreads(env, home.as("olga"), { limit: 50 });
    await vi.advanceTimersByTimeAsync(5_000);
    return await listed;
  } finally {
    vi.useRealTimers();
    vi.setSystemTime(now);
  }
}

it(
  `an index that was lost or damaged is rebuilt from ${THREADS} threads without a difference (seed ${SEED})`,
  { timeout: 60_000 + THREADS * 60 },
  async () => {
    const random = createSeededRandom(SEED);
    const home = await createReliabilityHousehold("rebuild");
    faults.setOutage("index", "before");
    const refs = await makeThreads(home, random);
    faults.setOutage("index", undefined);
    await corruptIndexRows(home, refs, random);

    let written = 0;
    for (let query: string | undefined = ""; query !== undefined;) {
      const part = await expectOkJson(
        await home.callers["olga"]!.post(`/api/v1/index/rebuild${query}`, {}),
      );
      written += part.written;
      query = part.next === undefined ? undefined : `?after=${part.next}`;
    }

    expect(written).toBe(THREADS);
    const { threads, participants } = await readIndexRows(home.id);
    const expected = await computeExpectedRows(home, refs);
    expect(expected.threads).toHaveLength(THREADS);
    expect(threads).toEqual(expected.threads);
    expect(participants).toEqual(expected.participants);
  },
);

/** Threads created in their objects, some of which have changed since. */
async function makeThreads(home: ReliabilityHousehold, random: Random): Promise<string[]> {
  const refs: string[] = [];
  while (refs.length < THREADS) {
    const count = Math.min(CONCURRENT_CREATIONS, THREADS - refs.length);
    const requests = Array.from({ length: count }, (_, at) => ({
      request: { intent: `water plant ${refs.length + at}` },
      digest: `d${refs.length + at}`,
    }));
    const opened = await getHouseholdStub(env, home.id).threads.openThreads({
      actor: "scout",
      requests,
    });
    if (!opened.ok) throw new Error(opened.error.message);
    const made = opened.value.threads.map(async ({ ref, route }, at) => {
      const { request, digest } = requests[at]!;
      const input = buildCreation(
        home.id,
        { ...request },
        { ref, requestor: "scout", digest, route },
      );
      const created = await getThreadStub(env, home.id, ref).create(input);
      if (!created.ok) throw new Error(created.error.message);
      return ref;
    });
    refs.push(...(await Promise.all(made)));
  }
  for (const re of refs) {
    if (random.next() > 0.1) continue;
    advanceClock(1_000);
    const code = random.next() < 0.5 ? "claimed" : "completed";
    await appendBlock(home, "ann", { status: { re, code, message: `by ann ${code}` } });
  }
  return refs;
}

/** Rows that are missing, behind, ahead or wrong, and rows of threads that never existed. */
async function corruptIndexRows(
  home: ReliabilityHousehold,
  refs: readonly string[],
  random: Random,
): Promise<void> {
  for (const ref of refs) {
    const which = random.pickBetween(0, 9);
    if (which > 4) continue;
    const summary = (await getThreadStub(env, home.id, ref).getSummary())!;
    const corrupted = {
      ...summary,
      ...(which === 0 ? { seq: summary.seq - 1, status: "held" as const } : {}),
      ...(which === 1 ? { seq: summary.seq + 7, status: "failed" as const } : {}),
      ...(which === 2 ? { intent: "something else", text: "other words" } : {}),
      ...(which === 3 ? { participants: ["ghost"], executor: "ghost" } : {}),
      ...(which === 4 ? { ref: `${ref}-ghost` } : {}),
    };
    await upsertThread(env.INDEX, corrupted);
  }
}
