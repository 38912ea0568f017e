/** Messages of all sources in the inbox: who sees them, their pages, and the drafts that wait for an owner. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { getSourceStub } from "../../../src/stubs.ts";
import { openSignedIn } from "../oauth/support.ts";
import { Browser, buildJsonInit, createLink } from "../respond/support.ts";
import { unwrap } from "../outcomes.ts";
import { createOutboxScene, type OutboxScene } from "../sources/outbox-scene.ts";
import { buildIncoming } from "../sources/support.ts";
import { buildFakeWebhookSecret } from "../household/support.ts";
import {
  type Answered,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  waitUntil,
} from "../support.ts";

type Reader = Awaited<ReturnType<typeof openSignedIn>>;

const CLIENT = { "X-MESS-Client": "respond" };
const START_MS = Date.UTC(2026, 0, 1);

afterEach(() => {
  vi.useRealTimers();
});

const openOwner = ({ home }: OutboxScene): Promise<Reader> =>
  openSignedIn([home, home.owner.actor, "owner"]);

const read = async (browser: Reader, path: string): Promise<Answered> =>
  await expectOkJson(await browser.fetch(path));

/** Adds a second source, and returns how to let messages arrive in both, a second apart. */
async function createTwoSources() {
  const scene = await createOutboxScene();
  const bell = { kind: "webhook", secret: buildFakeWebhookSecret("bell") };
  await expectOkJson(await scene.owner.postBlocks({ config: { sources: { bell } } }));
  const second = getSourceStub(env, scene.home.id, "bell");
  await waitUntil(async () => expect((await second.messages.status()).ok).toBe(true));
  const sources = { hook: scene.rpc, bell: second };
  const receive = async (source: keyof typeof sources, n: number): Promise<string> => {
    vi.setSystemTime(START_MS + n * 1_000);
    return unwrap(await sources[source].messages.receive([buildIncoming(n)]))[0]!.id;
  };
  return { scene, receive };
}

const getSubjects = ({ messages }: Answered): string[] =>
  messages.map(({ subject }: { subject: string }) => subject);

it("an owner sees the messages of all sources newest first, and each page once", async () => {
  const { scene, receive } = await createTwoSources();
  for (let n = 1; n <= 5; n++) await receive("hook", n);
  for (let n = 6; n <= 8; n++) await receive("bell", n);
  const browser = await openOwner(scene);

  const overview = await read(browser, "/inbox/messages");
  const first = await read(browser, "/inbox/messages/list?limit=2");
  const readAfter = async ({ next }: Answered, limit: number): Promise<Answered> => {
    const after = Object.entries(next as Record<string, string>).map((pair) => pair.join(":"));
    return await read(browser, `/inbox/messages/list?limit=${limit}&after=${after.join(",")}`);
  };
  const second = await readAfter(first, 1);
  const third = await readAfter(second, 3);

  expect(overview.households).toMatchObject([
    {
      me: scene.owner.actor,
      sources: [
        { source: "bell", messages: 3, unseen: 3, can_send: false },
        { source: "hook", messages: 5, unseen: 5, can_send: true },
      ],
    },
  ]);
  expect(getSubjects(first)).toEqual([8, 7, 5, 4].map((n) => `Message ${n}`));
  expect(getSubjects(second)).toEqual([6, 3].map((n) => `Message ${n}`));
  expect(getSubjects(third)).toEqual([2, 1].map((n) => `Message ${n}`));
  expect(third.next).toEqual({});
});

it("the list shows one source, one tier, unread or flagged messages only", async () => {
  const { scene, receive } = await createTwoSources();
  const [one, two] = [await receive("hook", 1), await receive("hook", 2)];
  await receive("bell", 3);
  const browser = await openOwner(scene);
  const mark = (id: string, name: string): Promise<Response> =>
    browser.fetch(`/sources/hook/messages/${id}/mark`, buildJsonInit({ mark: name }, CLIENT));
  await expectOkJson(await mark(one, "seen"));
  await expectOkJson(await mark(two, "flag"));
  const correct = `/sources/hook/messages/${one}/correct`;
  await expectOkJson(await browser.fetch(correct, buildJsonInit({ tier: "IGNORE" }, CLIENT)));

  const list = async (query: string) =>
    getSubjects(await read(browser, `/inbox/messages/list?${query}`));

  expect(await list("source=hook")).toEqual(["Message 2", "Message 1"]);
  expect(await list("unseen=true")).toEqual(["Message 3", "Message 2"]);
  expect(await list("flagged=true")).toEqual(["Message 2"]);
  expect(await list("tier=IGNORE")).toEqual(["Message 1"]);
  for (const bad of ["tier=MAYBE", "after=hook", "after=hook:1;bell:2", "limit=0", "more=1"])
    expect(await readRefusal(await browser.fetch(`/inbox/messages/list?${bad}`))).toBe(
      "400 bad_parameter",
    );
  expect(await readRefusal(await browser.fetch("/inbox/messages/list?source=none"))).toBe(
    "404 not_found",
  );
  await waitUntil(async () =>
    expect(getSubjects(await read(browser, "/inbox/messages/search?q=message+3"))).toEqual([
      "Message 3",
    ]),
  );
});

