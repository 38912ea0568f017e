import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Caller, waitUntil, createFreshHousehold } from "../support.ts";
import { callRpc } from "./support.ts";

const PNG = btoa(`\x89PNG\r\n\x1a\n${"pixels".repeat(1_000)}`);

const read = async (caller: Caller, uri: string) =>
  (await callRpc(caller, "resources/read", { uri })).result?.contents[0];

/** The YAML documents of a resource. */
const readAllDocuments = async (caller: Caller, uri: string) =>
  parseAllDocuments((await read(caller, uri)).text as string).map((one) => one.toJS());

async function createAnsweredThread() {
  const home = await createFreshHousehold();
  const ref = await home.agent.createThread("What swims in the pond?", {
    id: "pond",
    requires: ["look"],
  });
  await home.ann.appendBlocks(
    ref,
    { response: { content: ["Two swans.", { image: `data:image/png;base64,${PNG}` }] } },
    { status: { code: "completed" } },
  );
  const { attachments } = await home.agent.read(`/mess/${ref}`);
  return { ...home, ref, name: attachments[0].name as string };
}

describe("resources", () => {
  it("resources are listed, with templates for threads and files", async () => {
    const { agent } = await createFreshHousehold();

    const listed = await callRpc(agent, "resources/list");
    const templates = await callRpc(agent, "resources/templates/list");

    expect(listed.result.resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      "mess://pending",
      "mess://history",
      "mess://capabilities",
      "mess://executors",
      "mess://help",
    ]);
    expect(
      templates.result.resourceTemplates.map(
        ({ uriTemplate }: { uriTemplate: string }) => uriTemplate,
      ),
    ).toEqual([
      "mess://request/{id}",
      "thread://{ref}/envelope",
      "thread://{ref}/latest",
      "thread://{ref}",
      "content://{thread}/{file}",
      "content://{thread}/{message}/{file}",
    ]);
  });

  it("the resources of open requests and of the history contain the right threads", async () => {
    const { agent, ref } = await createAnsweredThread();
    const open = await agent.createThread("Feed the swans");

    await waitUntil(async () => {
      const [pending] = await readAllDocuments(agent, "mess://pending");
      const [history] = await readAllDocuments(agent, "mess://history");
      expect(pending.threads.map((one: { ref: string }) => one.ref)).toEqual([open]);
      expect(history.threads.map((one: { ref: string }) => one.ref).toSorted()).toEqual([
        ref,
        open,
      ]);
    });
  });

  it("the resources of capabilities and executors contain no addresses of people", async () => {
    const { agent, owner } = await createFreshHousehold();
    await owner.postBlocks({
      config: { executor: { id: "zoe", capabilities: ["cook"], notify: [{ sms: "+15550100" }] } },
    });

    const [capabilities] = await readAllDocuments(agent, "mess://capabilities");
    const text = (await read(agent, "mess://executors")).text as string;

    expect(capabilities.capabilities).toContainEqual({ id: "cook", executors: ["zoe"] });
    expect(text).toContain("id: zoe");
    expect(text).not.toContain("5550100");
  });

  it("the help resource explains depends_on", async () => {
    const { agent } = await createFreshHousehold();

    expect((await read(agent, "mess://help")).text).toContain("depends_on");
  });
});

describe("threads as resources", () => {
  it("a thread resource is read by ref, by short ref and by the requestor's id", async () => {
    const { agent, ref } = await createAnsweredThread();
    const short = ref.replace(/-pond$/, "");

    const [whole] = await readAllDocuments(agent, `thread://${ref}`);
    const [byShort] = await readAllDocuments(agent, `thread://${short}`);
    const [byId] = await readAllDocuments(agent, "mess://request/pond");

    expect(whole).toMatchObject({ ref, status: "completed", intent: "What swims in the pond?" });
    expect([byShort.ref, byId.ref]).toEqual([ref, ref]);
  });

  it("a thread resource can be read in parts", async () => {
    const { agent, ref } = await createAnsweredThread();

    const envelope = await readAllDocuments(agent, `thread://${ref}/envelope`);
    const latest = await readAllDocuments(agent, `thread://${ref}/latest`);

    expect(envelope).toHaveLength(1);
    expect(latest).toHaveLength(1);
    expect(latest[0]).toMatchObject({ from: "ann", MESS: [{ response: expect.anything() }, {}] });
  });
});

