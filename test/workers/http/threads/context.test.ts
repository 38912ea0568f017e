/** Requests whose context refers to earlier threads, as each reader of the new one sees them. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { readThread } from "../../../../src/mess/messe-af/read.ts";
import { createMcpRobot } from "../../../support/channels/mcp-robot.ts";
import { connectHost } from "../../dispatch/machine-hosts.ts";
import { callTool } from "../../mcp/support.ts";
import { Browser, createLink } from "../../respond/support.ts";
import { createRobotHousehold } from "../../robots/support.ts";
import {
  type Answered,
  type Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  type TestHousehold,
  waitUntil,
  countThreads,
} from "../../support.ts";
import { PNG } from "../../../support/media/png.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A completed request with the id `fridge`, answered by Ann with a text and a photo. */
async function answerFridge({ agent, ann }: Pick<TestHousehold, "agent" | "ann">): Promise<string> {
  const ref = await agent.createThread("what is in the fridge?", {
    id: "fridge",
    requires: ["look"],
    context: ["the one in the cellar"],
  });
  const uploaded = await ann.fetch(`/mess/${ref}/attachments?name=fridge.png`, {
    method: "POST",
    body: PNG,
    headers: { "Content-Type": "image/png" },
  });
  const { file } = await expectOkJson(uploaded);
  await ann.appendBlocks(
    ref,
    { response: { content: ["two eggs", { image: { file } }] } },
    { status: { code: "completed" } },
  );
  return ref;
}

const PHOTO = "att-001-image-fridge.png";

async function openHousehold() {
  const home = await createFreshHousehold();
  return { ...home, fridge: await answerFridge(home) };
}

/** Creates a request that Ben is offered, which refers to the fridge. */
const requestShopping = (agent: Caller, context: unknown[], more: object = {}): Promise<string> =>
  agent.createThread("buy what is missing", { requires: ["carry"], context, ...more });

const readRequest = async (caller: Caller, ref: string): Promise<Answered> =>
  (await caller.read(`/mess/${ref}`)).messages[0].MESS[0].request;

describe("a request that refers to an earlier one", () => {
  it.each([
    ["the id of the sender", "fridge"],
    ["last", "last"],
  ])("%s is stored as the ref of the thread", async (_label, written) => {
    const { agent, fridge } = await openHousehold();

    const ref = await requestShopping(agent, ["for tonight", { ref: written }]);

    expect((await readRequest(agent, ref)).context).toEqual(["for tonight", { ref: fridge }]);
  });

  it("the content address of a file is stored with the full ref and the file's own name", async () => {
    const { agent, fridge } = await openHousehold();

    const ref = await requestShopping(agent, [{ image: "content://fridge/fridge.png" }]);

    expect((await readRequest(agent, ref)).context).toEqual([
      { image: { resource: `content://${fridge}/${PHOTO}` } },
    ]);
  });

  it("an id of the same call is the other request, and last the one before", async () => {
    const { agent } = await openHousehold();
    const response = await agent.postBlocks(
      { request: { id: "look", intent: "look at the roof", requires: ["look"] } },
      { request: { id: "fix", intent: "fix it", context: [{ ref: "look" }, { ref: "last" }] } },
    );

    const [look, fix] = (await expectOkJson(response)).MESS[0].ack.requests;

    expect((await readRequest(agent, fix.ref)).context).toEqual([
      { ref: look.ref },
      { ref: look.ref },
    ]);
  });

  it.each([
    ["an unknown ref", [{ ref: "no-such-request" }]],
    ["an unknown file", [{ image: "content://fridge/other.png" }]],
    ["an unknown message", [{ ref: "fridge/response-009" }]],
  ])("%s is refused, and nothing is stored", async (_label, context) => {
    const { agent } = await openHousehold();
    const before = await countThreads(agent);

    const response = await agent.postBlocks({ request: { intent: "buy milk", context } });

    expect(await readRefusal(response)).toBe("422 unknown_reference");
    expect(await countThreads(agent)).toBe(before + 1);
  });

  it("a thread that the sender may not see is refused like an unknown one", async () => {
    const { fridge, addMember } = await openHousehold();
    const stranger = await addMember("stranger", "agent");

    const refusals = await Promise.all(
      [[{ ref: fridge }], [{ image: `content://${fridge}/${PHOTO}` }]].map(async (context) =>
        readRefusal(await stranger.postBlocks({ request: { intent: "copy it", context } })),
      ),
    );

    expect(refusals).toEqual(["422 unknown_reference", "422 unknown_reference"]);
  });

  it("a repeated request with last is the same request", async () => {
    const { agent } = await openHousehold();

    const first = await requestShopping(agent, [{ ref: "last" }], { id: "shop" });
    const second = await requestShopping(agent, [{ ref: "last" }], { id: "shop" });

    expect(second).toBe(first);
  });
});

