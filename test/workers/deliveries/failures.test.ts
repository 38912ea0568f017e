/** Failed deliveries are tried again, at another address or later; those given up are reported. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectNaming } from "../../support/naming.ts";
import { type Caller, expectOkJson } from "../support.ts";
import {
  createDeliveryHousehold,
  HOUR_MS,
  type RecordedNotice,
  MINUTE_MS,
  NoticeRecorder,
  SECOND_MS,
  NOTIFY_CHANNELS,
} from "./support.ts";

const recorder = new NoticeRecorder();
/** Delays between attempts, as in Standard Webhooks. */
const SCHEDULE = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const AT = SCHEDULE.map((_, index) => SCHEDULE.slice(0, index + 1).reduce((a, b) => a + b));

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const to = (executor: string) => (recorded: RecordedNotice) =>
  recorded.notice.executor === executor;

describe("an endpoint that fails", () => {
  it("a failing delivery is tried ten times in 75 hours with one id, and then reported to owners, requestor and events", async () => {
    const { agent, owner, ben, pass, deliveries, notes } = await createDeliveryHousehold();
    recorder.setFailure("ntfy");
    const ref = await agent.createThread("carry it", { requires: ["carry"] });
    await recorder.until(1);
    recorder.setAnswer((recorded) =>
      recorded.channel === "ntfy" && recorded.notice.kind !== "alert"
        ? { ok: false, reason: "out of order" }
        : recorder.accept(),
    );
    // Claimed over HTTP, so that only the news is left to deliver.
    await ben.claim(ref);
    await agent.appendBlocks(ref, { followup: { message: "mind the step" } });
    await recorder.until(2);
    const news = recorder.notices.at(-1)!;
    const { cursor } = await agent.read(`/mess/${ref}`);
    const waiting = agent.read(`/mess/${ref}/wait?cursor=${cursor}&timeout=30`);
    await ben.appendBlocks(ref, { status: { code: "in_progress", estimate: "P10D" } });
    await waiting;

    await pass(ref, 80 * HOUR_MS);

    const attempts = recorder.notices.filter(({ notice }) => notice.id === news.notice.id);
    expect(attempts.map(({ at }) => at)).toEqual(AT);
    expect(await deliveries(ref)).toContainEqual(
      expect.objectContaining({ id: news.notice.id, state: "dead", attempts: 10 }),
    );
    const failures = await notes(ref, "delivery_failed");
    expect(failures).toEqual(failures.map(() => expectNaming("ben", "ntfy", "out of order")));
    expect(failures).toContainEqual(expectNaming("ben", 9, 10, "24 h"));
    const alerts = recorder.notices.filter(({ notice }) => notice.kind === "alert");
    expect(alerts.map(({ notice }) => [notice.executor, notice.eventText])).toEqual([
      ["owner", expectNaming("ben", "ntfy", "out of order", 10)],
    ]);
    expect(alerts[0]!.notice.actions).not.toContain("claimed");
    // The link gives no access without a sign-in, since owners sign in.
    expect(alerts[0]!.notice.link?.url).toMatch(
      /^https:\/\/mess\.test\/respond\?ref=[^&]+&session=/,
    );
    const { events } = await owner.read("/api/v1/events");
    expect(events.filter((one: { action?: string }) => one.action === "delivery_failed")).toEqual([
      expect.objectContaining({ ref, by: "ben" }),
    ]);
    const now = await agent.read(`/mess/${ref}`);
    expect(now.cursor).toBeGreaterThan(cursor + 1);
  });

  it("an endpoint that fails may state when to try again", async () => {
    const { agent, pass } = await createDeliveryHousehold();
    recorder.setFailure("discord", { retryAfterSeconds: 90 });
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    recorder.setAnswer();

    await pass(ref, 89 * SECOND_MS);
    expect(recorder.notices).toHaveLength(1);
    await pass(ref, 2 * SECOND_MS);

    expect(recorder.notices.map(({ at }) => at)).toEqual([0, 90 * SECOND_MS]);
  });

  it("a failed delivery goes to the member's next address at once", async () => {
    const { agent, notes } = await createDeliveryHousehold({
      ann: { ...NOTIFY_CHANNELS.chat, ...NOTIFY_CHANNELS.phone },
    });
    recorder.setFailure("discord");

    const ref = await agent.createThread("check the fridge", { requires: ["look"] });

    await recorder.until(2);
    expect(recorder.labels).toEqual(["offer ann discord", "offer ann ntfy"]);
    await vi.waitFor(async () =>
      expect(await notes(ref, "delivery_failed")).toEqual([
        expectNaming("ann", "discord", "out of order", "ntfy"),
      ]),
    );
    expect(await notes(ref, "dispatched")).toContainEqual(expectNaming("ann", "ntfy"));
  });

  it("an address that no longer exists is not used again", async () => {
    const { agent, deliveries, pass } = await createDeliveryHousehold();
    recorder.setFailure("discord", { isPermanent: true });

    const first = await agent.createThread("check the fridge", { requires: ["look"] });
    await vi.waitFor(async () =>
      expect((await deliveries(first))[0]).toMatchObject({ state: "dead", attempts: 1 }),
    );
    await recorder.until(2);
    await agent.createThread("check the cellar", { requires: ["look"] });
    await pass(first, 5 * MINUTE_MS);

    expect(recorder.labels).toEqual(["offer ann discord", "alert owner ntfy"]);
  });

  it("failures are reported to the household for its circuit breaker", async () => {
    const { agent, id, pass } = await createDeliveryHousehold();
    recorder.setFailure("discord");
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });

    await pass(ref, MINUTE_MS);

    const counted = await runInDurableObject(env.HOUSEHOLDS.getByName(id), (_, { storage }) =>
      storage.sql.exec("SELECT executor, channel, failures FROM breakers").toArray(),
    );
    expect(counted).toEqual([{ executor: "ann", channel: "discord", failures: 2 }]);
  });

  it("an endpoint that hangs does not delay a hundred others", async () => {
    const { agent, owner } = await createDeliveryHousehold();
    const helpers = Array.from({ length: 97 }, (_, at) => [
      `helper-${at}`,
      { capabilities: ["help"], notify: NOTIFY_CHANNELS.phone },
    ]);
    await expectOkJson(
      await owner.postBlocks({ config: { executors: Object.fromEntries(helpers) } }),
    );
    const stuck = Promise.withResolvers<{ ok: true }>();
    recorder.setAnswer((recorded) => (to("ann")(recorded) ? stuck.promise : recorder.accept()));

    await agent.createThread("anybody");

    await recorder.until(100);
    stuck.resolve({ ok: true });
    expect(new Set(recorder.notices.map(({ notice }) => notice.executor)).size).toBe(100);
  });

  it("an owner who cannot be notified is alerted once, and not of their own failure", async () => {
    const { agent, deliveries, pass } = await createDeliveryHousehold();
    recorder.setAnswer(() => ({ ok: false, reason: "out of order", isPermanent: true }));

    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await pass(ref, 100 * MINUTE_MS);

    const alerts = (await deliveries(ref)).filter(({ kind }) => kind === "alert");
    expect(alerts.filter(({ state }) => state !== "dropped")).toEqual([
      expect.objectContaining({ executor: "owner", state: "dead" }),
    ]);
  });
});

