/** A requestor with channels of its own is told what others say to it, and how it ended; others are not. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buildSmsText } from "../../../src/channels/sms/send.ts";
import { naming } from "../../support/naming.ts";
import { expectOkJson } from "../support.ts";
import {
  createDeliveryHousehold,
  type DeliveryHousehold,
  HOUR_MS,
  type Letter,
  MINUTE_MS,
  newsOf,
  PostOffice,
  NOTIFY_CHANNELS,
} from "./support.ts";

const post = new PostOffice();

beforeEach(() => post.clear());
afterEach(() => {
  vi.useRealTimers();
});

/** Scout, who makes the requests, is told by these ways. */
async function homeOf(notify: object = NOTIFY_CHANNELS.phone): Promise<DeliveryHousehold> {
  const home = await createDeliveryHousehold();
  await expectOkJson(
    await home.owner.say({ config: { executor: { id: "scout", capabilities: ["ask"], notify } } }),
  );
  return home;
}

/** Scout has a phone, and has asked Ann to look. */
async function asked(more: object = {}): Promise<DeliveryHousehold & { ref: string }> {
  const home = await homeOf();
  const ref = await home.agent.ask("is the door locked", { requires: ["look"], ...more });
  await post.until(1);
  return { ...home, ref };
}

const ASKED = newsOf("asked", "ann", "which door?");
const CONFIRM = newsOf("asked_to_confirm", "ann", "go and look");

const told = (actor = "scout"): (string | undefined)[] =>
  post.letters
    .filter(({ notice }) => notice.executor === actor && notice.kind === "news")
    .map(({ notice }) => notice.eventText);

const hears = (...news: string[]): Promise<void> =>
  vi.waitFor(() => expect(told()).toEqual(news), { timeout: 5_000, interval: 5 });

describe("a requestor with a phone", () => {
  it("a requestor with a phone gets a question, a confirmation to give, and the answer with the end", async () => {
    const { ann, agent, ref } = await asked();

    await ann.claim(ref);
    await ann.tell(ref, {
      status: { code: "needs_input", questions: [{ id: "which", question: "which door?" }] },
    });
    await hears(ASKED);
    const question = post.letters.find(({ notice }) => notice.executor === "scout")!.notice;
    // The requestor signs in: no link speaks for it.
    expect(question.link?.url).toMatch(/^https:\/\/mess\.test\/respond\?ref=[^&]+&session=/);
    expect(buildSmsText(question).split("\n")[0]).toEqual(
      naming("which door?", "is the door locked"),
    );
    await agent.tell(ref, { answer: { value: "the back door" } });
    await ann.tell(ref, { status: { code: "needs_confirmation", action: "go and look" } });
    await hears(ASKED, CONFIRM);
    await agent.tell(ref, { reply: { confirm: true } });
    await ann.tell(ref, { response: { content: ["it is"] } }, { status: { code: "completed" } });

    await hears(ASKED, CONFIRM, newsOf("completed", "ann", "it is"));
  });

  it("a requestor gets one notice for all that one change has brought", async () => {
    const { robo, agent } = await homeOf();
    const ref = await agent.ask("clean up", { requires: ["vacuum"] });
    await robo.tell(ref, { response: { content: ["clean"] } });
    await hears(newsOf("completed", "robo", "clean"));
  });

  it("a requestor gets suggestions, words, and what an owner does in its place", async () => {
    const { ann, owner, ref } = await asked();
    await ann.tell(ref, { suggestion: { type: "defer", proposed: "P1D", reason: "it is dark" } });
    const suggested = newsOf("suggested", "ann", "it is dark");
    await hears(suggested);
    await ann.tell(ref, { followup: { message: "really dark" } });
    await owner.tell(ref, { cancel: { reason: "never mind" } });
    await hears(
      suggested,
      newsOf("said", "ann", "really dark"),
      newsOf("cancelled", "owner", "never mind"),
    );
  });

  it("a requestor is notified that all have declined or that the request expired, and owners of the former", async () => {
    const { ann, ref } = await asked();
    await ann.tell(ref, { status: { code: "declined", reason: "too dark" } });
    await vi.waitFor(() => expect(told()).toEqual([naming("declined")]));
    await vi.waitFor(() =>
      expect(post.letters.map(({ notice }) => [notice.kind, notice.status])).toContainEqual([
        "alert",
        "declined",
      ]),
    );

    post.clear();
    const other = await asked({ needed_by: "2051-03-04T11:00:00Z" });
    await other.pass(other.ref, HOUR_MS);
    expect(told()).toEqual([naming("expired")]);
  });

  it("a requestor gets no notice of a claim, of progress, or of what it did itself", async () => {
    const { ann, agent, ref } = await asked();
    await ann.claim(ref);
    await ann.tell(ref, { status: { code: "in_progress", message: "on my way" } });
    await agent.tell(ref, { followup: { message: "thanks" } });
    await agent.tell(ref, { cancel: {} });
    await vi.waitFor(() =>
      expect(told("ann")).toEqual([
        newsOf("said", "scout", "thanks"),
        newsOf("cancelled", "scout"),
      ]),
    );
    expect(told()).toEqual([]);
  });
});

