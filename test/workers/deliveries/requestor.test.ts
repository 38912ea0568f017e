/** A requestor with channels of its own is told what others say to it, and how it ended; others are not. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { smsText } from "../../../src/channels/sms/send.ts";
import { expectOk } from "../support.ts";
import { freshHome, type Home, HOUR, type Letter, MINUTE, PostOffice, ways } from "./support.ts";

const post = new PostOffice();

beforeEach(() => post.clear());
afterEach(() => {
  vi.useRealTimers();
});

/** Scout, who makes the requests, is told by these ways. */
async function homeOf(notify: object = ways.phone): Promise<Home> {
  const home = await freshHome();
  await expectOk(
    await home.owner.say({ config: { executor: { id: "scout", capabilities: ["ask"], notify } } }),
  );
  return home;
}

/** Scout has a phone, and has asked Ann to look. */
async function asked(more: object = {}): Promise<Home & { ref: string }> {
  const home = await homeOf();
  const ref = await home.agent.ask("is the door locked", { requires: ["look"], ...more });
  await post.until(1);
  return { ...home, ref };
}

const told = (actor = "scout"): (string | undefined)[] =>
  post.letters
    .filter(({ notice }) => notice.executor === actor && notice.kind === "news")
    .map(({ notice }) => notice.news);

const hears = (...news: string[]): Promise<void> =>
  vi.waitFor(() => expect(told()).toEqual(news), { timeout: 5_000, interval: 5 });

describe("a requestor with a phone", () => {
  it("is told of a question, of what is to be confirmed, and of the answer as the end", async () => {
    const { ann, agent, ref } = await asked();

    await ann.claim(ref);
    await ann.tell(ref, {
      status: { code: "needs_input", questions: [{ id: "which", question: "which door?" }] },
    });
    await hears("asked by Ann: which door?");
    const question = post.letters.find(({ notice }) => notice.executor === "scout")!.notice;
    // The requestor signs in: no link speaks for it.
    expect(question.link?.url).toMatch(/^https:\/\/mess\.test\/respond\?ref=[^&]+&session=/);
    expect(smsText(question)).toContain("which door?: is the door locked\n");
    await agent.tell(ref, { answer: { value: "the back door" } });
    await ann.tell(ref, { status: { code: "needs_confirmation", action: "go and look" } });
    await hears("asked by Ann: which door?", "a confirmation is asked for by Ann: go and look");
    await agent.tell(ref, { reply: { confirm: true } });
    await ann.tell(ref, { response: { content: ["it is"] } }, { status: { code: "completed" } });

    await hears(
      "asked by Ann: which door?",
      "a confirmation is asked for by Ann: go and look",
      "completed by Ann: it is",
    );
  });

  it("is told by one message of what one change has brought", async () => {
    const { robo, agent } = await homeOf();
    const ref = await agent.ask("clean up", { requires: ["vacuum"] });
    await robo.tell(ref, { response: { content: ["clean"] } });
    await hears("completed by robo: clean");
  });

  it("is told of suggestions, of words, and of what an owner does in its place", async () => {
    const { ann, owner, ref } = await asked();
    await ann.tell(ref, { suggestion: { type: "defer", proposed: "P1D", reason: "it is dark" } });
    await hears("suggested by Ann: it is dark");
    await ann.tell(ref, { followup: { message: "really dark" } });
    await owner.tell(ref, { cancel: { reason: "never mind" } });
    await hears("suggested by Ann: it is dark", "Ann: really dark", "cancelled: never mind");
  });

  it("is told that all have declined, or that it has expired, and the owners of the former", async () => {
    const { ann, ref } = await asked();
    await ann.tell(ref, { status: { code: "declined", reason: "too dark" } });
    await hears("declined: every candidate has declined");
    await vi.waitFor(() =>
      expect(post.letters.map(({ notice }) => [notice.kind, notice.news])).toContainEqual([
        "alert",
        "every candidate has declined",
      ]),
    );

    post.clear();
    const other = await asked({ needed_by: "2051-03-04T11:00:00Z" });
    await other.pass(other.ref, HOUR);
    expect(told()).toEqual(["expired: not done in time"]);
  });

  it("hears nothing of who takes it and gets on with it, nor of what it did itself", async () => {
    const { ann, agent, ref } = await asked();
    await ann.claim(ref);
    await ann.tell(ref, { status: { code: "in_progress", message: "on my way" } });
    await agent.tell(ref, { followup: { message: "thanks" } });
    await agent.tell(ref, { cancel: {} });
    await vi.waitFor(() => expect(told("ann")).toEqual(["scout: thanks", "cancelled"]));
    expect(told()).toEqual([]);
  });
});

describe("a requestor without channels", () => {
  it("costs no delivery", async () => {
    const { agent, ann, deliveries, pass } = await freshHome({ ann: {} });
    const ref = await agent.ask("is the door locked", { requires: ["look"] });
    await ann.tell(ref, { status: { code: "needs_input", message: "which?" } });
    await pass(ref, 45 * MINUTE);
    await agent.tell(ref, { answer: { value: "the back door" } });
    await ann.tell(ref, { response: { content: ["it is"] } }, { status: { code: "completed" } });
    expect(await deliveries(ref)).toEqual([]);
  });
});

describe("a requestor that owes an answer", () => {
  const alerts = (): Letter[] => post.letters.filter(({ notice }) => notice.kind === "alert");

  it("is reminded after half an hour, and the owners are told after two, once, who may answer", async () => {
    const { ann, owner, ref, pass } = await asked({ priority: "normal" });
    await ann.claim(ref);
    await ann.tell(ref, { status: { code: "needs_input", message: "which door?" } });
    await hears("asked by Ann: which door?");

    await pass(ref, 30 * MINUTE);
    expect(told().at(-1)).toBe("your answer is waited for: which door?");
    expect(alerts()).toEqual([]);
    await pass(ref, 3 * 24 * HOUR);

    expect(told()).toHaveLength(2);
    expect(alerts().map(({ notice }) => notice.news)).toEqual([
      "scout has not answered: which door?",
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

  it("is not reminded of what it has answered meanwhile", async () => {
    const { ann, agent, ref, pass, deliveries } = await asked();
    post.answers((letter) =>
      letter.notice.news?.startsWith("your answer") ? { ok: false, reason: "busy" } : post.taken(),
    );
    await ann.tell(ref, { status: { code: "needs_input", message: "which door?" } });
    await pass(ref, 30 * MINUTE);
    await agent.tell(ref, { answer: { value: "the back door" } });
    await pass(ref, 5 * MINUTE);
    expect(await deliveries(ref)).toContainEqual(
      expect.objectContaining({ executor: "scout", state: "dropped", error: "it is answered" }),
    );
  });
});

it("a service with a webhook is told as its owner has set it up", async () => {
  const { agent, ann } = await homeOf(ways.machine);
  const ref = await agent.ask("is the door locked", { requires: ["look"] });
  await post.until(1);
  await ann.tell(ref, { response: { content: ["it is"] } });
  await vi.waitFor(() => expect(told()).toEqual(["answered by Ann: it is"]));
  const [news] = post.letters.filter(({ notice }) => notice.kind === "news");
  expect(news?.notice.callback?.url).toMatch(/scout$/);
});
