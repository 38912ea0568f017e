/** A snoozed member gets its notices afterwards, except urgent ones. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import { type Caller, expectOkJson, waitUntil } from "../support.ts";
import {
  createDeliveryHousehold,
  HOUR_MS,
  MINUTE_MS,
  NoticeRecorder,
  passHousehold,
  START,
} from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const snooze = { state: "snoozed", until: "30m" };
const putPresence = (body: object): RequestInit => ({
  method: "PUT",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

it("a snoozed member is notified when the snooze ends, and of urgent requests at once", async () => {
  const { ann, agent, pass } = await createDeliveryHousehold();
  await expectOkJson(await ann.fetch("/api/v1/presence", putPresence(snooze)));

  const ref = await agent.createThread("water the basil", { requires: ["look"] });
  await agent.createThread("stop the leak", { requires: ["look"], priority: "urgent" });
  await recorder.until(1);

  expect(recorder.notices.map(({ notice }) => notice.intent)).toEqual(["stop the leak"]);
  await pass(ref, 31 * MINUTE_MS);
  await recorder.until(2);
  expect(recorder.notices[1]).toMatchObject({ notice: { intent: "water the basil" } });
  expect(recorder.notices[1]!.at).toBeGreaterThanOrEqual(HOUR_MS / 2);
});

it("a snooze without an end is refused", async () => {
  const { ann } = await createDeliveryHousehold();

  const refused = await ann.fetch("/api/v1/presence", putPresence({ state: "snoozed" }));

  expect(refused.status).toBe(400);
});

const setPresence = async (caller: Caller, body: object) =>
  await expectOkJson(await caller.fetch("/api/v1/presence", putPresence(body)));

/** Ann is snoozed for the time, and a notice for her waits. */
async function holdNotice(until = "3h") {
  const home = await createDeliveryHousehold();
  await setPresence(home.ann, { state: "snoozed", until });
  const ref = await home.agent.createThread("water the basil", { requires: ["look"] });
  await waitUntil(async () =>
    expect(await home.deliveries(ref)).toMatchObject([{ state: "due", error: "snoozed" }]),
  );
  return { ...home, ref };
}

it("a notice that waits for a snooze is sent when the member is back", async () => {
  const { id, ann, ref, deliveries } = await holdNotice();

  await setPresence(ann, { state: "here" });
  await passHousehold(id, 1_000);
  await recorder.until(1);

  expect(recorder.notices[0]).toMatchObject({ notice: { intent: "water the basil" } });
  expect(recorder.notices[0]!.at).toBeLessThan(MINUTE_MS);
  await waitUntil(async () =>
    expect(await deliveries(ref)).toMatchObject([{ state: "delivered" }]),
  );
});

it("a notice that waits for a snooze is sent once, also when the household cannot reach its thread at first", async () => {
  const { id, ann, ref, pass } = await holdNotice();
  vi.spyOn(ThreadObject.prototype, "releaseHeld")
    .mockRejectedValueOnce(new Error("down"))
    .mockRejectedValueOnce(new Error("down"));

  await setPresence(ann, { state: "here" });
  await passHousehold(id, MINUTE_MS);
  await recorder.until(1);
  await pass(ref, 4 * HOUR_MS);

  const offers = recorder.notices.filter(({ notice }) => notice.kind === "offer");
  expect(offers).toHaveLength(1);
});

it("a notice waits until the end of a snooze that the member shortened", async () => {
  const { ann, id, ref, pass, deliveries } = await holdNotice();

  await setPresence(ann, { state: "snoozed", until: "10m" });
  await passHousehold(id, 30_000);

  await waitUntil(async () => {
    const [delivery] = await deliveries(ref);
    expect(delivery!.due - START).toBeLessThan(11 * MINUTE_MS);
    expect(delivery!.due - START).toBeGreaterThan(9 * MINUTE_MS);
  });
  expect(recorder.notices).toEqual([]);
  await pass(ref, 11 * MINUTE_MS);
  await recorder.until(1);
});

it("a notice that waits for quiet hours is sent when the configuration ends them", async () => {
  const { id, owner, agent, deliveries } = await createDeliveryHousehold();
  const ann = { id: "ann", capabilities: ["look"], notify: { ntfy: "topic" } };
  const config = { executor: { ...ann, quiet_hours: "00:00-23:59" } };
  await expectOkJson(await owner.postBlocks({ config }));
  const ref = await agent.createThread("water the basil", { requires: ["look"] });
  await waitUntil(async () =>
    expect(await deliveries(ref)).toMatchObject([
      { state: "due", error: expect.stringContaining("quiet") },
    ]),
  );

  await expectOkJson(await owner.postBlocks({ config: { executor: ann } }));
  await passHousehold(id, 1_000);

  await recorder.until(1);
  expect(recorder.notices[0]!.at).toBeLessThan(MINUTE_MS);
});

it("a notice that waits for another attempt is not sent when its member is back", async () => {
  const { agent, id, deliveries } = await createDeliveryHousehold();
  recorder.setFailure("discord");
  const ref = await agent.createThread("water the basil", { requires: ["look"] });
  const [failed] = await waitUntil(async () => {
    const rows = await deliveries(ref);
    expect(rows).toMatchObject([{ state: "due", attempts: 1 }]);
    return rows;
  });

  await env.THREADS.getByName(`${id}/${ref}`).releaseHeld("ann");

  expect(await deliveries(ref)).toMatchObject([{ attempts: 1, due: failed!.due }]);
});
