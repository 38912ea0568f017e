/** AI groups in the inbox: who sees which group and channel, and an owner's message to all agents. */
import { afterEach, describe, expect, it } from "vitest";
import {
  createScene,
  type GroupScene,
  joinAs,
  type Member,
  postOk,
} from "../http/groups/support.ts";
import { openSignedIn } from "../oauth/support.ts";
import { Browser, buildJsonInit, createLink } from "../respond/support.ts";
import { type Answered, createFreshHousehold, expectOkJson, readRefusal } from "../support.ts";

type Reader = Awaited<ReturnType<typeof openSignedIn>>;

const CLIENT = { "X-MESS-Client": "respond" };

const openOwner = ({ home }: GroupScene): Promise<Reader> =>
  openSignedIn([home, home.owner.actor, "owner"]);

const openPerson = ({ home }: GroupScene, actor: string): Promise<Reader> =>
  openSignedIn([home, actor, "agent"]);

const path = ({ group }: GroupScene, rest = ""): string => `/inbox/groups/${group}${rest}`;

const list = async (browser: Reader): Promise<Answered[]> =>
  (await expectOkJson(await browser.fetch("/inbox/groups"))).groups;

const view = async (browser: Reader, scene: GroupScene, query = ""): Promise<Answered> =>
  await expectOkJson(await browser.fetch(`${path(scene)}${query}`));

const getContents = ({ messages }: Answered): string[] =>
  messages.map(({ content }: { content: string }) => content);

const announce = (
  browser: Pick<Reader, "fetch">,
  scene: GroupScene,
  text: string,
  headers: Record<string, string> = { "Idempotency-Key": crypto.randomUUID() },
): Promise<Response> =>
  browser.fetch(path(scene, "/announcements"), buildJsonInit({ text }, { ...CLIENT, ...headers }));

const open: ReadableStreamDefaultReader<string>[] = [];
afterEach(async () => {
  for (const reader of open.splice(0)) await reader.cancel();
});

/** Opens the stream of events; the function returns the content of the next message. */
async function watch(browser: Reader, scene: GroupScene) {
  const response = await browser.fetch(path(scene, "/events"));
  expect(response.status).toBe(200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  open.push(reader);
  let text = "";
  return async (): Promise<string> => {
    for (;;) {
      const found = /data: (\{.*\})\n\n/.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return (JSON.parse(found[1]!) as { content: string }).content;
      }
      const { done, value } = await reader.read();
      if (done) throw new Error("the stream has ended");
      text += value;
    }
  };
}

