import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { GroupMessage } from "../../../src/contracts/groups.ts";
import type { Principal } from "../../../src/auth/principal.ts";
import {
  buildId,
  buildNoticeId,
  createGroup,
  getCode,
  getContents,
  type TestGroup,
} from "./support.ts";

afterEach(() => vi.useRealTimers());

interface TestSocket {
  status: number;
  received: string[];
  closed: Promise<number>;
}

async function openSocket(
  group: TestGroup,
  path: string,
  query: Record<string, string>,
): Promise<TestSocket> {
  const headers = { Upgrade: "websocket" };
  const url = `https://group${path}?${new URLSearchParams(query).toString()}`;
  const response = await group.rpc.fetch(new Request(url, { headers }));
  const received: string[] = [];
  const socket = response.webSocket;
  const closed = new Promise<number>((resolve) => {
    socket?.addEventListener("close", ({ code }) => resolve(code));
  });
  socket?.addEventListener("message", ({ data }) => {
    received.push(String(data));
  });
  socket?.accept();
  return { status: response.status, received, closed };
}

const openWait = (group: TestGroup, name: string, after: number, as?: string) =>
  openSocket(group, "/wait", {
    credential: `key:${name}`,
    after: String(after),
    ...(as ? { as } : {}),
  });

const openWatch = (group: TestGroup, viewer: Principal, query: Record<string, string> = {}) =>
  openSocket(group, "/watch", { viewer: JSON.stringify(viewer), ...query });

it("a wait with the same cursor gets the same messages, and leaves them unread", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "1");
  await group.send("boss", "rocky", "for another");
  await group.send("deputy", "indy", "2");

  const first = await group.receive("indy", 0);
  const again = await group.receive("indy", 0);
  const next = await group.receive("indy", first.cursor);

  expect(getContents(first)).toEqual(["1", "2"]);
  expect(again).toEqual(first);
  expect(first).toMatchObject({ cursor: 3, more: false, total_pending: 2 });
  expect(next).toMatchObject({ messages: [], cursor: 3 });
});

it("a wait without a cursor continues where the last one ended, also after a restart", async () => {
  const group = await createGroup();
  for (let n = 1; n <= 60; n++) await group.send("boss", "indy", `${n}`);

  const first = await group.receive("indy");
  await evictDurableObject(group.getObject());
  const second = await group.receive("indy");
  const third = await group.receive("indy");

  const expected = Array.from({ length: 60 }, (_, n) => `${n + 1}`);
  expect([...getContents(first), ...getContents(second)]).toEqual(expected);
  expect([first.more, second.more]).toEqual([true, false]);
  expect(third).toMatchObject({ messages: [], cursor: 60, total_pending: 60 });
});

it("a wait without a cursor does not repeat messages that were read", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "read before");
  await group.read("indy", { unread_only: true });
  await group.send("deputy", "indy", "new");

  const received = await group.receive("indy");

  expect(getContents(received)).toEqual(["new"]);
  expect(getContents(await group.receive("indy", 0))).toEqual(["read before", "new"]);
});

it("a cursor that is no position of the group is refused", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "1");

  for (const cursor of [2, -1, 0.5, Number.NaN])
    expect(getCode(await group.rpc.receive(group.as("indy"), cursor))).toBe("bad_parameter");
});

it("a message wakes the waits of its receiver only", async () => {
  const group = await createGroup();
  const indy = await openWait(group, "indy", 0);
  const rocky = await openWait(group, "rocky", 0);

  await group.send("boss", "indy", "wake up");

  expect(await indy.closed).toBe(1_000);
  expect(indy.received).toEqual(["1"]);
  await group.send("boss", "rocky", "you too");
  expect(await rocky.closed).toBe(1_000);
  expect(rocky.received).toEqual(["2"]);
});

it("a wait that missed a message is woken at once, and one for the exchange's notices as well", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "before");
  const late = await openWait(group, "indy", 0);
  const waiting = await openWait(group, "indy", 1);

  await group.rpc.post([
    { id: buildNoticeId(1), to: buildId("indy"), type: "message", content: "notice" },
  ]);

  await late.closed;
  expect(late.received).toEqual(["1"]);
  await waiting.closed;
  expect(waiting.received).toEqual(["2"]);
});

it("a wait survives an eviction of the object", async () => {
  const group = await createGroup();
  const waiting = await openWait(group, "indy", 0);
  await evictDurableObject(group.getObject(), { webSockets: "hibernate" });

  await group.send("boss", "indy", "after the restart");

  expect(await waiting.closed).toBe(1_000);
  expect(waiting.received).toEqual(["1"]);
});

