/** A suspended household sends nothing and loses nothing. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Caller, expectOkJson, OPERATOR_KEY, waitUntil } from "../support.ts";
import { createDeliveryHousehold, MINUTE_MS, NoticeRecorder, passHousehold } from "./support.ts";

const recorder = new NoticeRecorder();
const operator = new Caller("operator", OPERATOR_KEY);

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const setSuspended = async (id: string, method: "PUT" | "DELETE") =>
  await expectOkJson(await operator.fetch(`/api/v1/households/${id}/suspension`, { method }));

it("a notice that is due during a suspension is sent after it, and a schedule fires then", async () => {
  const { id, owner, agent, pass, deliveries } = await createDeliveryHousehold();
  await expectOkJson(
    await owner.post("/api/v1/schedules", {
      id: "basil",
      cron: "5 10 * * *",
      request: { intent: "water the basil", requires: ["look"] },
    }),
  );
  recorder.setFailure("discord", { retryAfterSeconds: 300 });
  const ref = await agent.createThread("look at the shelf", { requires: ["look"] });
  await recorder.until(1);
  await waitUntil(async () => expect(await deliveries(ref)).toMatchObject([{ attempts: 1 }]));
  recorder.clear();

  await setSuspended(id, "PUT");
  await pass(ref, 6 * MINUTE_MS);
  await passHousehold(id, MINUTE_MS);

  expect(recorder.notices).toEqual([]);
  expect((await deliveries(ref))[0]).toMatchObject({ state: "due", attempts: 1 });

  await setSuspended(id, "DELETE");
  await passHousehold(id, MINUTE_MS);
  await recorder.until(2);

  expect(recorder.notices.map(({ notice }) => notice.intent).toSorted()).toEqual([
    "look at the shelf",
    "water the basil",
  ]);
});
