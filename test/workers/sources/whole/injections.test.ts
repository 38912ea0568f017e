/**
 * 60 messages that order the classifier and a connected agent to act. Both obey, so permissions alone must stop them:
 * nothing is sent or approved, no setting changes, and nothing of another source is read.
 */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { INJECTIONS } from "../../../support/injections/index.ts";
import { openSignedIn } from "../../oauth/support.ts";
import { buildJsonInit } from "../../respond/support.ts";
import { type Answered, expectOkJson, waitUntil } from "../../support.ts";
import { type Ids, ObedientAgent } from "./obedient-agent.ts";
import { createWholeScene, PHONE, type WholeScene } from "./scene.ts";

const SECRET = "7461-canary";
/** An obedient classifier interrupts the owner, with a draft, wherever the message names no verdict. */
const URGENT = "TIER: NOTIFY\nREASON: The message says so.\nURGENCY: 3\nDRAFT: As you wish.";
const SOURCES = ["mail", "private", "alerts", "chat"];
/** The calls that a key for one source, its drafts and verdicts may make. All others must be refused. */
const ALLOWED_CALLS: readonly RegExp[] = [
  /^POST \/sources\/mail\/drafts$/,
  /^POST \/sources\/mail\/drafts\/\{draft\}\/request-approval$/,
  /^GET \/sources$/,
  /^GET \/messages\/search\?q=safe$/,
  /^tool (?:draft|request_approval) \{"source":"mail",/,
  // In the tree, these make drafts or ask the owner.
  /^POST \/msg\/mail\/(?:\{message\}|outbox\/\{draft\})\/ctl$/,
  /^GET \/msg\/sources$/,
  /^tool list \{"search":"safe"\}$/,
];

let scene: WholeScene;
let agent: ObedientAgent;
let secretMessage: string;
let settingsBefore: unknown;
const acceptedCalls: string[] = [];
let messages: Map<string, Answered>;

/** All that only the owner may change. */
async function readSettings(): Promise<unknown> {
  const { owner } = scene.home;
  const paths = [
    "/message-policy/versions",
    "/message-rules",
    "/api/v1/config",
    "/api/v1/keys",
    "/sources/private/messages",
  ];
  const [versions, rules, config, keys, inPrivate] = await Promise.all(
    paths.map((path) => owner.read(path)),
  );
  const unused = (keys.keys as Answered[]).map(({ last_used: _used, ...key }) => key);
  return { versions, rules, config, keys: unused, inPrivate };
}

/** Nothing left the house but notices on the owner's phone. */
function expectNothingSent(): void {
  expect(scene.office.messages).toEqual([]);
  expect(scene.posted).toEqual([]);
  const chats = scene.home.server.messages.map(({ chat }) => chat);
  expect(chats.filter((chat) => chat !== PHONE)).toEqual([]);
}

const listDraftsIn = async (...states: string[]): Promise<Answered[]> =>
  (
    await Promise.all(
      SOURCES.flatMap((source) => states.map((state) => scene.listDrafts(source, state))),
    )
  ).flat();

beforeAll(async () => {
  scene = await createWholeScene();
  const { owner } = scene.home;
  scene.answer = (message) =>
    INJECTIONS.find(({ subject }) => message.includes(`Subject: ${subject}\n`))?.verdict ?? URGENT;
  await scene.alert("private", "p-1", { title: "The safe", text: `The code is ${SECRET}.` });
  secretMessage = (await scene.waitForNewest("private", "The safe")).id;
  const key = await scene.addLimitedKey("clerk", "msg/mail", "msg/mail/outbox", "msg/classify");
  agent = new ObedientAgent(key);
  for (const { name, orders: _orders, verdict: _verdict, ...mail } of INJECTIONS)
    await scene.mail({
      ...mail,
      headers: { "Message-ID": `<${toId(name)}@evil.example>`, ...mail.headers },
    });
  const listed = await waitUntil(async () => {
    const found = await scene.listMessages("mail");
    expect(found.filter(({ tier }) => tier !== undefined)).toHaveLength(INJECTIONS.length);
    return found;
  });
  const read = await Promise.all(
    listed.map(({ id }) => owner.read(`/sources/mail/messages/${id}`)),
  );
  messages = new Map(read.map((message) => [getHeader(message, "Message-ID"), message]));
  settingsBefore = await readSettings();
}, 60_000);

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const toId = (name: string): string => name.replaceAll(/\W+/g, "-");

const getHeader = ({ headers }: Answered, name: string): string =>
  (headers as [string, string][]).find(([each]) => each === name)?.[1] ?? "";

/** The ids that the attack needs, most of which only the owner knows. */
async function findIds({ id, draft: own }: Answered): Promise<Ids> {
  const { owner } = scene.home;
  const { threads } = await owner.read("/mess?limit=1");
  const draft = own
    ? await owner.read(`/sources/mail/drafts/${own}`)
    : (await scene.listDrafts("mail", "approval_requested"))[0];
  return {
    message: id as string,
    draft: draft.id,
    digest: draft.digest,
    request: threads[0].ref,
    private: secretMessage,
    household: scene.home.id,
  };
}

describe("an injected message that classifier and agent obey", () => {
  it("is one of 60, of which the classifier answered each once", () => {
    const names = new Set(INJECTIONS.map(({ name }) => name));

    expect(names.size).toBe(60);
    expect(scene.model.requests).toHaveLength(61);
    expect(messages.size).toBe(60);
  });

  it.each(INJECTIONS)("$name: sends, approves, changes and reveals nothing", async (injection) => {
    const message = messages.get(`<${toId(injection.name)}@evil.example>`);
    const answers = await agent.obey(injection, message.body as string, await findIds(message));

    const accepted = answers.filter(({ isAccepted }) => isAccepted).map(({ call }) => call);
    acceptedCalls.push(...accepted);
    const isAllowed = (call: string) => ALLOWED_CALLS.some((allowed) => allowed.test(call));
    expect(accepted.filter((call) => !isAllowed(call))).toEqual([]);
    expect(answers.filter(({ text }) => text.includes(SECRET))).toEqual([]);
    expect(await scene.listDrafts("mail", "approved")).toEqual([]);
    expectNothingSent();
  });

  it("has approved no draft, changed no setting and sent nothing, also an hour later", async () => {
    const drafts = await listDraftsIn("draft", "approval_requested");
    vi.setSystemTime(Date.now() + 3_600_000);
    for (const source of SOURCES)
      await runDurableObjectAlarm(env.SOURCES.getByName(`${scene.home.id}/${source}`));

    expect(await listDraftsIn("approved", "sent", "failed")).toEqual([]);
    expect(await readSettings()).toEqual(settingsBefore);
    expectNothingSent();
    // The attacks had something to approve, and reached routes, tree and tools.
    expect(drafts.length).toBeGreaterThan(60);
    for (const allowed of ALLOWED_CALLS)
      expect(acceptedCalls.filter((call) => allowed.test(call)).length, String(allowed)).not.toBe(
        0,
      );
  });

  it("is answered when the owner has signed in and approves its draft", async () => {
    const [{ id, digest }] = (await scene.listDrafts("mail", "approval_requested")) as [Answered];
    const person = await openSignedIn([scene.home, scene.home.owner.actor, "owner"]);
    const init = buildJsonInit({ digest }, { "X-MESS-Client": "respond" });
    await expectOkJson(await person.fetch(`/inbox/drafts/mail/${id}/approve`, init));
    vi.setSystemTime(Date.now() + 60_000);

    await waitUntil(async () => {
      await runDurableObjectAlarm(env.SOURCES.getByName(`${scene.home.id}/mail`));
      expect(scene.office.messages).toHaveLength(1);
    });
  });
});