it("a wait with a foreign or unknown credential is refused", async () => {
  const group = await createGroup();

  expect((await openWait(group, "stranger", 0)).status).toBe(404);
  expect((await openWait(group, "stranger", 0, buildId("indy"))).status).toBe(404);
  expect((await openWait(group, "rocky", 0, buildId("indy"))).status).toBe(404);
  expect((await openWait(group, "indy", 0, buildId("indy"))).status).toBe(101);
});

it("a wait ends without a message when its member is removed or gets another credential", async () => {
  const group = await createGroup();
  const indy = await openWait(group, "indy", 0);
  const rocky = await openWait(group, "rocky", 0);

  await group.changeMember("indy", { credential: "key:new" });
  await group.changeMember("rocky", { active: false });

  expect([await indy.closed, await rocky.closed]).toEqual([4_401, 4_401]);
  expect([indy.received, rocky.received]).toEqual([[], []]);
});

it("closing a group ends its waits, and a later wait ends at once", async () => {
  const group = await createGroup();
  const waiting = await openWait(group, "indy", 0);

  await group.change({ status: "closed" });
  const later = await openWait(group, "indy", 0);

  await Promise.all([waiting.closed, later.closed]);
  expect([waiting.received, later.received]).toEqual([["closed"], ["closed"]]);
});

it("a ninth wait of a member closes its first", async () => {
  const group = await createGroup();
  const sockets = [];
  for (let n = 0; n < 9; n++) sockets.push(await openWait(group, "indy", 0));

  expect(await sockets[0]!.closed).toBe(1_013);
  await group.send("boss", "indy", "wake");
  await Promise.all(sockets.slice(1).map(({ closed }) => closed));
  expect(sockets.map(({ received }) => received.length)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1]);
});

it("a dashboard shows a member its own channels, and an owner all of them", async () => {
  const group = await createGroup();
  const owner = await openWatch(group, group.buildPrincipal("mum", "owner"));
  const indy = await openWatch(group, group.buildPrincipal("indy"));
  const rocky = await openWatch(group, group.buildPrincipal("rocky"));
  const stranger = await openWatch(group, group.buildPrincipal("stranger"));
  const foreign = { ...group.buildPrincipal("mum", "owner"), household: "other" };

  await group.send("boss", "indy", "1");
  await group.send("indy", "boss", "2");
  await group.send("boss", "rocky", "3");

  const show = ({ received }: TestSocket) =>
    received.map((line) => (JSON.parse(line) as GroupMessage).content);
  await vi.waitFor(() => expect(show(rocky)).toEqual(["3"]));
  await vi.waitFor(() => expect(show(owner)).toEqual(["1", "2", "3"]));
  expect(show(indy)).toEqual(["1", "2"]);
  expect(stranger.status).toBe(404);
  expect((await openWatch(group, foreign)).status).toBe(404);
  await group.changeMember("indy", { active: false });
  expect(await indy.closed).toBe(4_401);
});

it("the dashboard of an owner who is a member ends with the owner's key", async () => {
  const group = await createGroup();
  const owner = await openWatch(group, group.buildPrincipal("indy", "owner"));
  const other = await openWatch(group, group.buildPrincipal("mum", "owner"));

  await group.changeMember("indy", { ended: true });

  expect(await owner.closed).toBe(4_401);
  await group.send("boss", "rocky", "after");
  await vi.waitFor(() => expect(other.received).toHaveLength(1));
});

it("a dashboard that connects again gets the messages after its last one", async () => {
  const group = await createGroup();
  for (const content of ["1", "2"]) await group.send("boss", "indy", content);
  await group.send("boss", "rocky", "for another");
  await group.send("indy", "boss", "3");

  const owner = await openWatch(group, group.buildPrincipal("mum", "owner"), { after: "1" });
  const indy = await openWatch(group, group.buildPrincipal("indy"), { after: "1" });
  await group.send("boss", "indy", "4");

  const show = ({ received }: TestSocket) =>
    received.map((line) => (JSON.parse(line) as GroupMessage).content);
  await vi.waitFor(() => expect(show(owner)).toEqual(["2", "for another", "3", "4"]));
  await vi.waitFor(() => expect(show(indy)).toEqual(["2", "3", "4"]));
});