describe("the earlier thread of an open request", () => {
  it("its reader gets the request, the answers and their files, and no other message", async () => {
    const { agent, ann, ben, fridge } = await openHousehold();
    await agent.appendBlocks(fridge, { followup: { message: "the key is under the mat" } });
    const ref = await requestShopping(agent, [{ ref: fridge }]);

    const { threads } = await ben.read(`/mess/${ref}/context`);

    expect(threads).toMatchObject([
      { ref: fridge, intent: "what is in the fridge?", status: "completed" },
    ]);
    expect(threads[0].messages.map(({ from }: Answered) => from)).toEqual(["scout", ann.actor]);
    expect(JSON.stringify(threads)).not.toContain("under the mat");
    const file = await ben.fetch(threads[0].attachments[0].url);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PNG);
  });

  it("a reference to a file opens this file only", async () => {
    const { agent, ben, fridge } = await openHousehold();
    const ref = await requestShopping(agent, [{ image: `content://${fridge}/${PHOTO}` }]);

    const { threads } = await ben.read(`/mess/${ref}/context`);

    expect(threads).toMatchObject([{ part: PHOTO, messages: [], attachments: [{ name: PHOTO }] }]);
  });

  it("a reference to a message opens this message only", async () => {
    const { agent, ann, ben, fridge } = await openHousehold();
    await ann.appendBlocks(fridge, { response: { content: ["and a lemon"] } });
    const ref = await requestShopping(agent, [{ ref: "fridge/response-001" }]);

    const { threads } = await ben.read(`/mess/${ref}/context`);

    expect(JSON.stringify(threads)).toContain("two eggs");
    expect(JSON.stringify(threads)).not.toContain("lemon");
  });

  it("it does not open the threads that it refers to itself", async () => {
    const { agent, ben, fridge } = await openHousehold();
    const middle = await agent.createThread("list it", {
      requires: ["look"],
      context: [{ ref: fridge }],
    });
    const ref = await requestShopping(agent, [{ ref: middle }]);

    const refusals = await Promise.all(
      [`/mess/${ref}/context/${fridge}/${PHOTO}`, `/mess/${fridge}/attachments/${PHOTO}`].map(
        async (path) => readRefusal(await ben.fetch(path)),
      ),
    );

    expect(refusals[0]).toBe("404 not_found");
    expect((await ben.read(`/mess/${ref}/context`)).threads).toMatchObject([{ ref: middle }]);
  });

  it("other members get neither the thread nor its files", async () => {
    const { agent, robo, fridge } = await openHousehold();
    const ref = await requestShopping(agent, [{ ref: fridge }]);

    const refusals = await Promise.all(
      [
        `/mess/${ref}/context`,
        `/mess/${ref}/context/${fridge}/${PHOTO}`,
        `/mess/${fridge}/attachments/${PHOTO}`,
        `/mess/${fridge}`,
      ].map(async (path) => readRefusal(await robo.fetch(path))),
    );

    expect(new Set(refusals)).toEqual(new Set(["404 not_found"]));
  });

  it("its reader gets nothing of it once the request has ended", async () => {
    const { agent, ben, fridge } = await openHousehold();
    const ref = await requestShopping(agent, [{ ref: fridge }]);
    await ben.appendBlocks(ref, { status: { code: "completed" } });

    const { threads } = await ben.read(`/mess/${ref}/context`);
    const file = await ben.fetch(`/mess/${fridge}/attachments/${PHOTO}`);

    expect(threads).toEqual([]);
    expect(await readRefusal(file)).toBe("404 not_found");
  });

  it("an answer that comes later is shown too", async () => {
    const { agent, ann, ben } = await openHousehold();
    const open = await agent.createThread("count the chairs", { requires: ["look"] });
    const ref = await requestShopping(agent, [{ ref: open }]);
    await ann.appendBlocks(open, { response: { content: ["eleven chairs"] } });

    const { threads } = await ben.read(`/mess/${ref}/context`);

    expect(JSON.stringify(threads)).toContain("eleven chairs");
  });
});

describe("a tool call that refers to an earlier request", () => {
  it("mess_do takes refs, files, and the address of a file as a text", async () => {
    const { agent, fridge } = await openHousehold();
    const uri = `content://${fridge}/${PHOTO}`;
    const photo = { image: { resource: uri } };

    const { result } = await callTool(agent, "mess_do", {
      intent: "buy one like this",
      context: ["the green one", { ref: "fridge" }, { image: uri }, uri],
      wait_seconds: 0,
    });

    const { ref } = result.structuredContent;
    expect((await readRequest(agent, ref)).context).toEqual([
      "the green one",
      { ref: fridge },
      photo,
      photo,
    ]);
  });
});

