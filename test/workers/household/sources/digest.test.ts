/** The digest: one request to an owner, once or twice a day, about the messages that could wait. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { MessageNotice } from "../../../../src/contracts/household-sources.ts";
import { createStores } from "../../../../src/household/stores.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { getThreadStub } from "../../../../src/stubs.ts";
import { unwrap } from "../../outcomes.ts";
import { configureHousehold } from "../support.ts";
import { createSourceHousehold, type SourceHousehold } from "./support.ts";

/** Ahead of the real clock, so that alarms do not fire on their own. */
const MORNING = Date.parse("2031-05-05T06:00:00Z");
const HOUR_MS = 3_600_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: MORNING }));
afterEach(() => vi.useRealTimers());

async function setUp(messages: JsonMap = {}): Promise<SourceHousehold> {
  const home = await createSourceHousehold();
  await configureHousehold(home, { messages });
  return home;
}

const post = (
  { rpc }: SourceHousehold,
  message: string,
  fields: Partial<MessageNotice> = {},
): Promise<void> =>
  rpc.sources.postNotice({
    source: "email",
    message,
    tier: "DEFER",
    urgency: 1,
    text: `email from Ann: ${message}`,
    at: Date.now(),
    ...fields,
  });

/** Runs the alarm at the hour (UTC) of the day, and returns the digests that were opened so far. */
async function runAlarmAt(home: SourceHousehold, hour: number): Promise<string[]> {
  vi.setSystemTime(MORNING + (hour - 6) * HOUR_MS);
  return await runInDurableObject(env.HOUSEHOLDS.getByName(home.id), async (object, state) => {
    await object.alarm?.();
    return createStores(state.storage.sql).threadCatalog.listChangedSince(0).toSorted();
  });
}

async function readDigest({ id, owner }: SourceHousehold, ref: string) {
  const { messages } = unwrap(await getThreadStub(env, id, ref).readThread(owner));
  const [block] = messages[0]!.MESS as { request: { intent: string; context: string[] } }[];
  return block!.request;
}

/** The owner to whom the thread is offered, and nobody else. */
const untilOffered = ({ id }: SourceHousehold, ref: string, owner: string) =>
  vi.waitFor(() =>
    runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) =>
      expect(createStores(storage.sql).threadCatalog.get(ref)?.participants).toBe(
        JSON.stringify([owner, "source:digest"]),
      ),
    ),
  );

test("messages that could wait are listed at eight and at six, by source and sender", async () => {
  const home = await setUp();
  await post(home, "Cellar", { text: "email from Zoe: Cellar" });
  await post(home, "Lunch");
  await post(home, "Offer", { text: "email from Shop: Offer", tier: "DECLINE" });
  await post(home, "Disk", { source: "alerts", text: "webhook from host: Disk" });
  await post(home, "Fire", { tier: "NOTIFY" });
  await post(home, "Spam", { tier: "IGNORE" });

  expect(await runAlarmAt(home, 7)).toEqual([]);
  const [ref, ...others] = await runAlarmAt(home, 8);
  expect(others).toEqual([]);
  const digest = await readDigest(home, ref!);
  expect(digest.intent).toContain("4 messages");
  expect(digest.context.slice(0, -1)).toEqual([
    "alerts: 1 message",
    "• webhook from host: Disk",
    "Family mail: 3 messages",
    "• email from Ann: Lunch",
    "• email from Shop: Offer (to decline)",
    "• email from Zoe: Cellar",
  ]);
  await untilOffered(home, ref!, "olga");

  expect(await runAlarmAt(home, 18)).toEqual([ref]);
  await post(home, "Dinner");
  expect(await runAlarmAt(home, 19)).toEqual([ref]);
  expect(await runAlarmAt(home, 24 + 8)).toHaveLength(2);
});

test("a digest comes at the configured times on the household's clock", async () => {
  const home = await setUp({ digest: ["12:30"] });
  await configureHousehold(home, { settings: { time_zone: "Europe/Rome" } });
  await post(home, "Lunch");

  expect(await runAlarmAt(home, 10.4)).toEqual([]);
  expect(await runAlarmAt(home, 10.5)).toHaveLength(1);
});

test("an empty list of times sends no digest", async () => {
  const home = await setUp({ digest: [] });
  await post(home, "Lunch");

  expect(await runAlarmAt(home, 30)).toEqual([]);
});

test("a message that interrupted, or whose source was removed, is in no digest", async () => {
  const home = await setUp();
  await post(home, "Lunch");
  await post(home, "Lunch", { tier: "NOTIFY" });
  await post(home, "Disk", { source: "alerts" });
  unwrap(await home.rpc.sources.remove(home.owner, "alerts"));

  expect(await runAlarmAt(home, 8)).toEqual([]);
});

test("a message that is classified again after a digest is not listed twice", async () => {
  const home = await setUp();
  await post(home, "Lunch");
  const first = await runAlarmAt(home, 8);

  await post(home, "Lunch", { tier: "DECLINE" });

  expect(await runAlarmAt(home, 18)).toEqual(first);
});

test("the owner who is named in the configuration gets the digest", async () => {
  const home = await setUp({ owners: ["paul", "nobody"] });
  unwrap(
    await home.rpc.identity.addKey({ actor: "paul", role: "owner", key_hash: "ab".repeat(32) }),
  );
  await post(home, "Lunch");

  const [ref] = await runAlarmAt(home, 8);

  await untilOffered(home, ref!, "paul");
});

test("the object's own alarm is set to the digest", async () => {
  const home = await setUp();
  await post(home, "Lunch");

  const alarm = await runInDurableObject(
    env.HOUSEHOLDS.getByName(home.id),
    async (_object, state) => await state.storage.getAlarm(),
  );

  expect(alarm).toBeLessThanOrEqual(MORNING + 2 * HOUR_MS);
});
