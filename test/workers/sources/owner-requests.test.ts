import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import type { DraftView } from "../../../src/contracts/sources.ts";
import { sendMessages } from "../../../src/exchange/exchange.ts";
import { type Outcome, refuse } from "../../../src/mess/errors.ts";
import { ok } from "../../../src/mess/result.ts";
import { requestDraftApproval } from "../../../src/mess/sources/draft.ts";
import { askApproval } from "../../../src/sources/outbox/ask-owner.ts";
import { SourceContext } from "../../../src/sources/source-context.ts";
import { getCode, unwrap } from "../outcomes.ts";
import { openSignedIn } from "../oauth/support.ts";
import { BEN } from "../ingress/chats/telegram-household.ts";
import { expectOkJson, waitUntil } from "../support.ts";
import { createOutboxScene, OWNERS_CHAT, type OutboxScene, stubProvider } from "./outbox-scene.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const QUESTION = "May this be sent";

async function ask(scene: OutboxScene, body = "I am coming.") {
  const draft = await scene.write(await scene.receive(), body);
  unwrap(await scene.rpc.outbox.requestApproval(scene.agent, draft.id));
  const message = await scene.waitForRequest(QUESTION);
  return { draft, message, ref: await readRef(scene) };
}

/** The ref of the newest request of the source. */
const readRef = async (scene: OutboxScene): Promise<string> =>
  await waitUntil(async () =>
    runInDurableObject(scene.object, (_instance, { storage }) => {
      const rows = storage.sql
        .exec<{ ref: string | null }>("SELECT ref FROM owner_requests ORDER BY key")
        .toArray();
      expect(rows.at(-1)?.ref).toEqual(expect.any(String));
      return rows.at(-1)!.ref!;
    }),
  );

const waitForState = (scene: OutboxScene, { id }: DraftView, state: string) =>
  waitUntil(async () => expect(await scene.read(id)).toMatchObject({ state }));

const waitForEnd = (scene: OutboxScene, ref: string, status: string) =>
  waitUntil(async () =>
    expect((await scene.owner.read(`/mess/${ref}`)).envelope.status).toBe(status),
  );

it("a tap by the owner in their own chat approves the draft that was shown, once", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const { draft, message } = await ask(scene);

  expect(message.text).toContain("I am coming.");
  expect(scene.listMessageActions(message)).toEqual(["respond", "completed", "declined"]);
  // A link could be passed on: the page needs the owner's session.
  expect(JSON.stringify(message.keyboard)).toContain("session=");
  expect(JSON.stringify(message.keyboard)).not.toContain("token=");
  await scene.server.act.tap(message, "completed");
  await waitForState(scene, draft, "approved");
  await scene.passTime();

  expect(await scene.read(draft.id)).toMatchObject({
    state: "sent",
    approved_by: scene.owner.actor,
  });
  expect(provider.listFor(scene)).toHaveLength(1);
});

it("a word that names no request approves nothing", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const { draft } = await ask(scene);

  await scene.server.act.write({ chat: OWNERS_CHAT, text: "yes" });
  await scene.passTime();

  expect(await scene.read(draft.id)).toMatchObject({ state: "approval_requested" });
  expect(provider.listFor(scene)).toEqual([]);
  await scene.waitForRequest("Nothing was sent");
});

it("a tap approves only in a chat that the owner has confirmed since a key changed the channel", async () => {
  stubProvider();
  const scene = await createOutboxScene();
  const { draft, message } = await ask(scene);
  const { bot_token } = scene.server.settings();
  const config = (bot: string) => ({ config: { dispatch: { telegram: { bot_token: bot } } } });
  await expectOkJson(await scene.owner.postBlocks(config("999:other")));
  await expectOkJson(await scene.owner.postBlocks(config(bot_token)));

  await scene.server.act.tap(message, "completed");
  const refused = scene.server.answers.at(-1);
  const before = await scene.read(draft.id);
  const browser = await openSignedIn([scene.home, scene.owner.actor, "owner"]);
  const page = await browser.open("/sign-in");
  const confirmed = await browser.submit("/sign-in/chats", {
    form: page.form,
    household: scene.id,
    channel: "telegram",
    address: String(OWNERS_CHAT),
    confirmed: "true",
  });
  await scene.server.act.tap(message, "completed");
  await waitForState(scene, draft, "approved");

  expect(refused).toMatchObject({ alert: true, text: expect.stringContaining("/sign-in") });
  expect(before).toMatchObject({ state: "approval_requested" });
  expect(page.text).toContain(`Confirm Telegram ${OWNERS_CHAT}`);
  expect(confirmed.status).toBe(303);
  expect((await browser.open("/sign-in")).text).toContain("Confirmed: your taps in it approve.");
});

