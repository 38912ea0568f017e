import { env } from "cloudflare:workers";
import { unzipSync, strFromU8 } from "fflate";
import { parseAllDocuments } from "yaml";
import { describe, expect, it } from "vitest";
import { chooseObjects } from "../../../../src/exchange/archives/choose-objects.ts";
import { GROUPS } from "../../../../src/exchange/archives/export-groups.ts";
import { getGroupStub } from "../../../../src/stubs.ts";
import { createScene, type GroupScene, postOk } from "./support.ts";

type Files = Record<string, string>;

async function exportPart({ home }: GroupScene, path = "/mess/export.zip") {
  const response = await home.owner.fetch(path);
  expect(response.status).toBe(200);
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const texts: Files = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]),
  );
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
  return { texts, next };
}

describe("AI groups in the export of a household", () => {
  it("each group is a file of documents, and each task with its report a line of JSON", async () => {
    const scene = await createScene();
    const { group, ops, indy, rocky, send } = scene;
    const task = await send(ops, indy, "paint the fence:\n- white\n- twice", {
      message_type: "task",
      importance: "urgent",
    });
    await send(ops, rocky, "mow the lawn", { message_type: "task" });
    const report = await send(indy, ops, "painted", {
      message_type: "report",
      reply_to: task.id,
      tool_usage: ["brush"],
      files_modified: ["/fence"],
    });

    const { texts, next } = await exportPart(scene);

    const [envelope, ...messages] = parseAllDocuments(texts[`groups/${group}.messe-af.yaml`]!).map(
      (document) => document.toJS() as unknown,
    );
    expect(next).toBeUndefined();
    expect(envelope).toMatchObject({
      ref: group,
      intent: "Project X",
      status: "open",
      members: [{ id: ops.id, name: "boss", role: "ops", primary: true }, {}, {}],
    });
    expect(messages).toMatchObject([
      {
        from: ops.id,
        from_name: "boss",
        to: indy.id,
        received: expect.any(String),
        MESS: [
          {
            task: {
              id: task.id,
              content: "paint the fence:\n- white\n- twice",
              importance: "urgent",
              task_status: "done",
            },
          },
        ],
      },
      { to: rocky.id, MESS: [{ task: { content: "mow the lawn", task_status: "open" } }] },
      { from: indy.id, MESS: [{ report: { id: report.id, re: task.id, completes: task.id } }] },
    ]);
    const pairs = texts["groups/pairs.jsonl"]!.trimEnd().split("\n");
    expect(pairs.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        group_id: group,
        task_id: task.id,
        report_id: report.id,
        agent: "indy",
        task: "paint the fence:\n- white\n- twice",
        report: "painted",
        tool_usage: ["brush"],
        files_modified: ["/fence"],
        seconds: expect.any(Number),
      },
    ]);
  });

  it("a group of several pages is exported whole", async () => {
    const scene = await createScene();
    const { group, ops, indy, send } = scene;
    const contents = Array.from({ length: 230 }, (_, index) => `number ${index}`);
    for (const content of contents) await send(ops, indy, content);

    const { texts } = await exportPart(scene);

    const documents = parseAllDocuments(texts[`groups/${group}.messe-af.yaml`]!).slice(1);
    expect(documents.map((document) => document.getIn(["MESS", 0, "message", "content"]))).toEqual(
      contents,
    );
  });

  it("groups that do not fit beside the threads follow in a part of their own, which can be read again", async () => {
    const scene = await createScene();
    const { home, group, ops, indy, send } = scene;
    await home.agent.createThread("look at the basil", { requires: ["look"] });
    await send(ops, indy, "hello");
    const first = await exportPart(scene);

    const part = await exportPart(scene, "/mess/export.zip?after=groups");
    const afterLast = await exportPart(scene, `/mess/export.zip?after=groups/${group}`);

    const groupFiles = [`groups/${group}.messe-af.yaml`, "groups/pairs.jsonl"];
    expect(Object.keys(first.texts)).toEqual(expect.arrayContaining(groupFiles));
    expect(Object.keys(part.texts)).toEqual(groupFiles);
    expect(Object.keys(afterLast.texts)).toEqual([]);
  });

  it("a part has as many groups as fit, and at least one if it has nothing else", async () => {
    const scene = await createScene();
    const { home, group, ops, indy, send } = scene;
    const second = (await postOk(home.agent, "/groups", { topic: "Y", my_name: "boss" })).group_id;
    const [first = "", last = ""] = [group, second as string].toSorted();
    await send(ops, indy, "hello");
    const choose = async (after: string, maxBytes: number, isEmpty: boolean) => {
      const chosen = await chooseObjects(env, home.id, GROUPS, after, maxBytes, isEmpty);
      const { bytes: _bytes, ...part } = chosen;
      return part;
    };

    expect(await choose("", 1e6, false)).toEqual({ ids: [first, last] });
    expect(await choose("", -1, false)).toEqual({ ids: [], next: "groups" });
    expect(await choose("", -1, true)).toEqual({ ids: [first], next: `groups/${first}` });
    expect(await choose(first, -1, true)).toEqual({ ids: [last] });
    const bytes = await getGroupStub(env, home.id, group).estimateExportBytes();
    expect(bytes).toBeGreaterThan(400);
  });

  it("an import takes the threads of an export with groups, and leaves the groups out", async () => {
    const scene = await createScene();
    const { home, ops, indy, send } = scene;
    const ref = await home.agent.createThread("look at the basil", { requires: ["look"] });
    await send(ops, indy, "hello");
    const zip = await (await home.owner.fetch("/mess/export.zip")).arrayBuffer();
    const other = await createScene();

    const response = await other.home.owner.fetch("/mess/import", {
      method: "POST",
      body: zip,
      headers: { "Content-Type": "application/zip" },
    });

    const result = await response.json<{ imported: { ref: string }[]; refused: unknown[] }>();
    expect(result.refused).toEqual([]);
    expect(result.imported.map((one) => one.ref)).toEqual([ref]);
    expect((await other.home.owner.read("/groups")).groups).toHaveLength(1);
  });
});
