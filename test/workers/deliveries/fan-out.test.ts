/** Who is told what, by which way. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { freshHome, type Letter, PostOffice, ways } from "./support.ts";

const post = new PostOffice();

beforeEach(() => post.clear());
afterEach(() => {
  vi.useRealTimers();
});

const newsOf = ({ notice: { kind, executor, news } }: Letter) => `${kind} ${executor}: ${news}`;

describe("an offer", () => {
  it("reaches its candidate at once, with a link and what it may do", async () => {
    const { agent, notes } = await freshHome();

    const ref = await agent.ask("check the fridge", {
      requires: ["look"],
      context: ["we shop at six"],
    });

    await post.until(1);
    const [{ notice, file }] = post.letters as [Letter];
    expect(notice).toMatchObject({
      kind: "offer",
      executor: "ann",
      ref,
      intent: "check the fridge",
      status: "pending",
      requestor: "scout",
      holder: null,
      mine: false,
      context: ["we shop at six"],
      request: { intent: "check the fridge" },
    });
    expect(notice.id).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(notice.actions).toEqual(expect.arrayContaining(["claimed", "declined", "response"]));
    expect(notice.link?.url).toContain(`https://mess.test/respond?ref=${ref}`);
    expect(file).toContain("intent: check the fridge");
    await vi.waitFor(async () =>
      expect(await notes(ref, "dispatched")).toContain("notified ann via discord"),
    );
  });

  it("comes to a machine with an address to call back to", async () => {
    const { agent, id } = await freshHome();

    await agent.ask("clean up", { requires: ["vacuum"] });

    await post.until(1);
    expect(post.letters[0]!.notice.callback).toMatchObject({
      url: `https://mess.test/hooks/executor/${id}/robo`,
    });
  });

  it("wakes nobody who waits for the thread", async () => {
    const { agent, notes } = await freshHome();
    const ref = await agent.ask("check the fridge", { requires: ["look"] });
    await vi.waitFor(async () => expect(await notes(ref, "dispatched")).toHaveLength(2));

    const { cursor } = await agent.read(`/mess/${ref}`);

    expect(cursor).toBe(1);
  });

  it("goes to every address at once when it is urgent, else to the first that takes it", async () => {
    const { agent } = await freshHome({ ann: { ...ways.chat, ...ways.phone } });

    await agent.ask("check the fridge", { requires: ["look"] });
    await post.until(1);
    await agent.ask("the kettle boils over", { requires: ["look"], priority: "urgent" });
    await post.until(3);

    expect(post.said).toEqual(["offer ann discord", "offer ann discord", "offer ann ntfy"]);
  });

  it("is no delivery where no candidate has a channel", async () => {
    const { agent, deliveries } = await freshHome({ ann: {} });

    const ref = await agent.ask("check the fridge", { requires: ["look"] });

    expect(await deliveries(ref)).toEqual([]);
  });

  it("says so where one candidate has a channel and another has none", async () => {
    const { agent, deliveries } = await freshHome({ ann: {} });

    const ref = await agent.ask("anybody");

    await vi.waitFor(async () =>
      expect(await deliveries(ref)).toContainEqual(
        expect.objectContaining({
          executor: "ann",
          state: "dropped",
          error: "not reached by any channel",
        }),
      ),
    );
  });
});

describe("what the exchange tells of members", () => {
  it("has what people call them", async () => {
    const { agent, ann } = await freshHome();
    const ref = await agent.ask("check the fridge", { requires: ["look"] });
    await post.until(1);
    await ann.claim(ref);
    post.clear();

    await ann.tell(ref, { status: { code: "delegated", delegated_to: "ben" } });

    await post.until(2);
    expect(post.letters.map(newsOf)).toEqual(
      expect.arrayContaining([
        "offer ben: Ann passed it on",
        "update ann: open again: Ann passed it to ben",
      ]),
    );
  });
});

describe("news", () => {
  it("of an answer goes to who asked, and of a followup to who holds the thread", async () => {
    const { agent, ann } = await freshHome();
    const ref = await agent.ask("check the fridge", { requires: ["look"] });
    await post.until(1);
    await ann.tell(ref, {
      status: { code: "needs_input", questions: [{ id: "which", question: "which fridge?" }] },
    });
    await post.until(2);
    post.clear();

    await agent.tell(ref, { reply: { answers: { which: "the kitchen one" } } });
    await post.until(2);
    await ann.claim(ref);
    await post.until(3);
    await agent.tell(ref, { followup: { message: "no hurry" } });
    await post.until(4);

    expect(post.letters.filter(({ notice }) => notice.kind === "news").map(newsOf)).toEqual([
      "news ann: the answer: the kitchen one",
      "news ann: scout: no hurry",
    ]);
  });

  it("of a confirmation and of a cancel goes to the holder", async () => {
    const { agent, ben } = await freshHome();
    const ref = await agent.ask("throw it away", { requires: ["carry"] });
    await post.until(1);
    await ben.tell(ref, { status: { code: "needs_confirmation", action: "throw the sofa out" } });
    post.clear();

    await agent.tell(ref, { reply: { confirm: true } });
    await post.until(1);
    await agent.tell(ref, { cancel: { reason: "sold it" } });
    await post.until(2);

    expect(post.letters.map(newsOf)).toEqual([
      "news ben: confirmed",
      "news ben: cancelled: sold it",
    ]);
  });

  it("is never what the member did itself", async () => {
    const { agent, ben } = await freshHome();
    const ref = await agent.ask("carry it", { requires: ["carry"] });
    await post.until(1);

    await ben.claim(ref);
    await ben.tell(ref, { followup: { message: "on my way" } });
    await ben.tell(ref, { status: { code: "completed" } });
    await agent.tell(ref, { followup: { message: "thanks" } });
    await post.until(2);

    expect(post.letters.map(newsOf)).toEqual(["offer ben: undefined", "news ben: scout: thanks"]);
  });
});

describe("an update", () => {
  it("edits what was sent, also for who made the change, and says who has the thread", async () => {
    const { agent, ann } = await freshHome();
    const ref = await agent.ask("check the fridge", { requires: ["look"] });
    await post.until(1);

    await ann.claim(ref);

    await post.until(2);
    expect(post.letters[1]).toMatchObject({
      edited: "m1",
      notice: { kind: "update", edits: "offer", news: "claimed by Ann", holder: "Ann", mine: true },
    });
  });

  it("is a message of its own to a machine, and none to a phone, when another takes the thread", async () => {
    const { agent, ann } = await freshHome();
    const ref = await agent.ask("anybody");
    await post.until(3);
    post.clear();

    await ann.claim(ref);

    await post.until(2);
    expect(post.said.toSorted()).toEqual(["update ann discord", "update robo webhook"]);
    expect(post.letters.every(({ notice }) => notice.news === "claimed by Ann")).toBe(true);
  });

  it("is one for many changes that nobody had heard of yet", async () => {
    const { agent, ann, pass, deliveries } = await freshHome();
    const ref = await agent.ask("check the fridge", { requires: ["look"] });
    await post.until(1);
    post.answers((letter) => (letter.edited ? { ok: false, reason: "busy" } : post.taken()));
    await ann.claim(ref);
    await post.until(2);
    await ann.tell(ref, { status: { code: "in_progress" } });
    await ann.tell(ref, { status: { code: "completed" } });
    post.clear();

    await pass(ref, 10 * 60_000);

    const updates = (await deliveries(ref)).filter(({ kind }) => kind === "update");
    expect(updates.every(({ state }) => state === "delivered")).toBe(true);
    expect(updates.length).toBeLessThanOrEqual(2);
    expect(post.letters.at(-1)?.notice).toMatchObject({ status: "completed" });
  });
});

describe("an alert", () => {
  it("tells the owners that a thread ended because of another", async () => {
    const { agent, id } = await freshHome();
    const first = await agent.ask("buy rice", { requires: ["look"] });
    await agent.ask("cook it", {
      requires: ["carry"],
      constraints: { depends_on: [first], on_dependency_failure: "cancel" },
    });
    await post.until(1);

    await agent.tell(first, { cancel: {} });

    await vi.waitFor(
      async () => {
        await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));
        expect(post.letters.map(newsOf)).toContain(
          `alert owner: ${first}, on which this depends, is cancelled`,
        );
      },
      { timeout: 10_000 },
    );
  });
});
