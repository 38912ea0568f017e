/**
 * Crashes at each statement of a source's transactions, from the arrival of a message to its classification, and from
 * the approval of a draft to its sending. After the restart nothing is lost, and nothing happens twice unnoticed.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import { webhookKind } from "../../../../src/source-kinds/webhook/webhook.ts";
import { CrashingStorage } from "../groups/crashing-storage.ts";
import { unwrap } from "../../outcomes.ts";
import { advanceClock } from "../reliability-household.ts";
import { CrashSource, Outside } from "./crash-source.ts";

const HOUR_MS = 3_600_000;
/** Longer than the time for undoing, and than the delay of a job that failed once. */
const STEP_MS = 60_000;

const storage = new CrashingStorage();
let isInstalled = false;

beforeEach(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  advanceClock(0);
  if (!isInstalled)
    await runInDurableObject(env.SOURCES.getByName("any/any"), (_object, state) =>
      storage.install(state.storage),
    );
  isInstalled = true;
  return () => {
    Object.assign(webhookKind, { detectsRepeats: true });
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  };
});

it("a message whose object crashes at any statement until it is classified is stored, classified and answered once", async () => {
  let steps = 0;
  for (let crashed = true; crashed; steps++) {
    const outside = new Outside().install(true);
    const source = await CrashSource.create();

    crashed = await storage.crashAfter(steps, async () => {
      await source.receive();
      await source.pass(0);
    });
    unwrap(await source.receive());
    for (let round = 0; round < 3; round++) await source.pass(STEP_MS);

    const { messages } = unwrap(await source.rpc.messages.list({ limit: 10 }));
    const after = `after a crash at statement ${steps}`;
    expect(messages, after).toMatchObject([{ tier: "DECLINE", classified_by: "classifier" }]);
    expect(messages[0], after).not.toHaveProperty("provisional");
    const { drafts } = unwrap(await source.rpc.outbox.list({ limit: 10 }));
    expect(drafts, after).toMatchObject([{ id: messages[0]!.draft, body: "No, thank you." }]);
    expect(new Set(outside.notices), after).toEqual(new Set([messages[0]!.id]));
    expect(outside.sent, after).toEqual([]);
  }
  expect(steps).toBeGreaterThan(10);
});

it.each([true, false])(
  "an approved draft whose object crashes at any statement is sent once or marked, if the provider recognizes repeats: %s",
  async (detectsRepeats) => {
    let steps = 0;
    let unclear = 0;
    for (let crashed = true; crashed; steps++) {
      const outside = new Outside().install(detectsRepeats);
      const source = await CrashSource.create();
      const to = ["ann@elsewhere.test"];
      const { id, digest } = unwrap(
        await source.rpc.outbox.create(source.person, { to, body: "Hello." }),
      );
      const approve = () => source.rpc.outbox.approve(source.person, { draft: id, digest });

      crashed = await storage.crashAfter(steps, async () => {
        await approve();
        await source.pass(STEP_MS);
      });
      // The owner taps again, which is refused if the first tap counted.
      const again = await approve();
      for (let round = 0; round < 3; round++) await source.pass(STEP_MS);

      const draft = unwrap(await source.rpc.outbox.read(id));
      const after = `after a crash at statement ${steps}`;
      expect(again.ok || again.error.code === "draft_finished", after).toBe(true);
      expect(new Set(outside.sent).size, after).toBeLessThanOrEqual(1);
      if (draft.state === "failed") {
        unclear++;
        expect(detectsRepeats, after).toBe(false);
        expect(draft.note, after).toContain("may have been sent");
        expect(outside.sent.length, after).toBeLessThanOrEqual(1);
      } else {
        expect(draft.state, after).toBe("sent");
        expect(outside.sent.length, after).toBeGreaterThan(0);
        if (!detectsRepeats) expect(outside.sent, after).toHaveLength(1);
      }
    }
    expect(steps).toBeGreaterThan(10);
    expect(unclear > 0).toBe(!detectsRepeats);
  },
);

it("messages of a day without a classifier are all provisionally DEFER, and classified once when it is back", async () => {
  const count = 24;
  const outside = new Outside().install(true);
  outside.isModelDown = true;
  const source = await CrashSource.create();
  const list = async () => unwrap(await source.rpc.messages.list({ limit: 100 })).messages;

  for (let hour = 0; hour < count; hour++) {
    unwrap(await source.receive(hour));
    await source.pass(HOUR_MS);
    if (hour % 8 === 0) await storage.crashAfter(Infinity, () => Promise.resolve());
  }
  const during = await list();
  const callsDuring = outside.model.requests.length;
  outside.isModelDown = false;
  for (let round = 0; round < 12; round++) await source.pass(HOUR_MS);

  expect(during).toHaveLength(count);
  expect(during.every(({ tier, provisional }) => tier === "DEFER" && provisional)).toBe(true);
  expect(during.every(({ seen, status }) => !seen && status === "classified")).toBe(true);
  const afterwards = await list();
  expect(afterwards.map(({ tier, provisional }) => [tier, provisional])).toEqual(
    Array.from({ length: count }, () => ["DECLINE", undefined]),
  );
  expect(outside.model.requests.length - callsDuring).toBe(count);
  expect(unwrap(await source.rpc.outbox.list({ limit: 100 })).drafts).toHaveLength(count);
  expect(outside.sent).toEqual([]);
});