describe("AI groups in the inbox", () => {
  it("an owner sees all groups, with their members, open tasks and all channels", async () => {
    const scene = await createScene();
    const { home, group, ops, indy, rocky, send } = scene;
    await send(ops, indy, "look around", { message_type: "task" });
    await send(ops, rocky, "wait");
    const browser = await openOwner(scene);

    expect(await list(browser)).toMatchObject([
      { group_id: group, topic: "Project X", status: "open", members: 3, may_announce: true },
    ]);
    const shown = await view(browser, scene);
    expect(shown.group).toMatchObject({
      group_id: group,
      topic: "Project X",
      may_announce: true,
      messages: 2,
      tasks: [{ agent: indy.id, assigned_by: ops.id, status: "open", summary: "look around" }],
    });
    expect(shown.group.members).toMatchObject([
      { id: ops.id, online: true, primary: true },
      { id: indy.id, online: true },
      { id: rocky.id, online: true },
    ]);
    expect(getContents(shown)).toEqual(["wait", "look around"]);
    // Nothing was marked as read, and nothing of another group is shown.
    expect((await indy.caller.read(scene.path("/pending"))).total_pending).toBe(1);
    await postOk(home.agent, "/groups", { topic: "Another one", my_name: "boss" });
    expect(await list(browser)).toHaveLength(2);
  });

  it("a person sees the channels that the person's own keys may read, and cannot write to all", async () => {
    const scene = await createScene();
    const { group, ops, indy, rocky, send } = scene;
    await send(ops, indy, "for indy", { message_type: "task" });
    await send(ops, rocky, "for rocky", { message_type: "task" });
    const browser = await openPerson(scene, "indy");

    expect(await list(browser)).toMatchObject([{ group_id: group, may_announce: false }]);
    const shown = await view(browser, scene);
    expect(getContents(shown)).toEqual(["for indy"]);
    expect(shown.group.tasks).toMatchObject([{ summary: "for indy" }]);
    expect(shown.group.may_announce).toBe(false);
    const next = await watch(browser, scene);
    await send(ops, rocky, "rocky again");
    await send(ops, indy, "indy again");
    expect(await next()).toBe("indy again");
    expect(await readRefusal(await announce(browser, scene, "hello"))).toBe("403 wrong_role");
    // The person's session gives no membership: the key is needed to act.
    expect(getContents(await scene.read(indy))).toEqual(["for indy", "indy again"].toReversed());
  });

  it("a person of two members sees a message between them once", async () => {
    const scene = await createScene();
    const { home, ops, indy, send } = scene;
    const second = await home.addMember("indy", "agent");
    const { my_id } = await postOk(second, scene.path("/members"), { my_name: "indy-2" });
    await send(indy, { caller: second, id: my_id }, "to myself");
    await send(ops, indy, "for indy");

    expect(getContents(await view(await openPerson(scene, "indy"), scene))).toEqual([
      "for indy",
      "to myself",
    ]);
  });

  it("other households, other members and bearers of links see nothing", async () => {
    const scene = await createScene();
    const { home, ops, indy, send } = scene;
    await send(ops, indy, "secret");
    const foreign = await createFreshHousehold();
    const [stranger, member] = await Promise.all([
      openSignedIn([foreign, foreign.owner.actor, "owner"]),
      openPerson(scene, "somebody"),
    ]);

    for (const browser of [stranger, member]) {
      expect(await list(browser)).toEqual([]);
      expect(await readRefusal(await browser.fetch(path(scene)))).toBe("404 not_found");
      expect(await readRefusal(await browser.fetch(path(scene, "/events")))).toBe("404 not_found");
      expect(await readRefusal(await announce(browser, scene, "hi"))).toBe("404 not_found");
    }
    const ref = await home.agent.createThread("look", { requires: ["look"] });
    const link = new Browser();
    await link.open({ token: (await createLink(home.owner, ref)).token });
    for (const rest of ["", `/${scene.group}`, `/${scene.group}/events`])
      expect(await readRefusal(await link.fetch(`/inbox/groups${rest}`))).toBe(
        "401 unauthenticated",
      );
    expect(await readRefusal(await announce(link, scene, "hi"))).toBe("401 unauthenticated");
    expect(getContents(await scene.read(indy))).toEqual(["secret"]);
  });

  it("the pools are no groups of the inbox", async () => {
    const scene = await createScene();
    await postOk(scene.home.agent, "/pools/agents/agents", { name: "reserve" });
    const browser = await openOwner(scene);

    for (const rest of ["agents", "agents/events", "ops"])
      expect(await readRefusal(await browser.fetch(`/inbox/groups/${rest}`))).toBe("404 not_found");
    expect(await list(browser)).toHaveLength(1);
  });

  it("older messages come page by page, each once", async () => {
    const scene = await createScene();
    const { ops, indy, send } = scene;
    for (let number = 1; number <= 60; number++) await send(ops, indy, `number ${number}`);

    for (const browser of [await openOwner(scene), await openPerson(scene, "indy")]) {
      const first = await view(browser, scene);
      const second = await view(browser, scene, `?before=${first.messages.at(-1).seq}`);
      expect([first.more, second.more]).toEqual([true, false]);
      expect([...getContents(first), ...getContents(second)]).toEqual(
        Array.from({ length: 60 }, (_, index) => `number ${60 - index}`),
      );
    }
  });
});