describe("an irrelevant delivery", () => {
  it("an offer is dropped with a reason when another executor claims the request", async () => {
    const { agent, ann, pass, deliveries } = await createDeliveryHousehold();
    recorder.setFailure("webhook");
    const ref = await agent.createThread("anybody");
    await recorder.until(3);

    await ann.claim(ref);
    await pass(ref, 10 * MINUTE_MS);

    expect(recorder.labels.filter((label) => label === "offer robo webhook")).toHaveLength(1);
    expect(await deliveries(ref)).toContainEqual(
      expect.objectContaining({
        executor: "robo",
        kind: "offer",
        state: "dropped",
        error: expect.any(String),
      }),
    );
  });

  it("an offer is dropped when its member declines or the request ends", async () => {
    const { agent, robo, pass, deliveries } = await createDeliveryHousehold();
    recorder.setFailure("webhook");
    const declined = await agent.createThread("clean", { requires: ["vacuum"] });
    const cancelled = await agent.createThread("clean again", { requires: ["vacuum"] });
    await recorder.until(2);

    await robo.appendBlocks(declined, { status: { code: "declined" } });
    await agent.appendBlocks(cancelled, { cancel: {} });
    await pass(declined, 10 * MINUTE_MS);
    await pass(cancelled, MINUTE_MS);

    const offers = [...(await deliveries(declined)), ...(await deliveries(cancelled))]
      .filter(({ kind }) => kind === "offer")
      .map(({ state, error }) => [state, error]);
    expect(offers[0]).toEqual(["dropped", expectNaming("declined")]);
    expect(offers[1]).toEqual(["dropped", expectNaming("cancelled")]);
  });
});