it("a free text changes nothing, and a word in reply to the request approves", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const first = await ask(scene);
  const write = (text: string) => scene.server.act.write({ chat: OWNERS_CHAT, text });

  await write("Yes please, but send it to bob@elsewhere.test");
  await scene.passTime();
  const after = await scene.read(first.draft.id);
  expect(after).toMatchObject({ revision: 1, to: ["ann@elsewhere.test"] });
  expect(after).not.toHaveProperty("approved_by");

  await scene.server.act.write({ chat: OWNERS_CHAT, text: "yes", to: first.message });
  await waitForState(scene, first.draft, "approved");
  await scene.passTime();
  expect(provider.listFor(scene)).toHaveLength(1);
});

it("declining leaves the draft, and the owner can be asked again", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const { draft, message, ref } = await ask(scene);

  await scene.server.act.tap(message, "declined");
  await waitForEnd(scene, ref, "declined");
  await waitForState(scene, draft, "draft");
  await scene.passTime();
  expect(provider.listFor(scene)).toEqual([]);

  unwrap(await scene.rpc.outbox.requestApproval(scene.agent, draft.id));
  await waitUntil(async () =>
    expect(
      scene.server.inChat(OWNERS_CHAT).filter(({ text }) => text.includes(QUESTION)).length,
    ).toBe(2),
  );
});

const COMPLETED = { type: "status", body: { code: "completed" } } as const;

const complete = (ref: string, principal: Principal) =>
  sendMessages(env, principal, { messages: [{ re: ref, blocks: [COMPLETED] }], channel: "http" });

it.each<[string, Partial<Principal>]>([
  ["an owner's key", { credential: "key:k1" }],
  ["an OAuth grant", { credential: "grant:g1" }],
  ["an executor in a browser session", { role: "executor" }],
  ["an owner in a session that is not known to be verified", { credential: "session:other" }],
])("completing by %s is refused and ends no request", async (_name, change) => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const { draft, ref } = await ask(scene);

  const { verified: _verified, ...caller } = scene.person;
  const answered = await complete(ref, { ...caller, ...change });
  await scene.passTime();

  expect(getCode(answered)).toBe("person_required");
  expect(await scene.read(draft.id)).toMatchObject({ state: "approval_requested" });
  expect(provider.listFor(scene)).toEqual([]);
});

it("completing by a link approves nothing", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const { draft, ref } = await ask(scene);
  const scope = { ref, permissions: ["respond", "claim", "decline"], jti: "1" } as const;
  const { credential: _none, ...bearer } = scene.person;

  await complete(ref, { ...bearer, scope });
  await complete(ref, { ...scene.person, scope });
  await scene.passTime();

  expect((await scene.read(draft.id)).state).not.toBe("sent");
  expect(provider.listFor(scene)).toEqual([]);
});

it("completing by an owner in a browser session approves, and with a text it does not", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const first = await ask(scene);
  const answer = {
    type: "response",
    body: { content: [{ text: "Write to Bob instead." }] },
  } as const;
  unwrap(
    await sendMessages(env, scene.person, {
      messages: [{ re: first.ref, blocks: [answer, COMPLETED] }],
      channel: "http",
    }),
  );
  await waitForState(scene, first.draft, "draft");

  unwrap(await scene.rpc.outbox.requestApproval(scene.agent, first.draft.id));
  const second = await waitUntil(async () => {
    const ref = await readRef(scene);
    expect(ref).not.toBe(first.ref);
    return ref;
  });
  unwrap(await complete(second, scene.person));
  await waitForState(scene, first.draft, "approved");
  await scene.passTime();

  expect(provider.listFor(scene).map(({ body }) => body)).toEqual(["I am coming."]);
});

it("a tap in a chat that several members share approves nothing", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  await expectOkJson(
    await scene.owner.postBlocks({ config: { dispatch: { alerts: { telegram: BEN } } } }),
  );
  const draft = await scene.write(await scene.receive());
  unwrap(await scene.rpc.outbox.requestApproval(scene.agent, draft.id));
  const message = await scene.waitForRequest(QUESTION, BEN);

  await scene.server.act.tap(message, "completed");
  await scene.passTime();

  expect((await scene.read(draft.id)).state).not.toBe("sent");
  expect(provider.listFor(scene)).toEqual([]);
});

