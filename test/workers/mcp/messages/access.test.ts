/** What the paths of a key allow at `/mcp/messages`, and that no tool approves or sends. */
import { describe, expect, it } from "vitest";
import { MESSAGE_TOOLS } from "../../../../src/ingress/mcp/tools/messages/index.ts";
import { createFreshHousehold } from "../../support.ts";
import { callMcp, Client, openSignedIn } from "../../oauth/support.ts";
import { createMessageScene, type MessageScene, readCode, useFields, useTool } from "./support.ts";

/** The codes of a call of every kind, on a message of `mail`. */
async function probe(scene: MessageScene, paths: string[]): Promise<Record<string, string>> {
  const caller = await scene.addLimitedKey(...paths);
  const id = await scene.receive(1);
  const of = { source: "mail" };
  const calls: [name: string, tool: string, args: object][] = [
    ["read", "read", { ...of, id }],
    ["list", "list", { ...of, unseen: true }],
    ["wait", "wait", { ...of, timeout: 0 }],
    ["mark", "mark", { ...of, ids: [id], mark: "seen" }],
    ["verdict", "mark", { ...of, ids: [id], verdict: "TIER: DEFER\nREASON: x" }],
    ["reply", "draft", { ...of, message: id, body: "Yes" }],
    ["draft", "draft", { ...of, to: ["bob@elsewhere.test"], body: "Hello" }],
    ["drafts", "list", { ...of, drafts: true }],
    ["policy", "policy", {}],
    ["new policy", "policy", { text: "Send all." }],
  ];
  const codes: Record<string, string> = {};
  for (const [name, tool, args] of calls) codes[name] = await readCode(caller, tool, args);
  return codes;
}

const NOTHING = {
  read: "not_found",
  list: "not_found",
  wait: "not_found",
  mark: "not_found",
  verdict: "not_found",
  reply: "not_found",
  draft: "not_found",
  drafts: "not_found",
  policy: "wrong_role",
  "new policy": "wrong_role",
};
const READING = { read: "no error", list: "no error", wait: "no error", mark: "no error" };
const REFUSED = {
  verdict: "wrong_role",
  reply: "wrong_role",
  draft: "wrong_role",
  drafts: "wrong_role",
};

describe("a key that is limited to paths", () => {
  it.each([
    [["msg/alerts", "msg/alerts/outbox"], NOTHING],
    [["msg/mail"], { ...NOTHING, ...READING, ...REFUSED }],
    [["msg"], { ...NOTHING, ...READING, ...REFUSED, policy: "no error" }],
    [
      ["msg/mail/outbox"],
      {
        ...NOTHING,
        ...REFUSED,
        read: "wrong_role",
        list: "wrong_role",
        wait: "wrong_role",
        mark: "wrong_role",
        draft: "no error",
        drafts: "no error",
      },
    ],
    [
      ["msg/mail", "msg/classify"],
      { ...NOTHING, ...READING, ...REFUSED, verdict: "no error", policy: "no error" },
    ],
  ])("a key with the paths %j can do what they say", async (paths, expected) => {
    expect(await probe(await createMessageScene(), paths)).toEqual(expected);
  });

  it("a key for one source sees only this one, and its counts", async () => {
    const scene = await createMessageScene();
    const reader = await scene.addLimitedKey("msg/alerts");
    await scene.receive(1);

    const { sources } = await useFields(reader, "list");

    expect(sources).toMatchObject([{ source: "alerts", messages: 0 }]);
  });
});

describe("approval", () => {
  it("no tool approves, sends or undoes, and none takes a digest", () => {
    const names = MESSAGE_TOOLS.map(({ name }) => name);
    const parameters = MESSAGE_TOOLS.flatMap(({ input }) => Object.keys(input.shape));

    expect(names.toSorted()).toEqual([
      "draft",
      "list",
      "mark",
      "policy",
      "read",
      "request_approval",
      "revise",
      "wait",
    ]);
    expect(parameters.filter((name) => /approv|digest|send/.test(name))).toEqual([]);
  });

  it("a draft of an owner's key stays unsent until a person approves, however often it is asked for", async () => {
    const { home } = await createMessageScene();
    const given = { source: "mail", to: ["bob@elsewhere.test"], subject: "Hi", body: "Hello" };
    const { id } = await useFields(home.owner, "draft", given);

    for (let n = 0; n < 3; n++)
      await useFields(home.owner, "request_approval", { source: "mail", draft: id });
    const { fields } = await useTool(home.owner, "read", { source: "mail", id });

    expect(fields).toMatchObject({ id, state: "approval_requested", revision: 1 });
  });

  it("a revision after a request for approval needs a new one", async () => {
    const { secretary } = await createMessageScene();
    const given = { source: "mail", to: ["bob@elsewhere.test"], subject: "Hi", body: "Hello" };
    const { id, digest } = await useFields(secretary, "draft", given);
    await useFields(secretary, "request_approval", { source: "mail", draft: id });

    const revised = await useFields(secretary, "revise", {
      source: "mail",
      draft: id,
      revision: 1,
      to: ["evil@elsewhere.test"],
    });

    expect(revised).toMatchObject({ revision: 2, state: "draft" });
    expect(revised.digest).not.toBe(digest);
  });
});

describe("an OAuth client", () => {
  const connect = async (role: "owner" | "executor") => {
    const scene = await createMessageScene();
    const browser = await openSignedIn([scene.home, "eve", role]);
    const client = await Client.register({}, "/mcp/messages");
    const tokens = await client.tokens(browser, { [scene.home.id]: "executor" });
    const use = async (name: string, args: object = {}) => {
      const params = { name, arguments: args };
      const response = await callMcp(tokens.access_token, "tools/call", params, "/mcp/messages");
      return await response.text();
    };
    return { ...scene, use };
  };

  it("a client that an owner has connected reads, classifies and drafts, and sets no policy", async () => {
    const { use, receive } = await connect("owner");
    const id = await receive(1);
    const of = { source: "mail" };

    expect(await use("read", { ...of, id })).toContain("> The body of message 1.");
    const verdict = "TIER: DEFER\nREASON: x";
    expect(await use("mark", { ...of, ids: [id], verdict })).toContain("Classified");
    expect(await use("draft", { ...of, message: id, body: "Yes" })).toContain("Nothing is sent");
    expect(await use("policy", { text: "Send all." })).toContain("wrong_role");
  });

  it("a client of a person who is no owner sees nothing", async () => {
    const { use, receive } = await connect("executor");
    const id = await receive(1);

    expect(await use("list")).toContain("wrong_role");
    expect(await use("read", { source: "mail", id })).toContain("wrong_role");
  });
});

it("a household without sources says how to add one", async () => {
  const { owner } = await createFreshHousehold();

  const { text, fields } = await useTool(owner, "list");

  expect(fields.sources).toEqual([]);
  expect(text).toContain("owner");
});
