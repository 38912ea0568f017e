/** Drafts over HTTP: keys write them, and only a signed-in owner approves them. */
import { afterEach, expect, it, vi } from "vitest";
import { openSignedIn } from "../oauth/support.ts";
import { buildJsonInit } from "../respond/support.ts";
import { type Answered, type Caller, expectOkJson, readRefusal } from "../support.ts";
import { createOutboxScene, type OutboxScene, stubProvider } from "./outbox-scene.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const CLIENT = { "X-MESS-Client": "respond" };
const DRAFTS = "/sources/hook/drafts";

const createKey = async ({ owner, addMember }: OutboxScene, paths: string[]): Promise<Caller> => {
  const caller = await addMember("clerk", "agent");
  const made = await expectOkJson(
    await owner.post("/api/v1/keys", { actor: "clerk", role: "agent", paths }),
  );
  return new (caller.constructor as typeof Caller)("clerk", made.key as string);
};

const approveBy = async (
  person: Pick<Awaited<ReturnType<typeof openSignedIn>>, "fetch">,
  { id, digest }: Answered,
  more: object = {},
): Promise<Response> =>
  await person.fetch(
    `/inbox/drafts/hook/${id}/approve`,
    buildJsonInit({ digest, ...more }, CLIENT),
  );

it("a key writes, revises and discards drafts, and repeats a call by its key", async () => {
  const scene = await createOutboxScene();
  const message = await scene.receive();
  const body = { message, body: "I am coming." };

  const first = await scene.owner.post(DRAFTS, body, { "Idempotency-Key": "k1" });
  const draft = await expectOkJson(first);
  const again = await expectOkJson(
    await scene.owner.post(DRAFTS, body, { "Idempotency-Key": "k1" }),
  );
  const other = { message, body: "Something else." };
  const reused = await scene.owner.post(DRAFTS, other, { "Idempotency-Key": "k1" });
  const revised = await expectOkJson(
    await scene.owner.fetch(`${DRAFTS}/${draft.id}`, {
      ...buildJsonInit({ body: "I am not coming.", revision: 1 }),
      method: "PATCH",
    }),
  );

  expect(draft).toMatchObject({ message, to: ["ann@elsewhere.test"], state: "draft", revision: 1 });
  expect(again).toEqual(draft);
  expect(await readRefusal(reused)).toBe("409 idempotency_conflict");
  expect(revised).toMatchObject({ revision: 2, body: "I am not coming." });
  expect(revised.digest).not.toBe(draft.digest);
  expect((await scene.owner.read(`${DRAFTS}?state=draft`)).drafts).toEqual([revised]);
  const discarded = await scene.owner.fetch(`${DRAFTS}/${draft.id}`, { method: "DELETE" });
  expect(await expectOkJson(discarded)).toMatchObject({ state: "discarded" });
  expect((await scene.rpc.messages.status()).ok).toBe(true);
});

it.each([
  [{ body: "To nobody." }, "400 missing_field"],
  [{ to: ["a@b.test\r\nBcc: all@b.test"], body: "Text" }, "400 bad_field"],
  [{ to: ["a@b.test"], subject: "a\nBcc: all@b.test", body: "Text" }, "400 bad_field"],
  [{ to: [], body: "Text" }, "400 bad_field"],
  [{ to: ["a@b.test"], body: " " }, "400 bad_field"],
  [{ to: ["a@b.test"], body: "a\u0000b" }, "400 bad_encoding"],
  [{ to: Array(51).fill("a@b.test"), body: "Text" }, "400 bad_field"],
  [{ message: "m_0000000000001", body: "Text" }, "404 not_found"],
  [{ forward: true, to: ["a@b.test"], body: "Text" }, "400 missing_field"],
])("the draft %j is refused", async (body, refusal) => {
  const scene = await createOutboxScene();

  expect(await readRefusal(await scene.owner.post(DRAFTS, body))).toBe(refusal);
});

