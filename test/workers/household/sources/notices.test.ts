/** Notices about classified messages, and those who wait for them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import type { MessageNotice } from "../../../../src/contracts/household-sources.ts";
import type { Principal } from "../../../../src/auth/principal.ts";
import { waitForNotice } from "../../../../src/exchange/source-calls/wait-for-notice.ts";
import { getCode, unwrap } from "../../outcomes.ts";
import { addKey, createSourceHousehold, type SourceHousehold } from "./support.ts";

const TIMEOUT_MS = 10_000;

const buildNotice = (message: string, fields: Partial<MessageNotice> = {}): MessageNotice => ({
  source: "email",
  message,
  tier: "NOTIFY",
  urgency: 3,
  text: `URGENT email from Ann: ${message}`,
  at: Date.now(),
  ...fields,
});

/** Resolves when a call waits in the household's object. */
const untilWaiting = ({ id }: SourceHousehold) =>
  vi.waitFor(
    () =>
      runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, state) =>
        expect(
          state.getWebSockets("notices").filter(({ readyState }) => readyState === WebSocket.OPEN),
        ).toHaveLength(1),
      ),
    { timeout: TIMEOUT_MS, interval: 5 },
  );

const list = async ({ rpc, owner }: SourceHousehold, caller: Principal = owner, after?: number) =>
  unwrap(await rpc.sources.listNotices(caller, after, 10)).notices.map(({ message }) => message);

test("a notice is stored once for each message, and only NOTIFY ones are listed", async () => {
  const home = await createSourceHousehold();
  const { sources } = home.rpc;
  await sources.postNotice(buildNotice("m_1"));
  await sources.postNotice(buildNotice("m_2", { tier: "DEFER" }));
  await sources.postNotice(buildNotice("m_1"));
  await sources.postNotice(buildNotice("m_1", { tier: "DEFER" }));
  await sources.postNotice(buildNotice("m_3", { source: "alerts" }));
  await sources.postNotice(buildNotice("m_4", { source: "absent" }));

  expect(await list(home)).toEqual(["m_1", "m_3"]);
});

test("a message that is classified as NOTIFY later interrupts then", async () => {
  const home = await createSourceHousehold();
  await home.rpc.sources.postNotice(buildNotice("m_1", { tier: "DEFER" }));
  await home.rpc.sources.postNotice(buildNotice("m_2"));
  const { cursor } = unwrap(await home.rpc.sources.listNotices(home.owner, undefined, 10));

  await home.rpc.sources.postNotice(buildNotice("m_1"));

  expect(await list(home, home.owner, cursor)).toEqual(["m_1"]);
});

test("a reader sees the notices of its sources only, page by page", async () => {
  const home = await createSourceHousehold();
  const reader = await addKey(home, "bob", "agent", ["msg/alerts"]);
  for (let n = 0; n < 6; n++)
    await home.rpc.sources.postNotice(
      buildNotice(`m_${n}`, { source: n % 2 === 0 ? "email" : "alerts" }),
    );

  const first = unwrap(await home.rpc.sources.listNotices(reader, undefined, 2));
  const second = unwrap(await home.rpc.sources.listNotices(reader, first.cursor, 2));
  const third = unwrap(await home.rpc.sources.listNotices(reader, second.cursor, 2));

  expect(first.notices.map(({ message }) => message)).toEqual(["m_1", "m_3"]);
  expect(second.notices.map(({ message }) => message)).toEqual(["m_5"]);
  expect(third).toEqual({ notices: [], cursor: second.cursor });
  const agent = await addKey(home, "bob", "agent");
  expect(getCode(await home.rpc.sources.listNotices(agent, 0, 10))).toBe("wrong_role");
});

test("a wait without a cursor returns the next notice, and its cursor gives the same answer again", async () => {
  const home = await createSourceHousehold();
  await home.rpc.sources.postNotice(buildNotice("m_0"));
  const { cursor } = unwrap(await waitForNotice(env, home.owner, undefined, 0));

  const waiting = waitForNotice(env, home.owner, undefined, TIMEOUT_MS);
  await untilWaiting(home);
  await home.rpc.sources.postNotice(buildNotice("m_1"));
  const woken = unwrap(await waiting);
  const again = unwrap(await waitForNotice(env, home.owner, cursor, TIMEOUT_MS));

  expect(woken.notices.map(({ message }) => message)).toEqual(["m_1"]);
  expect(again).toEqual(woken);
});

test("a notice of a source that the waiting caller may not read does not wake it", async () => {
  const home = await createSourceHousehold();
  const reader = await addKey(home, "bob", "agent", ["msg/alerts"]);

  const waiting = waitForNotice(env, reader, undefined, TIMEOUT_MS);
  await untilWaiting(home);
  await home.rpc.sources.postNotice(buildNotice("m_1"));
  await untilWaiting(home);
  await home.rpc.sources.postNotice(buildNotice("m_2", { source: "alerts" }));

  expect(unwrap(await waiting).notices.map(({ message }) => message)).toEqual(["m_2"]);
});

test("a wait ends when its key is revoked, without an answer", async () => {
  const home = await createSourceHousehold();
  const reader = await addKey(home, "bob", "agent", ["msg"]);

  const waiting = waitForNotice(env, reader, undefined, TIMEOUT_MS);
  await untilWaiting(home);
  const start = performance.now();
  unwrap(await home.rpc.identity.revokeKey(reader.credential!.slice("key:".length)));

  expect(getCode(await waiting)).toBe("unauthenticated");
  expect(performance.now() - start).toBeLessThan(TIMEOUT_MS / 2);
});

test("nobody waits for notices without access, or of another household", async () => {
  const home = await createSourceHousehold();
  const other = await createSourceHousehold();
  const agent = await addKey(home, "bob", "agent");
  const open = async (viewer: Principal) =>
    (
      await home.rpc.fetch(
        new Request(
          `https://household/notices?viewer=${encodeURIComponent(JSON.stringify(viewer))}&after=0`,
          { headers: { Upgrade: "websocket" } },
        ),
      )
    ).status;

  expect(getCode(await waitForNotice(env, agent, undefined, TIMEOUT_MS))).toBe("wrong_role");
  expect(await open(agent)).toBe(401);
  expect(await open(other.owner)).toBe(404);
  expect(await open({ ...other.owner, household: home.id })).toBe(401);
});

test("the notices of a removed source are deleted with it", async () => {
  const home = await createSourceHousehold();
  await home.rpc.sources.postNotice(buildNotice("m_1"));

  unwrap(await home.rpc.sources.remove(home.owner, "email"));

  expect(await list(home)).toEqual([]);
});
