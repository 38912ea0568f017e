/** After repeated failures a member's channel is not used for a while, and no delivery is lost. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CircuitBreakers } from "../../../src/household/contacts/circuit-breakers.ts";
import {
  createDeliveryHousehold,
  HOUR_MS,
  MINUTE_MS,
  NoticeRecorder,
  SECOND_MS,
  NOTIFY_CHANNELS,
} from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Five failures in a row, in other threads. */
const breaks = async (household: string, ref: string): Promise<void> => {
  const failed = { executor: "ann", channel: "discord", ref, ok: false } as const;
  await getHouseholdStub(env, household).contacts.reportDeliveries([
    failed,
    failed,
    failed,
    failed,
    failed,
  ]);
};

describe("a member with a broken channel", () => {
  it("a member with a failing channel is notified by another, and edits wait until the channel is tried again", async () => {
    const home = await createDeliveryHousehold({
      ann: { ...NOTIFY_CHANNELS.chat, ...NOTIFY_CHANNELS.phone },
    });
    const { id, agent, pass, deliveries } = home;
    const first = await agent.createThread("look at the shelf", { requires: ["look"] });
    await recorder.until(1);
    await breaks(id, first);

    await agent.appendBlocks(first, { cancel: { reason: "found it" } });
    const second = await agent.createThread("look at the door", { requires: ["look"] });
    await recorder.until(2);

    expect(recorder.labels).toEqual(["offer ann discord", "offer ann ntfy"]);
    expect(recorder.notices[1]!.notice.ref).toBe(second);
    expect(await deliveries(first)).toContainEqual(
      expect.objectContaining({ kind: "update", state: "due" }),
    );
    await pass(first, 30 * SECOND_MS);
    expect(recorder.notices.at(-1)).toMatchObject({ channel: "discord", edited: "m1" });
    await pass(first, MINUTE_MS);
    expect((await deliveries(first)).map(({ state }) => state)).not.toContain("due");
  });

  it("a delivery by a failing channel is given up after as many attempts as any other", async () => {
    const { agent, ann, pass, deliveries } = await createDeliveryHousehold();
    const ref = await agent.createThread("look at the shelf", { requires: ["look"] });
    await recorder.until(1);
    await ann.claim(ref);
    await ann.appendBlocks(ref, { status: { code: "in_progress", estimate: "P30D" } });
    await pass(ref, SECOND_MS);
    vi.spyOn(CircuitBreakers.prototype, "getOpenUntil").mockImplementation(
      (executor, _channel, now) => (executor === "ann" ? now + HOUR_MS : undefined),
    );
    recorder.clear();

    await agent.appendBlocks(ref, { followup: { message: "mind the step" } });
    await pass(ref, 70 * HOUR_MS);
    expect(await deliveries(ref)).toContainEqual(
      expect.objectContaining({ kind: "news", state: "due" }),
    );
    await pass(ref, 20 * HOUR_MS);

    expect(await deliveries(ref)).toContainEqual(
      expect.objectContaining({ kind: "news", state: "dead", attempts: 10 }),
    );
    expect(recorder.labels).toEqual(["alert owner ntfy"]);
  });
});
