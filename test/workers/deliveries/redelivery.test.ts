/** Deliveries over HTTP: who may list them, and sending one again. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectNaming } from "../../support/naming.ts";
import { readRefusal } from "../support.ts";
import { createDeliveryHousehold, MINUTE_MS, NoticeRecorder } from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.useRealTimers();
});

const listOf = async (home: Awaited<ReturnType<typeof createDeliveryHousehold>>, ref: string) =>
  (await home.owner.read(`/mess/${ref}/deliveries`)).deliveries;

describe("a thread's deliveries", () => {
  it("deliveries of a thread are listed for its requestor and for owners only", async () => {
    const home = await createDeliveryHousehold();
    recorder.setFailure("discord");
    const ref = await home.agent.createThread("check the fridge", { requires: ["look"] });
    await home.pass(ref, MINUTE_MS);

    const seen = await home.agent.read(`/mess/${ref}/deliveries`);

    expect(seen).toEqual(await home.owner.read(`/mess/${ref}/deliveries`));
    expect(seen.deliveries).toEqual([
      {
        id: recorder.notices[0]!.notice.id,
        executor: "ann",
        channel: null,
        kind: "offer",
        state: "due",
        attempts: 2,
        next: "2051-03-04T10:05:05+00:00",
        error: expectNaming("discord", "out of order"),
        at: "2051-03-04T10:00:05+00:00",
      },
    ]);
    expect(await readRefusal(await home.ann.fetch(`/mess/${ref}/deliveries`))).toBe(
      "403 wrong_role",
    );
    expect(await readRefusal(await home.ben.fetch(`/mess/${ref}/deliveries`))).toBe(
      "404 not_found",
    );
  });

  it("an owner sends a failed delivery again with its id", async () => {
    const home = await createDeliveryHousehold();
    recorder.setFailure("discord");
    const ref = await home.agent.createThread("check the fridge", { requires: ["look"] });
    await home.pass(ref, MINUTE_MS);
    const [{ id }] = await listOf(home, ref);
    recorder.clear();

    const path = `/mess/${ref}/deliveries/${id}/redeliver`;
    expect(await readRefusal(await home.agent.post(path, {}))).toBe("403 wrong_role");
    const again = await home.owner.post(path, {});

    expect(await again.json()).toMatchObject({ id, state: "due", attempts: 0 });
    await recorder.until(1);
    expect(recorder.notices[0]!.notice.id).toBe(id);
    await vi.waitFor(async () =>
      expect(await listOf(home, ref)).toMatchObject([
        { id, state: "delivered", channel: "discord" },
      ]),
    );
  });

  it("an owner sends a delivered notice again, as a new message", async () => {
    const home = await createDeliveryHousehold();
    const ref = await home.agent.createThread("check the fridge", { requires: ["look"] });
    await vi.waitFor(async () => expect((await listOf(home, ref))[0].state).toBe("delivered"));
    const [{ id }] = await listOf(home, ref);

    await home.owner.post(`/mess/${ref}/deliveries/${id}/redeliver`, {});

    await recorder.until(2);
    expect(recorder.notices.map(({ edited, notice }) => [edited, notice.id])).toEqual([
      [undefined, id],
      [undefined, id],
    ]);
  });

  it("sending an unknown delivery again is refused", async () => {
    const home = await createDeliveryHousehold();
    const ref = await home.agent.createThread("check the fridge", { requires: ["look"] });

    const path = `/mess/${ref}/deliveries/msg_none/redeliver`;

    expect(await readRefusal(await home.owner.post(path, {}))).toBe("404 not_found");
  });
});
