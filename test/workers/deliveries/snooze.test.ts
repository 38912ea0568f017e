/** A snoozed member gets its notices afterwards, except urgent ones. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { expectOkJson } from "../support.ts";
import { createDeliveryHousehold, HOUR_MS, MINUTE_MS, NoticeRecorder } from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
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
