/** A requestor with channels is notified of messages to it and of the end; one without channels is not. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buildSmsText } from "../../../src/channels/sms/send.ts";
import { expectNaming } from "../../support/naming.ts";
import { expectOkJson } from "../support.ts";
import {
  createDeliveryHousehold,
  type DeliveryHousehold,
  HOUR_MS,
  type RecordedNotice,
  MINUTE_MS,
  formatEventText,
  NoticeRecorder,
  NOTIFY_CHANNELS,
} from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.useRealTimers();
});

/** Scout sends the requests and has these channels. */
async function createHome(notify: object = NOTIFY_CHANNELS.phone): Promise<DeliveryHousehold> {
  const home = await createDeliveryHousehold();
  await expectOkJson(
    await home.owner.postBlocks({
      config: { executor: { id: "scout", capabilities: ["ask"], notify } },
    }),
  );
  return home;
}

/** Scout has a phone, and has sent a request that Ann holds. */
async function createOpenQuestion(more: object = {}): Promise<DeliveryHousehold & { ref: string }> {
  const home = await createHome();
  const ref = await home.agent.createThread("is the door locked", { requires: ["look"], ...more });
  await recorder.until(1);
  return { ...home, ref };
}

const QUESTION_TEXT = formatEventText("asked", "ann", "which door?");
const CONFIRM = formatEventText("asked_to_confirm", "ann", "go and look");

const listNotifiedTexts = (actor = "scout"): (string | undefined)[] =>
  recorder.notices
    .filter(({ notice }) => notice.executor === actor && notice.kind === "news")
    .map(({ notice }) => notice.eventText);

const waitForNotices = (...news: string[]): Promise<void> =>
  vi.waitFor(() => expect(listNotifiedTexts()).toEqual(news), { timeout: 5_000, interval: 5 });

describe("a requestor with a phone", () => {
  it("a requestor with a phone gets a question, a request for confirmation, and the answer with the end", async () => {
    const { ann, agent, ref } = await createOpenQuestion();

    await ann.claim(ref);
    await ann.appendBlocks(ref, {
      status: { code: "needs_input", questions: [{ id: "which", question: "which door?" }] },
    });
    await waitForNotices(QUESTION_TEXT);
    const question = recorder.notices.find(({ notice }) => notice.executor === "scout")!.notice;
    // The requestor signs in; no link acts for it.
    expect(question.link?.url).toMatch(/^https:\/\/mess\.test\/respond\?ref=[^&]+&session=/);
    expect(buildSmsText(question).split("\n")[0]).toEqual(
      expectNaming("which door?", "is the door locked"),
    );
    await agent.appendBlocks(ref, { answer: { value: "the back door" } });
    await ann.appendBlocks(ref, { status: { code: "needs_confirmation", action: "go and look" } });
    await waitForNotices(QUESTION_TEXT, CONFIRM);
    await agent.appendBlocks(ref, { reply: { confirm: true } });
    await ann.appendBlocks(
      ref,
      { response: { content: ["it is"] } },
      { status: { code: "completed" } },
    );

    await waitForNotices(QUESTION_TEXT, CONFIRM, formatEventText("completed", "ann", "it is"));
  });

  it("a requestor gets one notice for everything in one change", async () => {
    const { robo, agent } = await createHome();
    const ref = await agent.createThread("clean up", { requires: ["vacuum"] });
    await robo.appendBlocks(ref, { response: { content: ["clean"] } });
    await waitForNotices(formatEventText("completed", "robo", "clean"));
  });

  it("a requestor gets suggestions, followups, and an owner's replies in its place", async () => {
    const { ann, owner, ref } = await createOpenQuestion();
    await ann.appendBlocks(ref, {
      suggestion: { type: "defer", proposed: "P1D", reason: "it is dark" },
    });
    const suggested = formatEventText("suggested", "ann", "it is dark");
    await waitForNotices(suggested);
    await ann.appendBlocks(ref, { followup: { message: "really dark" } });
    await owner.appendBlocks(ref, { cancel: { reason: "never mind" } });
    await waitForNotices(
      suggested,
      formatEventText("said", "ann", "really dark"),
      formatEventText("cancelled", "owner", "never mind"),
    );
  });

  it("a requestor is notified that all have declined or that the request expired, and owners of the former", async () => {
    const { ann, ref } = await createOpenQuestion();
    await ann.appendBlocks(ref, { status: { code: "declined", reason: "too dark" } });
    await vi.waitFor(() => expect(listNotifiedTexts()).toEqual([expectNaming("declined")]));
    await vi.waitFor(() =>
      expect(recorder.notices.map(({ notice }) => [notice.kind, notice.status])).toContainEqual([
        "alert",
        "declined",
      ]),
    );

    recorder.clear();
    const other = await createOpenQuestion({ needed_by: "2051-03-04T11:00:00Z" });
    await other.pass(other.ref, HOUR_MS);
    expect(listNotifiedTexts()).toEqual([expectNaming("expired")]);
  });

  it("a requestor gets no notice of a claim, of progress, or of its own messages", async () => {
    const { ann, agent, ref } = await createOpenQuestion();
    await ann.claim(ref);
    await ann.appendBlocks(ref, { status: { code: "in_progress", message: "on my way" } });
    await agent.appendBlocks(ref, { followup: { message: "thanks" } });
    await agent.appendBlocks(ref, { cancel: {} });
    await vi.waitFor(() =>
      expect(listNotifiedTexts("ann")).toEqual([
        formatEventText("said", "scout", "thanks"),
        formatEventText("cancelled", "scout"),
      ]),
    );
    expect(listNotifiedTexts()).toEqual([]);
  });
});

