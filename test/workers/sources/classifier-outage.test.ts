import { afterEach, describe, expect, it, vi } from "vitest";
import { unwrap } from "../outcomes.ts";
import { buildIncoming } from "./support.ts";
import { createWatcherScene, verdict, type WatcherScene } from "./watcher-scene.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const range = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);
const unavailable = () => new Response("later", { status: 503 });
const unavailableForLong = () =>
  new Response("later", { status: 503, headers: { "Retry-After": "600" } });

/** The classifier fails at the first message; the others arrive while it is paused. */
async function receiveDuringOutage(scene: WatcherScene, count: number): Promise<void> {
  scene.answer = unavailableForLong;
  const [first, ...others] = range(count).map((n) => buildIncoming(n));
  await scene.source.receive(first!);
  await scene.runJobs();
  await scene.source.receive(...others);
  while ((await scene.source.list({ tier: "DEFER" })).length < count) await scene.runJobs();
}

const getPause = async (scene: WatcherScene): Promise<{ failures: number; waitMs: number }> => {
  const [row] = await scene.source.query<{ failures: number; paused_until: number }>(
    "SELECT failures, paused_until FROM classifier",
  );
  return { failures: row!.failures, waitMs: row!.paused_until - Date.now() };
};

describe("a classifier that does not answer", () => {
  it("is not called for messages that arrive while it is paused", async () => {
    const scene = await createWatcherScene();
    await receiveDuringOutage(scene, 10);
    expect(scene.model.requests).toHaveLength(1);
    const messages = await scene.source.list();
    expect(messages).toHaveLength(10);
    expect(messages.every(({ tier, provisional }) => tier === "DEFER" && provisional)).toBe(true);
  });

  it("gets one call after each pause until it answers, and pauses become longer", async () => {
    const scene = await createWatcherScene();
    await receiveDuringOutage(scene, 10);
    scene.answer = unavailable;
    for (const _ of range(12)) await scene.runLater();
    expect(scene.model.requests).toHaveLength(13);
    expect(scene.model.calls.most).toBe(1);
    const { failures, waitMs } = await getPause(scene);
    expect(failures).toBe(13);
    expect(waitMs).toBeGreaterThan(400_000);
    expect(waitMs).toBeLessThanOrEqual(900_000);
  });

  it("classifies all messages in their order when it is back, first one, then four at a time", async () => {
    const scene = await createWatcherScene();
    await receiveDuringOutage(scene, 25);
    const before = scene.model.requests.length;
    const inFlight: number[] = [];
    scene.answer = () => {
      inFlight.push(scene.model.calls.inFlight);
      return verdict("DECLINE");
    };
    await scene.runLater();
    while ((await scene.source.status()).unclassified > 0) await scene.runJobs();
    const subjects = scene
      .listCalls()
      .slice(before)
      .map((text) => /Subject: Message (\d+)/.exec(text)?.[1]);
    expect(subjects).toEqual(range(25).map(String));
    expect(inFlight[0]).toBe(1);
    expect(Math.max(...inFlight)).toBeLessThanOrEqual(4);
    expect((await scene.source.list({ tier: "DECLINE" })).length).toBe(25);
    expect(await getPause(scene)).toMatchObject({ failures: 0 });
  });

  it("classifies a new message before those that wait for a second attempt", async () => {
    const scene = await createWatcherScene();
    await receiveDuringOutage(scene, 8);
    scene.answer = () => verdict("DEFER");
    await scene.source.query("UPDATE classifier SET paused_until = 0");
    await scene.source.receive(buildIncoming(9));
    await scene.runJobs();
    expect(scene.listCalls()[1]).toContain("Subject: Message 9");
  });

  it("gets no call before the time that it asked for with Retry-After", async () => {
    const scene = await createWatcherScene();
    scene.answer = () => new Response("slow", { status: 429, headers: { "Retry-After": "600" } });
    await scene.source.receive(buildIncoming(1));
    await scene.runJobs();
    const { waitMs } = await getPause(scene);
    expect(waitMs).toBeGreaterThan(595_000);
    expect(waitMs).toBeLessThanOrEqual(660_000);
    await scene.source.query("UPDATE jobs SET due = 0");
    await scene.runJobs();
    expect(scene.model.requests).toHaveLength(1);
  });

  it("still lets rules decide", async () => {
    const scene = await createWatcherScene();
    await receiveDuringOutage(scene, 2);
    scene.context.rules = [{ words: ["urgent"], tier: "NOTIFY" }];
    const [id] = await scene.source.receive(buildIncoming(3, { subject: "Urgent: water" }));
    await scene.runJobs();
    expect(await scene.show(id!)).toMatchObject({ tier: "NOTIFY", classified_by: "rule" });
    expect(scene.model.requests).toHaveLength(1);
  });

  it("is called again at once when the household has changed its settings", async () => {
    const scene = await createWatcherScene();
    await receiveDuringOutage(scene, 6);
    scene.answer = () => verdict("DECLINE");
    await scene.source.rpc.watcher.catchUp();
    while ((await scene.source.status()).unclassified > 0) await scene.runJobs();
    expect(await scene.source.list({ tier: "DECLINE" })).toHaveLength(6);
  });

  it("does not hold up other messages by one that it fails at", async () => {
    const scene = await createWatcherScene();
    scene.answer = (message) =>
      message.includes("Message 1") ? new Response("broken", { status: 500 }) : verdict("DECLINE");
    await scene.source.receive(buildIncoming(1), buildIncoming(2), buildIncoming(3));
    await scene.runJobs();
    for (const _ of range(4)) {
      await scene.source.query("UPDATE classifier SET paused_until = 0");
      await scene.source.query("UPDATE jobs SET due = 0");
      await scene.runJobs();
    }
    expect(await scene.source.list({ tier: "DECLINE" })).toHaveLength(2);
    expect(await scene.source.list({ unclassified: true })).toHaveLength(1);
  });

  it("stops paying for a message whose verdicts are never readable, until a setting changes", async () => {
    const scene = await createWatcherScene();
    scene.answer = () => "no verdict";
    const [id] = await scene.source.receive(buildIncoming(1));
    for (const _ of range(12)) await scene.runLater();
    expect(scene.model.requests).toHaveLength(5);
    scene.answer = () => verdict("DECLINE");
    await scene.source.rpc.watcher.catchUp();
    await scene.runJobs();
    expect(await scene.show(id!)).toMatchObject({ tier: "DECLINE" });
  });

  it("does not try a deleted message again", async () => {
    const scene = await createWatcherScene();
    scene.answer = () => "no verdict";
    const [id] = await scene.source.receive(buildIncoming(1));
    await scene.runJobs();
    await scene.source.rpc.messages.remove(id!);
    await scene.runLater();
    await scene.runLater();
    expect(scene.model.requests).toHaveLength(1);
    expect(await scene.listJobs()).not.toContain("classify");
  });
});

