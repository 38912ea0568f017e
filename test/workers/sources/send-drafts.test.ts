import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { DraftView } from "../../../src/contracts/sources.ts";
import { webhookKind } from "../../../src/source-kinds/webhook/webhook.ts";
import { buildFakeWebhookSecret } from "../household/support.ts";
import { unwrap } from "../outcomes.ts";
import { expectOkJson } from "../support.ts";
import { createOutboxScene, type OutboxScene, stubProvider } from "./outbox-scene.ts";
import { buildIncoming } from "./support.ts";

beforeEach(() => {
  Object.assign(webhookKind, { detectsRepeats: undefined });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const HOUR_MS = 3_600_000;

async function writeApproved(scene: OutboxScene): Promise<DraftView> {
  const draft = await scene.write(await scene.receive());
  return await scene.approve(draft);
}

/** Makes the object forget the end of the attempt, as if it had stopped before its commit. */
async function loseEnd(scene: OutboxScene, { id }: DraftView): Promise<void> {
  await runInDurableObject(scene.object, (_instance, { storage }) => {
    const [row] = storage.sql
      .exec<{ seq: number; life: string }>("SELECT seq, life FROM drafts WHERE id = ?", id)
      .toArray();
    const {
      sent_at: at,
      external_id: _id,
      ...life
    } = JSON.parse(row!.life) as {
      sent_at: number;
      external_id: string;
    };
    storage.sql.exec(
      "UPDATE drafts SET state = 'approved', life = ? WHERE seq = ?",
      JSON.stringify({ ...life, state: "approved", attempt_since: at }),
      row!.seq,
    );
  });
  await scene.addJob("send", { draft: 1 });
}

it("repeats a transient failure with the same key, after the time that the provider names", async () => {
  const busy = { ok: false as const, reason: "busy", retryAfterSeconds: 600 };
  const provider = stubProvider(busy);
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);

  await scene.passTime();
  await scene.passTime(500_000);
  const tooEarly = provider.listFor(scene).length;
  await scene.passTime(100_000);

  expect(tooEarly).toBe(1);
  expect(provider.listFor(scene).map(({ key }) => key)).toEqual([`${draft.id}-1`, `${draft.id}-1`]);
  expect(await scene.read(draft.id)).toMatchObject({ state: "sent" });
  expect(unwrap(await scene.rpc.messages.status())).not.toHaveProperty("problem");
});

it("fails with a note after a permanent failure", async () => {
  const provider = stubProvider({ ok: false, reason: "unknown recipient", isPermanent: true });
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);

  await scene.passTime();
  await scene.passTime(HOUR_MS);

  expect(provider.listFor(scene)).toHaveLength(1);
  expect(await scene.read(draft.id)).toMatchObject({
    state: "failed",
    note: expect.stringContaining("unknown recipient"),
  });
});

it("fails after a day of transient failures", async () => {
  const provider = stubProvider(
    ...Array.from({ length: 100 }, () => ({ ok: false as const, reason: "busy" })),
  );
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);

  await scene.passTime();
  for (let hours = 0; hours < 25; hours++) await scene.passTime(HOUR_MS);

  expect(await scene.read(draft.id)).toMatchObject({ state: "failed" });
  expect(provider.listFor(scene).length).toBeGreaterThan(10);
});

it.each([
  ["the connection broke", { ok: false as const, reason: "no answer", mayBeSent: true as const }],
  ["the provider's code failed", "throw" as const],
])("is never sent again silently where %s and the provider cannot tell", async (_name, result) => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  let calls = 0;
  vi.spyOn(webhookKind, "send").mockImplementation(({ household }) => {
    if (household === scene.id) calls++;
    return result === "throw" ? Promise.reject(new Error("broken")) : Promise.resolve(result);
  });
  const draft = await writeApproved(scene);

  await scene.passTime();
  await scene.passTime(HOUR_MS);

  expect(calls).toBe(1);
  expect(provider.listFor(scene)).toEqual([]);
  expect(await scene.read(draft.id)).toMatchObject({
    state: "failed",
    note: expect.stringContaining("may have been sent"),
  });
});

it("is sent again after a crash with the same key where the provider recognizes it", async () => {
  Object.assign(webhookKind, { detectsRepeats: true });
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);
  await scene.passTime();

  await loseEnd(scene, draft);
  await scene.runAlarm();

  expect(provider.listFor(scene).map(({ key }) => key)).toEqual([`${draft.id}-1`, `${draft.id}-1`]);
  expect(await scene.read(draft.id)).toMatchObject({ state: "sent" });
});

it("fails with a warning after a crash where the provider cannot tell a repeated message", async () => {
  Object.assign(webhookKind, { detectsRepeats: undefined });
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);
  await scene.passTime();

  await loseEnd(scene, draft);
  await scene.runAlarm();

  expect(provider.listFor(scene)).toHaveLength(1);
  expect(await scene.read(draft.id)).toMatchObject({
    state: "failed",
    note: expect.stringContaining("may have been sent"),
  });
});

it("makes one attempt where two jobs want to send the draft at the same time", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);
  await scene.addJob("send", { draft: 1 });
  await scene.addJob("send", { draft: 1 });

  await scene.passTime();

  expect(provider.listFor(scene)).toHaveLength(1);
  expect(await scene.read(draft.id)).toMatchObject({ state: "sent" });
});

it("shows a failure of sending until a draft is sent, and one of receiving until a message is stored", async () => {
  stubProvider({ ok: false, reason: "unknown recipient", isPermanent: true });
  const scene = await createOutboxScene();
  const readProblem = async () => unwrap(await scene.rpc.messages.status()).problem;
  await writeApproved(scene);
  await scene.passTime();
  await scene.rpc.messages.reportNotStored("the household stores too much");
  const both = await readProblem();

  unwrap(await scene.rpc.messages.receive([buildIncoming(7)]));
  const sending = await readProblem();
  await writeApproved(scene);
  await scene.passTime();

  expect(both).toMatch(/too much.*unknown recipient/);
  expect(sending).toMatch(/^Not sent: unknown recipient/);
  expect(await readProblem()).toBeUndefined();
});

/** A key writes where the source sends to. */
const redirect = async ({ owner }: OutboxScene, url: string): Promise<void> => {
  const hook = { kind: "webhook", secret: buildFakeWebhookSecret("hook"), url };
  await expectOkJson(await owner.postBlocks({ config: { sources: { hook } } }));
};

it("asks again where the source's settings have changed since the approval, and then sends once", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);

  await redirect(scene, "https://elsewhere.test/hook");
  await scene.passTime();
  const asked = await scene.read(draft.id);
  const sentBefore = provider.listFor(scene);
  const request = await scene.waitForRequest("May this be sent");
  await scene.approve(asked);
  await scene.passTime();

  expect(asked).toMatchObject({ state: "approval_requested", revision: 1 });
  expect(asked.note).toContain("settings of the source were changed");
  expect(asked).not.toHaveProperty("approved_by");
  expect(sentBefore).toEqual([]);
  expect(request.text).toContain("settings of the source were changed");
  expect(provider.listFor(scene)).toHaveLength(1);
});

it("fails after a crash where the settings have changed since, also if the provider recognizes the message", async () => {
  Object.assign(webhookKind, { detectsRepeats: true });
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const draft = await writeApproved(scene);
  await scene.passTime();
  await loseEnd(scene, draft);

  await redirect(scene, "https://elsewhere.test/hook");
  await scene.runAlarm();

  expect(await scene.read(draft.id)).toMatchObject({ state: "failed" });
  expect(provider.listFor(scene)).toHaveLength(1);
});