describe("a requestor without channels", () => {
  it("a requestor without channels has no deliveries", async () => {
    const { agent, ann, deliveries, pass } = await createDeliveryHousehold({ ann: {} });
    const ref = await agent.createThread("is the door locked", { requires: ["look"] });
    await ann.appendBlocks(ref, { status: { code: "needs_input", message: "which?" } });
    await pass(ref, 45 * MINUTE_MS);
    await agent.appendBlocks(ref, { answer: { value: "the back door" } });
    await ann.appendBlocks(
      ref,
      { response: { content: ["it is"] } },
      { status: { code: "completed" } },
    );
    expect(await deliveries(ref)).toEqual([]);
  });
});

describe("a requestor with a pending answer", () => {
  const listAlerts = (): RecordedNotice[] =>
    recorder.notices.filter(({ notice }) => notice.kind === "alert");

  it("a requestor with a pending answer is reminded after half an hour, and owners are alerted once and may reply", async () => {
    const { ann, owner, ref, pass } = await createOpenQuestion({ priority: "normal" });
    await ann.claim(ref);
    await ann.appendBlocks(ref, { status: { code: "needs_input", message: "which door?" } });
    await waitForNotices(QUESTION_TEXT);

    await pass(ref, 30 * MINUTE_MS);
    expect(listNotifiedTexts()).toEqual([QUESTION_TEXT, expectNaming("which door?")]);
    expect(listNotifiedTexts()[1]).not.toBe(QUESTION_TEXT);
    expect(listAlerts()).toEqual([]);
    await pass(ref, 3 * 24 * HOUR_MS);

    expect(listNotifiedTexts()).toHaveLength(2);
    expect(listAlerts().map(({ notice }) => notice.eventText)).toEqual([
      expectNaming("scout", "which door?"),
    ]);
    expect(await owner.read("/api/v1/events")).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({
          ref,
          action: "escalated",
          note: expect.stringContaining("scout"),
        }),
      ]),
    });
    await owner.appendBlocks(ref, { answer: { value: "the back door" } });
    const { envelope } = await owner.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ status: "claimed", executor: "ann" });
  });

  it("a reminder of a question is dropped once it is answered", async () => {
    const { ann, agent, ref, pass, deliveries } = await createOpenQuestion();
    await ann.appendBlocks(ref, { status: { code: "needs_input", message: "which door?" } });
    await waitForNotices(QUESTION_TEXT);
    recorder.setAnswer((recorded) =>
      recorded.notice.executor === "scout" ? { ok: false, reason: "busy" } : recorder.accept(),
    );
    await pass(ref, 30 * MINUTE_MS);
    await agent.appendBlocks(ref, { answer: { value: "the back door" } });
    await pass(ref, 5 * MINUTE_MS);
    expect(await deliveries(ref)).toContainEqual(
      expect.objectContaining({ executor: "scout", state: "dropped" }),
    );
  });
});

it("a requestor that is a service is notified by its webhook", async () => {
  const { agent, ann } = await createHome(NOTIFY_CHANNELS.machine);
  const ref = await agent.createThread("is the door locked", { requires: ["look"] });
  await recorder.until(1);
  await ann.appendBlocks(ref, { response: { content: ["it is"] } });
  await vi.waitFor(() =>
    expect(listNotifiedTexts()).toEqual([formatEventText("responded", "ann", "it is")]),
  );
  const [news] = recorder.notices.filter(({ notice }) => notice.kind === "news");
  expect(news?.notice.callback?.url).toMatch(/scout$/);
});