it("a dashboard that missed more than 100 messages gets the first of them, and connects again", async () => {
  const group = await createGroup();
  for (let n = 1; n <= 101; n++) await group.send("boss", "indy", `${n}`);

  const watch = await openWatch(group, group.buildPrincipal("indy"), { after: "0" });

  expect(await watch.closed).toBe(1_000);
  expect(watch.received).toHaveLength(100);
});

it("a wait ends when the credential of its member has ended, and cannot be opened again", async () => {
  const group = await createGroup();
  const waiting = await openWait(group, "indy", 0);

  await group.changeMember("indy", { ended: true });

  expect(await waiting.closed).toBe(4_401);
  expect((await openWait(group, "indy", 0)).status).toBe(404);
  expect(getCode(await group.trySend("boss", "indy", "for when it rejoins"))).toBe("ok");
});

it("a member is online for five minutes after a call, and while it waits", async () => {
  const start = Date.parse("2041-05-04T10:00:00Z");
  vi.setSystemTime(start);
  const group = await createGroup();
  await group.send("boss", "indy", "1");
  await group.rpc.heartbeat(group.as("rocky"));
  const isOnline = async () => {
    const { members } = await group.status("boss");
    return Object.fromEntries(members.map(({ name, online }) => [name, online]));
  };

  const early = await isOnline();
  vi.setSystemTime(start + 4 * 60_000);
  const waiting = await openWait(group, "indy", 1);
  await group.pending("boss");
  vi.setSystemTime(start + 5 * 60_000);
  const late = await isOnline();
  const seen = await group.rpc.listSeen();

  expect(early).toEqual({ boss: true, deputy: false, indy: false, rocky: true, short: false });
  expect(late).toEqual({ boss: true, deputy: false, indy: true, rocky: false, short: false });
  expect(seen).toEqual({
    [buildId("boss")]: start + 4 * 60_000,
    [buildId("indy")]: start + 5 * 60_000,
    [buildId("rocky")]: start,
  });
  await group.send("boss", "indy", "end");
  await waiting.closed;
});

it("signs of life write one row in 30 seconds at most", async () => {
  const start = Date.parse("2041-05-04T10:00:00Z");
  vi.setSystemTime(start);
  const group = await createGroup();
  const beat = async () =>
    (await group.countRows(() => group.rpc.heartbeat(group.as("indy")))).written;

  const first = await beat();
  vi.setSystemTime(start + 29_000);
  const second = await beat();
  vi.setSystemTime(start + 30_000);
  const third = await beat();

  expect([first, second, third]).toEqual([1, 0, 1]);
});

const countCancelled = (group: TestGroup): Promise<number> =>
  runInDurableObject(
    group.getObject(),
    (_object, { storage }) => storage.sql.exec("SELECT 1 FROM cancelled_waits").toArray().length,
  );

it("a cancelled wait gets no messages, also after a restart of the object, and another one gets them", async () => {
  const group = await createGroup();
  await group.rpc.cancelWait(group.as("indy"), "wait.1");
  await group.rpc.cancelWait(group.as("rocky"), "wait.2");
  await group.send("boss", "indy", "1");
  await evictDurableObject(group.getObject());

  const receive = async (wait: string) => {
    const received = await group.rpc.receive(group.as("indy"), undefined, wait);
    return received.ok && [received.value.cancelled, getContents(received.value)];
  };

  expect(await receive("wait.1")).toEqual([true, []]);
  expect(await receive("wait.2")).toEqual([undefined, ["1"]]);
});

it("a stranger cancels no wait", async () => {
  const group = await createGroup();

  const refused = await group.rpc.cancelWait(group.as("stranger"), "wait.1");

  expect(getCode(refused)).toBe("not_found");
});

it("cancelled waits are forgotten after two hours, and at most 50 of a member are kept", async () => {
  const group = await createGroup();
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let n = 0; n < 60; n++) {
    vi.setSystemTime(Date.now() + 1);
    await group.rpc.cancelWait(group.as("indy"), `wait.${n}`);
  }
  const kept = await countCancelled(group);
  const last = await group.rpc.receive(group.as("indy"), 0, "wait.59");
  vi.setSystemTime(Date.now() + 2 * 3_600_000 + 1);
  await group.rpc.cancelWait(group.as("rocky"), "wait.60");

  expect(kept).toBe(50);
  expect(last).toMatchObject({ value: { cancelled: true } });
  expect(await countCancelled(group)).toBe(1);
});