describe("an owner's message to all agents", () => {
  it("all members get it as an urgent message of a person, before older ones of agents", async () => {
    const scene = await createScene();
    const { home, ops, indy, rocky, send } = scene;
    await send(ops, indy, "earlier");
    const browser = await openOwner(scene);

    expect(await expectOkJson(await announce(browser, scene, "Stop for today"))).toEqual({
      members: 3,
    });

    const mark = { content: "Stop for today", importance: "urgent", person: true };
    const { messages } = await scene.read(indy, "unread=true");
    expect(messages).toMatchObject([
      { ...mark, from: home.owner.actor, type: "message" },
      { content: "earlier" },
    ]);
    for (const member of [ops, rocky])
      expect((await scene.read(member, "unread=true")).messages).toMatchObject([mark]);
    const { group } = await view(browser, scene);
    expect(group.members).toContainEqual(
      expect.objectContaining({ id: home.owner.actor, role: "person", person: true }),
    );
  });

  it("a repeated call sends nothing again, and its key cannot be used for another text", async () => {
    const scene = await createScene();
    const browser = await openOwner(scene);
    const headers = { "Idempotency-Key": "once" };
    const first = await expectOkJson(await announce(browser, scene, "Stop", headers));

    const second = await expectOkJson(await announce(browser, scene, "Stop", headers));

    expect(second).toEqual(first);
    expect(await readRefusal(await announce(browser, scene, "Go", headers))).toBe(
      "409 idempotency_conflict",
    );
    expect(await scene.readContents(scene.indy)).toEqual(["Stop"]);
    expect((await view(browser, scene)).group.messages).toBe(3);
  });

  it("a repeated call reaches a member that has joined since, and nobody twice", async () => {
    const scene = await createScene();
    const { home, group, indy } = scene;
    const browser = await openOwner(scene);
    const headers = { "Idempotency-Key": "once" };
    await expectOkJson(await announce(browser, scene, "Stop", headers));
    const late = await home.addMember("late", "agent");
    await postOk(late, `/groups/${group}/members`, { my_name: "late" });

    const { members } = await expectOkJson(await announce(browser, scene, "Stop", headers));

    expect(members).toBe(4);
    expect(await scene.readContents(indy)).toEqual(["Stop"]);
    expect(await scene.readContents(late)).toEqual(["Stop"]);
  });

  it("an agent answers it, and the answer stays in the group", async () => {
    const scene = await createScene();
    const { home, indy, rocky } = scene;
    const browser = await openOwner(scene);
    await expectOkJson(await announce(browser, scene, "Who is there?"));
    const [asked] = (await scene.read(indy)).messages;
    const owner = { caller: home.owner, id: home.owner.actor };

    await scene.send(indy, owner, "I am", { reply_to: asked.id });

    expect(getContents(await view(browser, scene))[0]).toBe("I am");
    expect((await home.owner.read("/mess")).threads).toEqual([]);
    await scene.send(rocky, owner, "Me too");
    expect(getContents(await view(browser, scene))[0]).toBe("Me too");
    const refuse = async (from: Member, more?: object): Promise<string> =>
      await readRefusal(await scene.trySend(from, owner, "By the way", more));
    expect(await refuse(rocky, { reply_to: asked.id })).toBe("404 unknown_member");
    expect(await refuse(rocky, { message_type: "task" })).toBe("404 unknown_member");
    // A member that got no announcement has nothing to answer.
    const late = await joinAs(await home.addMember("late", "agent"), scene.group, "late");
    expect(await refuse(late)).toBe("404 unknown_member");
  });

  it("it is refused in a closed group, without a key or text, and from another site's page", async () => {
    const scene = await createScene();
    const browser = await openOwner(scene);

    expect(await readRefusal(await announce(browser, scene, ""))).toBe("400 bad_field");
    expect(await readRefusal(await announce(browser, scene, "x".repeat(16_001)))).toMatch(/^4/);
    expect(await readRefusal(await announce(browser, scene, "hi", {}))).toBe("400 missing_field");
    const evil = { "Idempotency-Key": "one", Origin: "https://evil.example" };
    expect(await readRefusal(await announce(browser, scene, "hi", evil))).toBe(
      "400 unsafe_message",
    );
    const bare = buildJsonInit({ text: "hi" }, { "Idempotency-Key": "one" });
    expect(await readRefusal(await browser.fetch(path(scene, "/announcements"), bare))).toBe(
      "400 unsafe_message",
    );
    await postOk(scene.ops.caller, scene.path("/close"), {});
    expect(await readRefusal(await announce(browser, scene, "hi"))).toBe("409 group_closed");
    expect(await list(browser)).toMatchObject([{ status: "closed", may_announce: false }]);
    expect((await view(browser, scene)).messages).toEqual([]);
  });
});