it("a message is shown with its drafts, and the waiting drafts of all sources together", async () => {
  const scene = await createOutboxScene();
  const message = await scene.receive();
  const [first, second] = [await scene.write(message, "One."), await scene.write(message, "Two.")];
  unwrap(await scene.rpc.outbox.discard(scene.agent, first.id));
  const browser = await openOwner(scene);

  const shown = await read(browser, `/inbox/messages/hook/${message}`);
  const { drafts } = await read(browser, "/inbox/drafts");

  expect(shown).toMatchObject({
    message: { id: message, body: "The body of message 1." },
    drafts: [
      { id: first.id, state: "discarded" },
      { id: second.id, state: "draft", body: "Two.", digest: second.digest },
    ],
    can_send: true,
  });
  expect(drafts).toEqual([second]);

  const hook = { kind: "webhook", secret: buildFakeWebhookSecret("hook") };
  await expectOkJson(await scene.owner.postBlocks({ config: { sources: { hook } } }));
  const overview = await read(browser, "/inbox/messages");
  expect(overview.households[0].sources).toMatchObject([{ source: "hook", can_send: false }]);
  expect((await read(browser, "/inbox/drafts")).drafts).toMatchObject([{ id: second.id }]);
});

it("two approvals of a draft send it once, and one of a changed draft sends nothing", async () => {
  const scene = await createOutboxScene();
  const { id, digest } = await scene.write(await scene.receive());
  const browser = await openOwner(scene);
  const approve = (named: string): Promise<Response> =>
    browser.fetch(`/inbox/drafts/hook/${id}/approve`, buildJsonInit({ digest: named }, CLIENT));
  const change = { ...buildJsonInit({ body: "No.", revision: 1 }, CLIENT), method: "PATCH" };
  const revised = await expectOkJson(await browser.fetch(`/sources/hook/drafts/${id}`, change));

  expect(await readRefusal(await approve(digest))).toBe("409 draft_changed");
  expect(await scene.read(id)).toMatchObject({ state: "draft", body: "No." });
  const taps = await Promise.all([approve(revised.digest), approve(revised.digest)]);
  expect(taps.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

it("members who are no owners, other households, keys and links see no messages", async () => {
  const scene = await createOutboxScene();
  const message = await scene.receive();
  await scene.write(message);
  const foreign = await createFreshHousehold();
  const paths = [
    "/inbox/messages/list",
    "/inbox/messages/search?q=message",
    `/inbox/messages/hook/${message}`,
    "/inbox/drafts",
  ];
  const [member, stranger] = [
    await openSignedIn([scene.home, "scout", "agent"]),
    await openSignedIn([foreign, foreign.owner.actor, "owner"]),
  ];

  expect((await read(member, "/inbox/messages")).households).toEqual([]);
  for (const path of paths)
    expect(await readRefusal(await member.fetch(path))).toBe("403 wrong_role");
  expect((await read(stranger, "/inbox/messages")).households).toMatchObject([{ sources: [] }]);
  expect((await read(stranger, "/inbox/messages/list")).messages).toEqual([]);
  expect((await read(stranger, "/inbox/drafts")).drafts).toEqual([]);
  expect(await readRefusal(await stranger.fetch(`/inbox/messages/hook/${message}`))).toBe(
    "404 not_found",
  );
  const ref = await scene.home.agent.createThread("look", { requires: ["look"] });
  const link = new Browser();
  await link.open({ token: (await createLink(scene.owner, ref)).token });
  for (const path of ["/inbox/messages", ...paths]) {
    expect(await readRefusal(await link.fetch(path))).toBe("401 unauthenticated");
    expect(await readRefusal(await scene.owner.fetch(path))).toBe("401 unauthenticated");
  }
});