describe("a requestor without channels", () => {
  it("a requestor without channels makes no delivery", async () => {
    const { agent, ann, deliveries, pass } = await createDeliveryHousehold({ ann: {} });
    const ref = await agent.ask("is the door locked", { requires: ["look"] });
    await ann.tell(ref, { status: { code: "needs_input", message: "which?" } });
    await pass(ref, 45 * MINUTE_MS);
    await agent.tell(ref, { answer: { value: "the back door" } });
    await ann.tell(ref, { response: { content: ["it is"] } }, { status: { code: "completed" } });
    expect(await deliveries(ref)).toEqual([]);
  });
});

describe("a requestor that owes an answer", () => {
  const alerts = (): Letter[] => post.letters.filter(({ notice }) => notice.kind === "alert");

  it("a requestor that owes an answer is reminded after half an hour, and owners are alerted once and may answer", async () => {
    const { ann, owner, ref, pass } = await asked({ priority: "normal" });
    await ann.claim(ref);
    await ann.tell(ref, { status: { code: "needs_input", message: "which door?" } });
    await hears(ASKED);

    await pass(ref, 30 * MINUTE_MS);
    expect(told()).toEqual([ASKED, naming("which door?")]);
    expect(told()[1]).not.toBe(ASKED);
    expect(alerts()).toEqual([]);
    await pass(ref, 3 * 24 * HOUR_MS);

    expect(told()).toHaveLength(2);
    expect(alerts().map(({ notice }) => notice.eventText)).toEqual([
      naming("scout", "which door?"),
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
    await owner.tell(ref, { answer: { value: "the back door" } });
    const { envelope } = await owner.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ status: "claimed", executor: "ann" });
  });

  it("a reminder of a question is dropped once it is answered", async () => {
    const { ann, agent, ref, pass, deliveries } = await asked();
    await ann.tell(ref, { status: { code: "needs_input", message: "which door?" } });
    await hears(ASKED);
    post.answers((letter) =>
      letter.notice.executor === "scout" ? { ok: false, reason: "busy" } : post.taken(),
    );
    await pass(ref, 30 * MINUTE_MS);
    await agent.tell(ref, { answer: { value: "the back door" } });
    await pass(ref, 5 * MINUTE_MS);
    expect(await deliveries(ref)).toContainEqual(
      expect.objectContaining({ executor: "scout", state: "dropped" }),
    );
  });
});

it("a requestor that is a service is notified by its webhook", async () => {
  const { agent, ann } = await homeOf(NOTIFY_CHANNELS.machine);
  const ref = await agent.ask("is the door locked", { requires: ["look"] });
  await post.until(1);
  await ann.tell(ref, { response: { content: ["it is"] } });
  await vi.waitFor(() => expect(told()).toEqual([newsOf("responded", "ann", "it is")]));
  const [news] = post.letters.filter(({ notice }) => notice.kind === "news");
  expect(news?.notice.callback?.url).toMatch(/scout$/);
});
