/** The recipients, channels and contents of notices. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_CHANNEL_REASON } from "../../../src/delivery/delivery.ts";
import { expectNaming } from "../../support/naming.ts";
import {
  createDeliveryHousehold,
  type RecordedNotice,
  formatEventText,
  NoticeRecorder,
  NOTIFY_CHANNELS,
} from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.useRealTimers();
});

const formatLine = ({ notice: { kind, executor, eventText: news } }: RecordedNotice) =>
  `${kind} ${executor}: ${news}`;

describe("an offer", () => {
  it("an offer is sent to its candidate at once, with a link and the allowed actions", async () => {
    const { agent, notes } = await createDeliveryHousehold();

    const ref = await agent.createThread("check the fridge", {
      requires: ["look"],
      context: ["we shop at six"],
    });

    await recorder.until(1);
    const [{ notice, file }] = recorder.notices as [RecordedNotice];
    expect(notice).toMatchObject({
      kind: "offer",
      executor: "ann",
      ref,
      intent: "check the fridge",
      status: "pending",
      requestor: "scout",
      holder: null,
      isHolder: false,
      context: ["we shop at six"],
      request: { intent: "check the fridge" },
    });
    expect(notice.id).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(notice.actions).toEqual(expect.arrayContaining(["claimed", "declined", "response"]));
    expect(notice.link?.url).toContain(`https://mess.test/respond?ref=${ref}`);
    expect(file).toContain("intent: check the fridge");
    await vi.waitFor(async () =>
      expect(await notes(ref, "dispatched")).toContainEqual(expectNaming("ann", "discord")),
    );
  });

  it("an offer to a machine has a callback address", async () => {
    const { agent, id } = await createDeliveryHousehold();

    await agent.createThread("clean up", { requires: ["vacuum"] });

    await recorder.until(1);
    expect(recorder.notices[0]!.notice.callback).toMatchObject({
      url: `https://mess.test/hooks/executor/${id}/robo`,
    });
  });

  it("sending an offer does not change the cursor of the thread", async () => {
    const { agent, notes } = await createDeliveryHousehold();
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await vi.waitFor(async () => expect(await notes(ref, "dispatched")).toHaveLength(2));

    const { cursor } = await agent.read(`/mess/${ref}`);

    expect(cursor).toBe(1);
  });

  it("an urgent offer is sent to every address at once, any other to the first that accepts it", async () => {
    const { agent } = await createDeliveryHousehold({
      ann: { ...NOTIFY_CHANNELS.chat, ...NOTIFY_CHANNELS.phone },
    });

    await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    await agent.createThread("the kettle boils over", { requires: ["look"], priority: "urgent" });
    await recorder.until(3);

    expect(recorder.labels).toEqual(["offer ann discord", "offer ann discord", "offer ann ntfy"]);
  });

  it("an offer creates no delivery if no candidate has a channel", async () => {
    const { agent, deliveries } = await createDeliveryHousehold({ ann: {} });

    const ref = await agent.createThread("check the fridge", { requires: ["look"] });

    expect(await deliveries(ref)).toEqual([]);
  });

  it("a candidate without a channel is listed as not notified if others are notified", async () => {
    const { agent, deliveries } = await createDeliveryHousehold({ ann: {} });

    const ref = await agent.createThread("anybody");

    await vi.waitFor(async () =>
      expect(await deliveries(ref)).toContainEqual(
        expect.objectContaining({
          executor: "ann",
          state: "dropped",
          error: NO_CHANNEL_REASON,
        }),
      ),
    );
  });
});

describe("names of members in notices", () => {
  it("notices contain the members' display names", async () => {
    const { agent, ann } = await createDeliveryHousehold();
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    await ann.claim(ref);
    recorder.clear();

    await ann.appendBlocks(ref, { status: { code: "delegated", delegated_to: "ben" } });

    await recorder.until(2);
    expect(recorder.notices.map(formatLine)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^offer ben: .*\bAnn\b/),
        expect.stringMatching(/^update ann: .*\bAnn\b.*\bben\b/),
      ]),
    );
  });
});

describe("news", () => {
  it("an answer is news for the member with the question, a followup for the holder", async () => {
    const { agent, ann } = await createDeliveryHousehold();
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    await ann.appendBlocks(ref, {
      status: { code: "needs_input", questions: [{ id: "which", question: "which fridge?" }] },
    });
    await recorder.until(2);
    recorder.clear();

    await agent.appendBlocks(ref, { reply: { answers: { which: "the kitchen one" } } });
    await recorder.until(2);
    await ann.claim(ref);
    await recorder.until(3);
    await agent.appendBlocks(ref, { followup: { message: "no hurry" } });
    await recorder.until(4);

    expect(recorder.notices.filter(({ notice }) => notice.kind === "news").map(formatLine)).toEqual(
      [
        `news ann: ${formatEventText("answered", "scout", "the kitchen one")}`,
        `news ann: ${formatEventText("said", "scout", "no hurry")}`,
      ],
    );
  });

  it("a confirmation and a cancel are news for the holder", async () => {
    const { agent, ben } = await createDeliveryHousehold();
    const ref = await agent.createThread("throw it away", { requires: ["carry"] });
    await recorder.until(1);
    await ben.appendBlocks(ref, {
      status: { code: "needs_confirmation", action: "throw the sofa out" },
    });
    recorder.clear();

    await agent.appendBlocks(ref, { reply: { confirm: true } });
    await recorder.until(1);
    await agent.appendBlocks(ref, { cancel: { reason: "sold it" } });
    await recorder.until(2);

    expect(recorder.notices.map(formatLine)).toEqual([
      `news ben: ${formatEventText("confirmed", "scout")}`,
      `news ben: ${formatEventText("cancelled", "scout", "sold it")}`,
    ]);
  });

  it("a member gets no news of its own messages", async () => {
    const { agent, ben } = await createDeliveryHousehold();
    const ref = await agent.createThread("carry it", { requires: ["carry"] });
    await recorder.until(1);

    await ben.claim(ref);
    await ben.appendBlocks(ref, { followup: { message: "on my way" } });
    await ben.appendBlocks(ref, { status: { code: "completed" } });
    await agent.appendBlocks(ref, { followup: { message: "thanks" } });
    await recorder.until(2);

    expect(recorder.notices.map(formatLine)).toEqual([
      "offer ben: undefined",
      `news ben: ${formatEventText("said", "scout", "thanks")}`,
    ]);
  });
});

describe("an update", () => {
  it("an update edits sent notices, also for the member who made the change, and names the holder", async () => {
    const { agent, ann } = await createDeliveryHousehold();
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);

    await ann.claim(ref);

    await recorder.until(2);
    expect(recorder.notices[1]).toMatchObject({
      edited: "m1",
      notice: {
        kind: "update",
        editsKind: "offer",
        eventText: formatEventText("claimed", "ann"),
        holder: "Ann",
        isHolder: true,
      },
    });
  });

  it("an update is a new message for a machine, and none for a phone when another executor claims the request", async () => {
    const { agent, ann } = await createDeliveryHousehold();
    const ref = await agent.createThread("anybody");
    await recorder.until(3);
    recorder.clear();

    await ann.claim(ref);

    await recorder.until(2);
    expect(recorder.labels.toSorted()).toEqual(["update ann discord", "update robo webhook"]);
    expect(
      recorder.notices.every(
        ({ notice }) => notice.eventText === formatEventText("claimed", "ann"),
      ),
    ).toBe(true);
  });

  it("several unsent changes become one update", async () => {
    const { agent, ann, pass, deliveries } = await createDeliveryHousehold();
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    recorder.setAnswer((recorded) =>
      recorded.edited ? { ok: false, reason: "busy" } : recorder.accept(),
    );
    await ann.claim(ref);
    await recorder.until(2);
    await ann.appendBlocks(ref, { status: { code: "in_progress" } });
    await ann.appendBlocks(ref, { status: { code: "completed" } });
    recorder.clear();

    await pass(ref, 10 * 60_000);

    const updates = (await deliveries(ref)).filter(({ kind }) => kind === "update");
    expect(updates.every(({ state }) => state === "delivered")).toBe(true);
    expect(updates.length).toBeLessThanOrEqual(2);
    expect(recorder.notices.at(-1)?.notice).toMatchObject({ status: "completed" });
  });
});

describe("an alert", () => {
  it("an alert that was being sent when an owner took the request is edited", async () => {
    const { owner, agent } = await createDeliveryHousehold({ alerts: NOTIFY_CHANNELS.chat });
    const response = Promise.withResolvers<{ ok: true; handle: string }>();
    recorder.setAnswer(({ edited }) => (edited ? recorder.accept() : response.promise));
    const ref = await agent.createThread("mow the lawn", { requires: ["mow"] });
    await recorder.until(1);

    await owner.claim(ref);
    response.resolve({ ok: true, handle: "m1" });

    await recorder.until(2);
    expect(recorder.notices[1]).toMatchObject({
      edited: "m1",
      notice: { kind: "alert", status: "claimed", isHolder: true },
    });
  });

  it("owners get an alert when a request ends because of another", async () => {
    const { agent, id } = await createDeliveryHousehold();
    const first = await agent.createThread("buy rice", { requires: ["look"] });
    await agent.createThread("cook it", {
      requires: ["carry"],
      constraints: { depends_on: [first], on_dependency_failure: "cancel" },
    });
    await recorder.until(1);

    await agent.appendBlocks(first, { cancel: {} });

    await vi.waitFor(
      async () => {
        await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));
        expect(
          recorder.notices.map(({ notice }) => [notice.kind, notice.eventText]),
        ).toContainEqual(["alert", expectNaming(first, "cancelled")]);
      },
      { timeout: 10_000 },
    );
  });
});