it("a forwarded message is quoted in the draft, with its files", async () => {
  const scene = await createOutboxScene();
  const message = await scene.receive({
    attachments: [{ key: "k", name: "plan.pdf", mime: "application/pdf", size: 3 }],
  });

  const draft = await expectOkJson(
    await scene.owner.post(DRAFTS, { message, forward: true, to: ["bob@b.test"], body: "See." }),
  );

  expect(draft).toMatchObject({
    to: ["bob@b.test"],
    subject: "Fwd: Message 1",
    body: expect.stringMatching(/^See\.[^]*The body of message 1\./),
    attachments: [{ name: "plan.pdf", mime: "application/pdf", size: 3 }],
  });
});

it("a key that may only write drafts takes nothing from messages, and no key approves", async () => {
  const scene = await createOutboxScene();
  const message = await scene.receive();
  const clerk = await createKey(scene, ["msg/hook/outbox"]);

  const forward = { message, forward: true, to: ["clerk@b.test"], body: "Mine." };
  expect(await readRefusal(await clerk.post(DRAFTS, forward))).toBe("403 wrong_role");
  const draft = await expectOkJson(
    await clerk.post(DRAFTS, { to: ["ann@elsewhere.test"], body: "Hello." }),
  );
  for (const caller of [clerk, scene.owner]) {
    const init = buildJsonInit({ digest: draft.digest }, CLIENT);
    const approved = await caller.fetch(`/inbox/drafts/hook/${draft.id}/approve`, init);
    expect(approved.ok).toBe(false);
  }
  expect(await scene.read(draft.id)).toMatchObject({ state: "draft" });
});

it("a key that may only write drafts sees no draft about a message", async () => {
  const scene = await createOutboxScene();
  const about = await scene.write(await scene.receive());
  const clerk = await createKey(scene, ["msg/hook/outbox"]);
  const own = await expectOkJson(
    await clerk.post(DRAFTS, { to: ["ann@elsewhere.test"], body: "Hello." }),
  );

  const { drafts } = await expectOkJson(await clerk.fetch(DRAFTS));
  expect(drafts).toMatchObject([{ id: own.id }]);
  const path = `${DRAFTS}/${about.id}`;
  expect(await readRefusal(await clerk.fetch(path))).toBe("404 not_found");
  expect(await readRefusal(await clerk.fetch(path, { method: "DELETE" }))).toBe("404 not_found");
  expect(await readRefusal(await clerk.post(`${path}/request-approval`, {}))).toBe("404 not_found");
});

it("a key that may only write drafts sees no draft about a message that was deleted", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const message = await scene.receive();
  const draft = await scene.write(message);
  const owner = await openSignedIn([scene.home, scene.owner.actor, "owner"]);
  await expectOkJson(await approveBy(owner, draft));
  await scene.passTime(60_000);
  expect(provider.listFor(scene)).toHaveLength(1);
  await expectOkJson(
    await scene.owner.fetch(`/sources/hook/messages/${message}`, { method: "DELETE" }),
  );
  const clerk = await createKey(scene, ["msg/hook/outbox"]);

  expect((await expectOkJson(await clerk.fetch(DRAFTS))).drafts).toEqual([]);
});

it("a signed-in owner approves a draft and takes it back; another person does not", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const draft = await scene.write(await scene.receive());
  const [owner, agent] = [
    await openSignedIn([scene.home, scene.owner.actor, "owner"]),
    await openSignedIn([scene.home, "scout", "agent"]),
  ];

  expect((await approveBy(agent, draft)).ok).toBe(false);
  expect(await readRefusal(await approveBy(owner, { ...draft, digest: "0".repeat(64) }))).toBe(
    "409 draft_changed",
  );
  const approved = await expectOkJson(await approveBy(owner, draft));
  expect(approved).toMatchObject({ state: "approved", approved_by: scene.owner.actor });
  const undo = `/inbox/drafts/hook/${draft.id}/undo`;
  expect(await expectOkJson(await owner.fetch(undo, buildJsonInit({}, CLIENT)))).toMatchObject({
    state: "draft",
  });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  expect(
    Date.parse((await expectOkJson(await approveBy(owner, draft, { send_at: later }))).send_at),
  ).toBe(Math.floor(Date.parse(later) / 1_000) * 1_000);
  await scene.passTime(60_000);
  expect(provider.listFor(scene)).toEqual([]);
  await scene.passTime(3_600_000);
  expect(provider.listFor(scene)).toHaveLength(1);
});