describe("a crash while a message is classified", () => {
  it("stores one verdict where two runs called the classifier", async () => {
    const scene = await createWatcherScene();
    scene.answer = () => verdict("NOTIFY");
    const [id] = await scene.source.receive(buildIncoming(1));
    await scene.runJobs();
    // As if the object had stopped after the call, before the end of the job was stored.
    await scene.source.query(
      "INSERT INTO jobs (queue, kind, payload, due) VALUES ('classify', 'classify', '{}', 0)",
    );
    scene.answer = () => verdict("IGNORE");
    await scene.runJobs();
    expect(await scene.show(id!)).toMatchObject({ tier: "NOTIFY", seen: false });
    expect(scene.notices).toHaveLength(1);
  });

  it("keeps the verdict of a person that came while the classifier was thinking", async () => {
    const scene = await createWatcherScene();
    scene.answer = async () => {
      const { messages, watcher } = scene.callFromObject();
      const [message] = unwrap(await messages.list({ limit: 1 })).messages;
      unwrap(await watcher.correct(scene.asOwner(), message!.id, "NOTIFY"));
      return verdict("IGNORE");
    };
    const [id] = await scene.source.receive(buildIncoming(1));
    await scene.runJobs();
    expect(await scene.show(id!)).toMatchObject({ tier: "NOTIFY", classified_by: "person" });
  });
});