describe("files as resources", () => {
  it("a file resource has every byte, by either address", async () => {
    const { agent, ref, name } = await createAnsweredThread();

    const direct = await read(agent, `content://${ref}/${name}`);
    const ofMessage = await read(agent, `content://${ref}/response-001/${name}`);

    expect(direct).toMatchObject({ mimeType: "image/png", blob: PNG });
    expect(ofMessage.blob).toBe(PNG);
  });
});

describe("missing resources", () => {
  it("a missing resource is refused in the same way as another household's", async () => {
    const mine = await createAnsweredThread();
    const other = await createFreshHousehold();

    const messages = new Set<string | undefined>();
    for (const uri of [
      `thread://${mine.ref}`,
      `thread://${mine.ref}/latest`,
      `mess://request/${mine.ref}`,
      `content://${mine.ref}/${mine.name}`,
      "thread://2020-01-01-001",
      "mess://nothing",
    ]) {
      const { error, result } = await callRpc(other.agent, "resources/read", { uri });
      expect(result).toBeUndefined();
      expect(error?.code).toBe(-32_602);
      expect(error?.message).toContain(uri);
      messages.add(error?.message.replace(uri, ""));
    }
    expect(messages.size).toBe(1);
  });
});

describe("completion", () => {
  const complete = async (
    caller: Caller,
    uri: string,
    name: string,
    value: string,
    known: Record<string, string> = {},
  ) =>
    (
      await callRpc(caller, "completion/complete", {
        ref: { type: "ref/resource", uri },
        argument: { name, value },
        context: { arguments: known },
      })
    ).result.completion.values as string[];

  it("completion offers the caller's refs and the files of a thread", async () => {
    const { agent, ref, name } = await createAnsweredThread();

    await waitUntil(async () => {
      expect(await complete(agent, "thread://{ref}", "ref", "20")).toEqual([ref]);
      expect(await complete(agent, "thread://{ref}", "ref", "pond")).toEqual([ref]);
      expect(await complete(agent, "thread://{ref}", "ref", "1999")).toEqual([]);
    });
    expect(await complete(agent, "content://{thread}/{file}", "file", "", { thread: ref })).toEqual(
      [name],
    );
  });

  it("completion offers no refs of another household", async () => {
    const mine = await createAnsweredThread();
    const other = await createFreshHousehold();

    expect(await complete(other.agent, "thread://{ref}", "ref", "")).toEqual([]);
    expect(
      await complete(other.agent, "content://{thread}/{file}", "file", "", { thread: mine.ref }),
    ).toEqual([]);
  });
});

describe("prompts", () => {
  it("there are three prompts, and each names the tools to use", async () => {
    const { agent } = await createFreshHousehold();
    const { result } = await callRpc(agent, "prompts/list");

    const texts = await Promise.all(
      [
        { name: "observe", arguments: { what: "the pond", where: "the park" } },
        { name: "plan", arguments: { goal: "a tidy shed" } },
        { name: "review" },
      ].map(async (params) => {
        const got = await callRpc(agent, "prompts/get", params);
        return got.result.messages[0].content.text as string;
      }),
    );

    expect(result.prompts.map(({ name }: { name: string }) => name)).toEqual([
      "observe",
      "plan",
      "review",
    ]);
    expect(texts[0]).toContain("the pond");
    expect(texts[1]).toContain("a tidy shed");
    for (const text of texts) expect(text).toContain("mess_");
  });
});