describe("the surfaces of an earlier thread", () => {
  it("the respond page has it with its files, which the link's session opens", async () => {
    const { agent, fridge } = await openHousehold();
    const ref = await requestShopping(agent, [{ ref: fridge }]);
    const browser = new Browser();
    await browser.open({ token: (await createLink(agent, ref, "ben")).token });

    const { earlier } = await browser.readState(ref);

    expect(earlier).toMatchObject([{ ref: fridge, attachments: [{ name: PHOTO }] }]);
    const file = await browser.fetch(earlier[0].attachments[0].url);
    expect([file.status, file.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    expect((await browser.fetch(`/mess/${fridge}`)).status).toBe(401);
  });

  it("a webhook has the answer, and its token opens the file", async () => {
    const home = await createRobotHousehold({
      webhook: { url: "https://moppy.example.com/hook", body: "json" },
    });
    const fridge = await answerFridge(home);
    await home.agent.createThread("mop around it", {
      requires: ["mop-floor"],
      context: [{ ref: fridge }],
    });
    await waitUntil(async () => expect(home.moppy.hooks).toHaveLength(1));
    const [hook] = home.moppy.hooks;

    const { data } = hook!.json;

    expect(data.context).toEqual(["what is in the fridge?: two eggs fridge.png"]);
    expect(data.earlier).toMatchObject([
      { ref: fridge, answer: ["two eggs", expect.anything()], files: [{ mime: "image/png" }] },
    ]);
    const { pathname } = new URL(data.earlier[0].files[0].url as string);
    const file = await home.agent.fetch(pathname, {
      headers: { Authorization: `Bearer ${data.callback.token}` },
    });
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PNG);
  });

  it("a webhook in YAML has the answer in the envelope of its file", async () => {
    const home = await createRobotHousehold();
    const fridge = await answerFridge(home);
    await home.agent.createThread("mop around it", {
      requires: ["mop-floor"],
      context: [{ ref: fridge }],
    });
    await waitUntil(async () => expect(home.moppy.hooks).toHaveLength(1));
    const [hook] = home.moppy.hooks;

    const [envelope] = parseAllDocuments(hook!.body).map((one) => one.toJS());
    const read = readThread([{ name: "", text: hook!.body }]);

    expect(hook!.headers.get("mess-cut")).toBeNull();
    expect(envelope.earlier).toMatchObject([
      {
        ref: fridge,
        intent: "what is in the fridge?",
        status: "completed",
        answer: ["two eggs", expect.anything()],
        files: [{ mime: "image/png", url: expect.stringContaining(`/context/${fridge}/`) }],
      },
    ]);
    expect(read.ok && read.value.thread.messages.length).toBeGreaterThan(0);
  });

  it("the call of an MCP robot has the answer of the earlier request", async () => {
    const home = await createFreshHousehold();
    const robot = createMcpRobot({
      work: async () => ({ content: [{ type: "text", text: "all clean" }] }),
    });
    const url = `${connectHost(`${home.id}.example.com`, robot.handle)}/mcp`;
    const executor = { id: "moppy", capabilities: ["mop-floor"], notify: { mcp: { url } } };
    await expectOkJson(await home.owner.postBlocks({ config: { executor } }));
    const fridge = await answerFridge(home);
    await home.agent.createThread("mop around it", {
      requires: ["mop-floor"],
      context: [{ ref: fridge }],
    });
    await waitUntil(async () => expect(robot.calls).toHaveLength(1));

    const call = robot.calls[0] as Answered;

    expect(call.context).toEqual(["what is in the fridge?: two eggs fridge.png"]);
    expect(call.earlier).toMatchObject([
      { ref: fridge, answer: ["two eggs", expect.anything()], files: [{ mime: "image/png" }] },
    ]);
  });

  it("an agent that may not see it reads it by status and fetch while the request is open", async () => {
    const { owner, agent, fridge, addMember } = await openHousehold();
    const config = { executor: { id: "shopper", capabilities: ["order-online"] } };
    await expectOkJson(await owner.postBlocks({ config }));
    const shopper = await addMember("shopper", "agent");
    const ref = await agent.createThread("order what is missing", {
      requires: ["order-online"],
      context: [{ ref: fridge }],
    });
    const uri = `content://${fridge}/${PHOTO}`;

    const own = await callTool(shopper, "mess_status", { re: ref });
    const earlier = await callTool(shopper, "mess_status", { re: fridge });
    const fetched = await callTool(shopper, "mess_fetch", { uri });
    await shopper.appendBlocks(ref, { status: { code: "completed" } });
    const after = await callTool(shopper, "mess_fetch", { uri });

    for (const { text } of [own, earlier]) {
      expect(text).toContain("> two eggs");
      expect(text).toContain(uri);
    }
    expect(fetched.result.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
    expect([after.isError, earlier.isError]).toEqual([true, false]);
  });
});
