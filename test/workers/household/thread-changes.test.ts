import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHouseholdJobs } from "../../../src/household/jobs/thread-jobs.ts";
import { createStores } from "../../../src/household/stores.ts";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import type { ThreadSummary } from "../../../src/contracts/thread.ts";
import {
  createHousehold,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
  buildSummary,
} from "./support.ts";

const OWNER = { actor: "olga", role: "owner" } as const;
const SCOUT = { actor: "scout", role: "agent" } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Notices that threads received: `[dependency, status]`. */
let notified: [string, string][] = [];
beforeEach(() => {
  notified = [];
  vi.spyOn(ThreadObject.prototype, "resolveDependency").mockImplementation(async (ref, status) => {
    notified.push([ref, status]);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A thread, and one that depends on it. */
async function pair(home: HouseholdUnderTest) {
  const [first, second] = await openAll(home, [
    buildRequest({ id: "soup" }),
    buildRequest({ id: "serve", constraints: { depends_on: ["soup"] } }),
  ]);
  return { soup: first!.ref, serve: second!.ref };
}

const change = (home: HouseholdUnderTest, ref: string, fields: Partial<ThreadSummary>) =>
  home.rpc.threads.recordSummary(buildSummary(home, ref, fields));

const fireAlarm = (home: HouseholdUnderTest) =>
  runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));

describe("events", () => {
  const listEventStatuses = async (
    home: HouseholdUnderTest,
    viewer: Parameters<HouseholdUnderTest["rpc"]["events"]["listEvents"]>[0] = OWNER,
    after = 0,
  ) =>
    (await home.rpc.events.listEvents(viewer, after, 100)).events.map(({ status, executor }) => [
      status,
      executor,
    ]);

  it("an event is written when a thread's status or executor changes, and not otherwise", async () => {
    const home = await createHousehold();
    const { soup } = await pair(home);
    await change(home, soup, { seq: 1 });
    await change(home, soup, { seq: 2, text: "more" });
    await change(home, soup, { seq: 3, status: "claimed", executor: "ada" });
    await change(home, soup, { seq: 4, status: "claimed", executor: "ben" });
    expect(await listEventStatuses(home)).toEqual([
      ["pending", null],
      ["claimed", "ada"],
      ["claimed", "ben"],
    ]);
  });

  it("a late or repeated summary writes no event", async () => {
    const home = await createHousehold();
    const { soup } = await pair(home);
    await change(home, soup, { seq: 5, status: "completed" });
    await change(home, soup, { seq: 5, status: "failed" });
    await change(home, soup, { seq: 4, status: "claimed" });
    expect(await listEventStatuses(home)).toEqual([["completed", null]]);
  });

  it("events are visible to participants and owners only", async () => {
    const home = await createHousehold();
    const { soup, serve } = await pair(home);
    await change(home, soup, { participants: ["scout", "ada"] });
    await change(home, serve, { status: "held" });
    const ada = { actor: "ada", role: "executor" } as const;
    expect(await listEventStatuses(home, ada)).toEqual([["pending", null]]);
    expect(await listEventStatuses(home, SCOUT)).toHaveLength(2);
    expect(await listEventStatuses(home, { actor: "ranger", role: "agent" })).toEqual([]);
    await change(home, soup, { seq: 2, status: "claimed", participants: ["scout"] });
    expect(await listEventStatuses(home, ada)).toEqual([]);
  });

  it("events are read from a cursor, with times in the household's zone", async () => {
    const home = await createHousehold("Asia/Tokyo");
    const { soup } = await pair(home);
    const updated = Date.parse("2031-05-04T00:00:00Z");
    for (const seq of [1, 2, 3]) {
      await change(home, soup, { seq, updated, executor: `e${seq}` });
    }
    const page = await home.rpc.events.listEvents(OWNER, 0, 2);
    expect(page.events).toHaveLength(2);
    expect(page.events[0]).toMatchObject({ ref: soup, at: "2031-05-04T09:00:00+09:00" });
    expect(await listEventStatuses(home, OWNER, page.cursor)).toEqual([["pending", "e3"]]);
    const unseen = await home.rpc.events.listEvents({ actor: "ranger", role: "agent" }, 0, 2);
    expect(unseen).toEqual({ events: [], cursor: page.cursor + 1 });
    expect(await home.rpc.events.listEvents(OWNER, unseen.cursor, 2)).toEqual({
      events: [],
      cursor: unseen.cursor,
    });
  });
});

describe("the end of a thread (decision 42)", () => {
  it("threads that depend on another are notified of its end", async () => {
    const home = await createHousehold();
    const { soup, serve } = await pair(home);
    await change(home, serve, {});
    await change(home, soup, { status: "claimed" });
    await change(home, soup, { seq: 2, status: "partial" });
    await change(home, soup, { seq: 3, status: "failed" });
    await vi.waitFor(() => expect(notified).toEqual([[soup, "failed"]]));
  });

  it("the end of a thread is stored for a dependent that is not created yet", async () => {
    const home = await createHousehold();
    const { soup, serve } = await pair(home);
    await change(home, soup, { status: "completed" });
    await fireAlarm(home);
    expect(notified).toEqual([]);
    await evictDurableObject(env.HOUSEHOLDS.getByName(home.id));
    await change(home, serve, {});
    await vi.waitFor(() => expect(notified).toEqual([[soup, "completed"]]));
  });

  it("a thread that is opened after its dependency failed is notified of that failure", async () => {
    const home = await createHousehold();
    const { soup } = await pair(home);
    await change(home, soup, { status: "declined" });
    const [late] = await openAll(home, [buildRequest({ constraints: { depends_on: ["soup"] } })]);
    await change(home, late!.ref, {});
    await vi.waitFor(() => expect(notified).toEqual([[soup, "declined"]]));
  });

  it("a dependent that cannot be called is notified of the end later", async () => {
    const home = await createHousehold();
    const { soup, serve } = await pair(home);
    await change(home, serve, {});
    await runInDurableObject(env.HOUSEHOLDS.getByName(home.id), async (_object, { storage }) => {
      const stores = createStores(storage.sql);
      const now = Date.now();
      stores.dependencies.notifyDependents(soup, "completed", now);
      const failUnreachable = async () => {
        throw new Error("unreachable");
      };
      const namespace = { getByName: () => ({ resolveDependency: failUnreachable }) };
      const broken = { ...env, THREADS: namespace } as unknown as Env;
      const down = createHouseholdJobs(broken, storage, stores);
      vi.setSystemTime(now);
      await down.run();
      expect(down.getNextDue(now)).toBe(now + 1_000);
      vi.setSystemTime(now + 1_000);
      await down.run();
      expect(down.getNextDue(now)).toBe(now + 3_000);
      const up = createHouseholdJobs(env, storage, stores);
      vi.setSystemTime(now + 3_000);
      await up.run();
      expect(up.getNextDue(now)).toBeUndefined();
    });
    expect(notified).toEqual([[soup, "completed"]]);
  });
});

describe("a ref whose thread is never created", () => {
  it("a ref whose thread is never created keeps its request, and blocks no thread after a day", async () => {
    vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
    const home = await createHousehold();
    const { soup, serve } = await pair(home);
    await change(home, serve, {});
    vi.setSystemTime(Date.now() + DAY_MS - 60_000);
    await fireAlarm(home);
    expect(await home.rpc.threads.listRefs(null, 10)).toEqual([soup, serve]);
    expect((await openAll(home, [buildRequest({ id: "soup" })]))[0]).toMatchObject({ ref: soup });
    vi.setSystemTime(Date.now() + 60_000);
    await fireAlarm(home);
    await vi.waitFor(async () => {
      await fireAlarm(home);
      expect(notified).toEqual([[soup, "expired"]]);
    });
    expect(await home.rpc.threads.listRefs(null, 10)).toEqual([serve]);
    expect(await home.rpc.threads.resolveTarget("scout", "last")).toEqual({
      ok: true,
      value: serve,
    });
  });
});

describe("an imported thread", () => {
  it("an imported thread raises the serials of its day, and is found by ref and by its requestor's id", async () => {
    vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
    const home = await createHousehold();
    const ref = "2041-05-04-041-jam";
    expect(
      await home.rpc.threads.adoptThread(buildSummary(home, ref, { client_id: "jam" })),
    ).toEqual({
      ok: true,
      value: true,
    });
    const [next] = await openAll(home, [buildRequest()]);
    expect(next!.ref).toBe("2041-05-04-042");
    expect(await home.rpc.threads.resolveTarget("scout", "2041-05-04-041")).toEqual({
      ok: true,
      value: ref,
    });
    expect(await home.rpc.threads.resolveTarget("scout", "jam")).toEqual({ ok: true, value: ref });
    expect(await home.rpc.threads.listRefs(null, 1)).toEqual([ref]);
    expect(await home.rpc.threads.listRefs(ref, 10)).toEqual([next!.ref]);
  });

  it("an imported thread does not lower the serials of its day", async () => {
    vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
    const home = await createHousehold();
    await openAll(home, [buildRequest(), buildRequest()]);
    await home.rpc.threads.adoptThread(buildSummary(home, "2041-05-04-001-jam"));
    expect((await openAll(home, [buildRequest()]))[0]!.ref).toBe("2041-05-04-003");
  });
});