describe("a member in quiet hours", () => {
  const isQuiet = (owner: Caller, quiet_hours: string) =>
    owner.postBlocks({
      config: {
        executor: { id: "ann", capabilities: ["look"], notify: NOTIFY_CHANNELS.chat, quiet_hours },
      },
    });

  it("a member in quiet hours is notified after them, unless the request is urgent", async () => {
    const { agent, owner, pass, deliveries } = await createDeliveryHousehold();
    await isQuiet(owner, "09:00-12:00");

    const calm = await agent.createThread("check the fridge", { requires: ["look"] });
    await vi.waitFor(async () =>
      expect(await deliveries(calm)).toMatchObject([{ state: "due", attempts: 0 }]),
    );
    await agent.createThread("it burns", { requires: ["look"], priority: "urgent" });
    await recorder.until(1);
    await pass(calm, 3 * HOUR_MS);

    const received = recorder.notices.filter(to("ann"));
    expect(received.map(({ notice }) => [notice.kind, notice.priority])).toEqual([
      ["offer", "urgent"],
      ["offer", "normal"],
      ["reminder", "normal"],
    ]);
    // The time of the step begins with the notice, and the last minute of quiet hours is included.
    const open = 2 * HOUR_MS + MINUTE_MS;
    expect(received.slice(1).map(({ at }) => at)).toEqual([open, open + 15 * MINUTE_MS]);
  });

  it("a member in quiet hours gets the answer to a recent question at once, and other news after them", async () => {
    const { agent, owner, ann, pass, deliveries } = await createDeliveryHousehold();
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    await isQuiet(owner, "09:00-15:00");
    await ann.appendBlocks(ref, { status: { code: "needs_input", questions: ["which fridge?"] } });
    recorder.clear();

    await agent.appendBlocks(ref, { answer: { value: "the kitchen one" } });
    await vi.waitFor(() => expect(recorder.labels).toContain("news ann discord"));
    await pass(ref, 2 * HOUR_MS);
    await agent.appendBlocks(ref, { followup: { message: "no hurry" } });

    await vi.waitFor(async () =>
      expect(await deliveries(ref)).toContainEqual(
        expect.objectContaining({
          executor: "ann",
          state: "due",
          error: expectNaming("09:00-15:00"),
        }),
      ),
    );
  });
});

describe("deliveries after a crash or an outage", () => {
  const getThreadObject = (home: string, ref: string) => env.THREADS.getByName(`${home}/${ref}`);

  it("deliveries are sent once the household responds again", async () => {
    const { agent, id, pass } = await createDeliveryHousehold();
    const real = env.HOUSEHOLDS.getByName.bind(env.HOUSEHOLDS);
    let down = false;
    const ref = await agent.createThread("find out who asks", { requires: ["look"] });
    await recorder.until(1);
    await runInDurableObject(getThreadObject(id, ref), (instance) => {
      vi.spyOn(instance["env"].HOUSEHOLDS, "getByName").mockImplementation((name) => {
        if (down) throw new Error("the household is down");
        return real(name);
      });
    });
    recorder.setFailure("discord");
    await agent.appendBlocks(ref, { followup: { message: "in the kitchen" } });
    await recorder.until(2);
    down = true;
    recorder.setAnswer();

    await pass(ref, 30 * SECOND_MS);
    expect(recorder.notices).toHaveLength(2);
    down = false;
    await pass(ref, 2 * MINUTE_MS);

    expect(recorder.notices.length).toBeGreaterThan(2);
  });

  it("a delivery that a crash interrupted is sent again with the same id", async () => {
    const { agent, pass, deliveries } = await createDeliveryHousehold();
    const stuck = Promise.withResolvers<{ ok: true }>();
    recorder.setAnswer(() => stuck.promise);
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);

    await abortAllDurableObjects();
    recorder.setAnswer();
    await pass(ref, 3 * MINUTE_MS);

    expect(recorder.notices.length).toBeGreaterThan(1);
    expect(new Set(recorder.notices.map(({ notice }) => notice.id)).size).toBe(1);
    expect(await deliveries(ref)).toMatchObject([{ state: "delivered" }]);
    stuck.resolve({ ok: true });
  });

  it("deliveries are sent while the index is down", async () => {
    const { agent, id } = await createDeliveryHousehold();
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    await runInDurableObject(getThreadObject(id, ref), (instance) => {
      vi.spyOn(instance["env"].INDEX, "prepare").mockImplementation(() => {
        throw new Error("D1 is down");
      });
    });

    await agent.appendBlocks(ref, { followup: { message: "in the kitchen" } });

    await recorder.until(2);
    await runDurableObjectAlarm(getThreadObject(id, ref));
  });
});
