import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Request } from "../../../src/mess/wire/schema.ts";
import {
  getCode,
  createHousehold,
  buildFakeHash,
  type HouseholdUnderTest,
  openAll,
  buildOpenInput,
  buildRequest,
  buildSummary,
} from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

const listRefs = async (
  home: HouseholdUnderTest,
  requests: Request[],
  actor?: string,
  key?: string,
) => (await openAll(home, requests, actor, key)).map(({ ref }) => ref);
const listSerials = (refs: string[]) => refs.map((ref) => Number(ref.split("-")[3]));
const setTime = (time: string) => vi.setSystemTime(new Date(time));

/** A request with dependencies. */
const buildRequestAfter = (depends_on: string[], fields: Partial<Request> = {}): Request =>
  buildRequest({ ...fields, constraints: { ...fields.constraints, depends_on } });

describe("serials (decisions 6 to 8)", () => {
  it("serials are consecutive and distinct in fifty concurrent calls", async () => {
    const home = await createHousehold();
    const calls = Array.from({ length: 50 }, () => listRefs(home, [buildRequest()]));
    const refs = (await Promise.all(calls)).flat();
    expect(listSerials(refs).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it("a ref contains the client's id as a slug", async () => {
    const home = await createHousehold();
    const refs = await listRefs(home, [buildRequest({ id: "Feed_Cat!" }), buildRequest()]);
    expect(refs.map((ref) => ref.slice(11))).toEqual(["001-feed-cat", "002"]);
  });

  it("serials start again with each day in the household's zone", async () => {
    const home = await createHousehold("Asia/Tokyo");
    setTime("2031-05-04T14:59:00Z");
    expect(await listRefs(home, [buildRequest()])).toEqual(["2031-05-04-001"]);
    setTime("2031-05-04T15:01:00Z");
    expect(await listRefs(home, [buildRequest(), buildRequest()])).toEqual([
      "2031-05-05-001",
      "2031-05-05-002",
    ]);
  });

  it("serials continue after an eviction", async () => {
    const home = await createHousehold();
    const [first] = await listRefs(home, [buildRequest({ id: "soup" })]);
    await evictDurableObject(env.HOUSEHOLDS.getByName(home.id));
    const [second, again] = await openAll(home, [buildRequest(), buildRequest({ id: "soup" })]);
    expect(listSerials([first!, second!.ref])).toEqual([1, 2]);
    expect(again).toMatchObject({ ref: first, existing: true });
    expect(await home.rpc.identity.authenticateKey(buildFakeHash("a9"))).toEqual({
      id: expect.any(String),
      actor: "scout",
      role: "agent",
    });
  });
});

describe("repeated requests (decision 9)", () => {
  it("a repeated request has the same ref within a day, and another one after it", async () => {
    const home = await createHousehold();
    setTime("2031-05-04T10:00:00Z");
    const [first] = await listRefs(home, [buildRequest({ id: "soup" })]);
    setTime("2031-05-05T09:59:00Z");
    const [again] = await openAll(home, [buildRequest({ id: "soup" })]);
    expect(again).toMatchObject({ ref: first, client_id: "soup", existing: true });
    setTime("2031-05-05T10:01:00Z");
    const [later] = await openAll(home, [buildRequest({ id: "soup" })]);
    expect(later).toMatchObject({ ref: "2031-05-05-001-soup", existing: false });
  });

  it("a request with a known id and another body is a new thread, to which the id then refers", async () => {
    const home = await createHousehold();
    const [first] = await listRefs(home, [buildRequest({ id: "soup" })]);
    const [second] = await listRefs(home, [buildRequest({ id: "soup", intent: "stir the soup" })]);
    expect(second).not.toBe(first);
    expect(await home.rpc.threads.resolveTarget("scout", "soup")).toEqual({
      ok: true,
      value: second,
    });
    expect(await listRefs(home, [buildRequest({ id: "soup" })])).toEqual([first]);
    expect(await home.rpc.threads.resolveTarget("scout", "soup")).toEqual({
      ok: true,
      value: second,
    });
  });

  it("a duplicate request in a batch is one thread", async () => {
    const home = await createHousehold();
    const threads = await openAll(home, [
      buildRequest({ id: "soup" }),
      buildRequest({ id: "soup" }),
    ]);
    expect(threads.map(({ existing }) => existing)).toEqual([false, true]);
    expect(threads[0]!.ref).toBe(threads[1]!.ref);
  });

  it("the same request of another actor is another thread", async () => {
    const home = await createHousehold();
    const [first] = await listRefs(home, [buildRequest({ id: "soup" })], "scout");
    const [second] = await listRefs(home, [buildRequest({ id: "soup" })], "ranger");
    expect(second).not.toBe(first);
    expect(await home.rpc.threads.resolveTarget("scout", "soup")).toEqual({
      ok: true,
      value: first,
    });
  });

  it("a request without an id or a key is a new thread each time", async () => {
    const home = await createHousehold();
    expect(
      listSerials([
        ...(await listRefs(home, [buildRequest()])),
        ...(await listRefs(home, [buildRequest()])),
      ]),
    ).toEqual([1, 2]);
  });
});

describe("an Idempotency-Key (decision 9)", () => {
  const batch = [buildRequest({ id: "soup" }), buildRequest()];

  it("an Idempotency-Key covers its whole call forever", async () => {
    const home = await createHousehold();
    setTime("2031-05-04T10:00:00Z");
    const first = await listRefs(home, batch, "scout", "k1");
    setTime("2031-06-04T10:00:00Z");
    const again = await openAll(home, batch, "scout", "k1");
    expect(again.map(({ ref, existing }) => [ref, existing])).toEqual(
      first.map((ref) => [ref, true]),
    );
  });

  it("an Idempotency-Key with another body is refused, and opens nothing", async () => {
    const home = await createHousehold();
    await listRefs(home, batch, "scout", "k1");
    const other = await home.rpc.threads.openThreads(
      buildOpenInput("scout", [buildRequest(), buildRequest()], "k1"),
    );
    expect(getCode(other)).toBe("idempotency_conflict");
    expect(await home.rpc.threads.listRefs(null, 10)).toHaveLength(2);
  });

  it("an Idempotency-Key belongs to its actor", async () => {
    const home = await createHousehold();
    const first = await listRefs(home, [buildRequest()], "scout", "k1");
    expect(await listRefs(home, [buildRequest()], "ranger", "k1")).not.toEqual(first);
  });

  it("two concurrent calls with one Idempotency-Key open one thread", async () => {
    const home = await createHousehold();
    const calls = Array.from({ length: 5 }, () => listRefs(home, [buildRequest()], "scout", "k1"));
    expect(new Set((await Promise.all(calls)).flat()).size).toBe(1);
  });
});

describe("dependencies (decision 42)", () => {
  it("a dependency refers to a request of the batch first, then to an id of the sender, then to a ref", async () => {
    const home = await createHousehold();
    const [soup] = await listRefs(home, [buildRequest({ id: "soup" })]);
    const [bread] = await listRefs(home, [buildRequest({ id: "bread" })]);
    const threads = await openAll(home, [
      buildRequestAfter(["soup", bread!, "table"], { id: "serve" }),
      buildRequest({ id: "table", intent: "lay the table" }),
    ]);
    expect(threads[0]!.blocked_by).toEqual([soup, bread, threads[1]!.ref]);
    expect(threads[1]!.blocked_by).toEqual([]);
    const shadowed = await openAll(home, [
      buildRequestAfter(["soup"], { id: "eat" }),
      buildRequest({ id: "soup", intent: "cook it anew" }),
    ]);
    expect(shadowed[0]!.blocked_by).toEqual([shadowed[1]!.ref]);
  });

  it("a completed dependency does not block", async () => {
    const home = await createHousehold();
    const [soup, salt] = await listRefs(home, [
      buildRequest({ id: "soup" }),
      buildRequest({ id: "salt" }),
    ]);
    await home.rpc.threads.recordSummary(buildSummary(home, soup!, { status: "completed" }));
    await home.rpc.threads.recordSummary(buildSummary(home, salt!, { status: "partial" }));
    const [serve] = await openAll(home, [buildRequestAfter(["soup", "salt"])]);
    expect(serve!.blocked_by).toEqual([salt]);
  });

  it("a failed dependency blocks unless the request proceeds without it", async () => {
    const home = await createHousehold();
    const [soup] = await listRefs(home, [buildRequest({ id: "soup" })]);
    await home.rpc.threads.recordSummary(buildSummary(home, soup!, { status: "failed" }));
    const threads = await openAll(home, [
      buildRequestAfter(["soup"]),
      buildRequestAfter(["soup"], { constraints: { on_dependency_failure: "proceed" } }),
    ]);
    expect(threads.map(({ blocked_by }) => blocked_by)).toEqual([[soup], []]);
  });

  it.each<[string, Request[], string]>([
    ["an unknown one", [buildRequest({ id: "a" }), buildRequestAfter(["b"])], "unknown_dependency"],
    ["itself", [buildRequestAfter(["a"], { id: "a" })], "dependency_cycle"],
    [
      "a circle",
      [
        buildRequestAfter(["b"], { id: "a" }),
        buildRequestAfter(["c"], { id: "b" }),
        buildRequestAfter(["a"], { id: "c" }),
      ],
      "dependency_cycle",
    ],
  ])(
    "a dependency on %s is refused, and the whole batch opens nothing",
    async (_name, batch, code) => {
      const home = await createHousehold();
      await listRefs(home, [buildRequest({ id: "earlier" })]);
      const refused = await home.rpc.threads.openThreads(buildOpenInput("scout", batch, "k1"));
      expect(getCode(refused)).toBe(code);
      expect(await home.rpc.threads.listRefs(null, 10)).toHaveLength(1);
      expect(getCode(await home.rpc.threads.resolveTarget("scout", "a"))).toBe("not_found");
      expect(listSerials(await listRefs(home, [buildRequest()], "scout", "k1"))).toEqual([2]);
    },
  );

  it("an unknown dependency is refused with the known names", async () => {
    const home = await createHousehold();
    await listRefs(home, [buildRequest({ id: "earlier" })]);
    const refused = await home.rpc.threads.openThreads(
      buildOpenInput("scout", [buildRequest({ id: "a" }), buildRequestAfter(["b"])]),
    );
    expect(refused).toMatchObject({ ok: false, error: { valid: ["a", "earlier"] } });
  });

  it("dependencies are checked again when the call is repeated", async () => {
    const home = await createHousehold();
    const batch = [buildRequest({ id: "soup" }), buildRequestAfter(["soup"], { id: "serve" })];
    const [soup, serve] = await openAll(home, batch);
    expect(serve!.blocked_by).toEqual([soup!.ref]);
    await home.rpc.threads.recordSummary(buildSummary(home, soup!.ref, { status: "completed" }));
    expect((await openAll(home, batch))[1]).toMatchObject({ ref: serve!.ref, blocked_by: [] });
  });
});

it("requests are routed to members except for their requestor", async () => {
  const home = await createHousehold();
  await home.rpc.settings.configure({
    executors: {
      scout: { capabilities: ["mop"] },
      mopper: { kind: "robot", capabilities: ["mop"] },
    },
  });
  const [thread] = await openAll(home, [buildRequest({ requires: ["mop"] })]);
  expect(thread!.route.candidates).toMatchObject([{ id: "mopper", kind: "machine", lease: 900 }]);
  expect(await home.rpc.threads.previewRoute(buildRequest({ requires: ["mop"] }), "scout")).toEqual(
    thread!.route,
  );
  expect((await home.rpc.threads.previewRoute(buildRequest())).candidates).toHaveLength(2);
});