it("a draft that was changed withdraws its request, and the old button sends nothing", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const { draft, message, ref } = await ask(scene);

  const change = { body: "Send me your password.", revision: 1 };
  unwrap(await scene.rpc.outbox.revise(scene.agent, draft.id, change));
  await scene.server.act.tap(message, "completed");
  await scene.passTime();

  expect(await scene.read(draft.id)).toMatchObject({ state: "draft", revision: 2 });
  expect(provider.listFor(scene)).toEqual([]);
  expect(["cancelled", "completed"]).toContain(
    (await scene.owner.read(`/mess/${ref}`)).envelope.status,
  );
});

it("a draft that is too long to be shown cannot be approved by a tap", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const { draft, message } = await ask(scene, "A very long story. ".repeat(100));

  expect(scene.listMessageActions(message)).toEqual(["respond", "completed"]);
  await scene.server.act.tap(message, "completed");
  await scene.passTime();

  expect(await scene.read(draft.id)).toMatchObject({ state: "approval_requested" });
  expect(provider.listFor(scene)).toEqual([]);
});

it("an urgent message interrupts the owner once, with the draft that the tap approves", async () => {
  stubProvider();
  const scene = await createOutboxScene();
  const id = await scene.receive({ subject: "Water in the cellar", urgency: 3 });
  const draft = await scene.write(id);
  await scene.addJob("interrupt", { seq: 1 });
  await scene.addJob("interrupt", { seq: 1 });
  await scene.runAlarm();
  await scene.addJob("interrupt", { seq: 1 });
  await scene.runAlarm();

  const message = await scene.waitForRequest("Water in the cellar");
  expect(message.text).toContain("Webhook from Ann");
  expect(message.text).toContain("I am coming.");
  const ref = await readRef(scene);
  expect((await scene.owner.read(`/mess/${ref}`)).envelope.priority).toBe("urgent");
  await scene.server.act.tap(message, "completed");
  await waitForState(scene, draft, "approved");
  const requests = scene.server
    .inChat(OWNERS_CHAT)
    .filter(({ text }) => text.includes("Water in the cellar"));
  expect(requests).toHaveLength(1);
  expect(unwrap(await scene.rpc.messages.read(id)).seen).toBe(true);
});

it("an interruption without a draft only tells the owner", async () => {
  const provider = stubProvider();
  const scene = await createOutboxScene();
  const id = await scene.receive({ subject: "Water in the cellar" });
  await scene.addJob("interrupt", { seq: 1 });
  await scene.runAlarm();

  const message = await scene.waitForRequest("Water in the cellar");
  expect(scene.listMessageActions(message)).toEqual(["respond", "completed"]);
  await scene.server.act.tap(message, "completed");
  await waitUntil(async () => expect(unwrap(await scene.rpc.messages.read(id)).seen).toBe(true));
  await scene.passTime();

  expect(provider.listFor(scene)).toEqual([]);
});

it("a request to an owner that is refused for good is not repeated, and the status shows why until one is open", async () => {
  const scene = await createOutboxScene();
  const draft = await scene.write(await scene.receive());
  const results: Outcome<string>[] = [
    refuse("internal", "busy", "Try again."),
    refuse("too_many", "too many open requests", "Close one."),
  ];
  const ask = (): Promise<string> =>
    runInDurableObject(scene.object, async (_instance, state) => {
      const context = new SourceContext(state, env, async () => results.shift() ?? ok("r-1"));
      const job = { draft: 1, digest: draft.digest };
      context.change((store, now) => {
        const stored = store.drafts.get(1)!;
        if (stored.life.state === "draft")
          store.drafts.saveLife(1, unwrap(requestDraftApproval(stored.life, now)));
        return ok(true);
      });
      return await askApproval(context, job);
    });
  const readProblem = async () => unwrap(await scene.rpc.messages.status()).problem;

  const busy = await ask();
  const refused = await ask();
  const problem = await readProblem();
  const asked = await ask();

  expect([busy, refused, asked]).toEqual(["retry", "done", "done"]);
  expect(problem).toContain("too many open requests");
  expect(await readProblem()).toBeUndefined();
});
