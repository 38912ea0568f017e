/**
 * Sends every message of the skill and its examples unchanged to a started exchange, and checks the effects for the
 * agent and the executors.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../scripts/lib/client.ts";
import { expectNaming } from "../support/naming.ts";
import { listBlocks, type Thread } from "../support/scripted-members.ts";
import { readExample, EXAMPLES, listCommands, listMessages, SKILL } from "../support/skill.ts";
import { PHOTO, setStage, type Stage } from "../support/skill-setup.ts";
import { removeDirectories, run, createTemporaryDirectory } from "../support/exchange-process.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  await stage?.strike();
  removeDirectories();
});

const getContext = (thread: Thread): unknown => listBlocks(thread, "request")[0]?.["context"];

describe("one request", () => {
  it("the skill's example of a request has a deadline, and its answer shows every kind of entry", async () => {
    const { ref } = await stage.post("observation.yaml");
    const { envelope } = await stage.agent.read("freezer-reading");
    expect(envelope.ref).toBe(ref);
    expect(Date.parse(envelope.expires ?? "") - Date.parse(envelope.created)).toBe(6 * 3_600_000);

    stage.posted.add("executor-answers.yaml");
    await stage.ann.http.mess(
      readExample("executor-answers.yaml").replaceAll(/\d{4}-\d\d-\d\d-\d+-freezer-reading/g, ref!),
    );

    const { text } = await stage.agent.call("mess_status", { re: "freezer-reading" });
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        "> Minus eleven, and the door stood open by a finger's width.",
        expect.stringMatching(/^Attached: content:.*-image-.*, content:.*-file-/),
        '> structured: {"celsius":-11,"target":-18}',
        '> confirmation: {"confirmed":true,"details":"The door is shut now"}',
        '> location: {"name":"cellar","lat":47.3769,"lng":8.5417}',
        '> error: {"code":"lamp_broken","message":"The lamp inside does not work"}',
        "> notes: Worth another look in an hour",
      ]),
    );
    expect(text.split("\n")).toContainEqual(expectNaming(ref!, "completed", "ann-phone"));
  });

  it("the skill's examples answer questions and confirm a cost", async () => {
    const { ref = "" } = await stage.post("action.yaml");
    await stage.ann.report(ref, "claimed");
    await stage.ann.report(ref, "needs_input", {
      questions: [
        { id: "washer_size", question: "Which size is the old washer?" },
        { id: "may_close_stopcock", question: "May I close the stopcock?" },
      ],
    });

    await stage.post("answer-questions.yaml");
    await stage.ann.report(ref, "needs_confirmation", { action: "Buy a set of washers, 4.50" });
    await stage.post("confirm.yaml");
    await stage.ann.finish(ref, "No drip in ten minutes.");

    const { envelope, messages } = await stage.agent.read("fix-tap");
    expect(envelope).toMatchObject({ ref, status: "completed", priority: "elevated" });
    expect(listBlocks({ envelope, messages }, "reply")).toEqual([
      { answers: { washer_size: "half an inch", may_close_stopcock: true } },
      { confirm: true },
    ]);
    expect(listBlocks({ envelope, messages }, "response")).toEqual([
      { content: ["No drip in ten minutes."] },
    ]);
  });
});

interface Inline {
  uri: string;
  name: string;
}

describe("context with files, and messages during the work", () => {
  it("the skill's examples of files, messages and a review reach the executor", async () => {
    const { ref = "" } = await stage.post("attachments.yaml");
    const [text, { image }, { file }, link] = getContext(await stage.ann.read(ref)) as [
      string,
      Record<"image", Inline>,
      Record<"file", Inline>,
      object,
    ];
    const encodeText = ({ uri }: Inline) => Buffer.from(uri.split(",")[1] ?? "", "base64");
    expect(text).toContain("The notch goes around the pipe");
    expect(encodeText(image).subarray(1, 4).toString()).toBe("PNG");
    expect(encodeText(file).toString()).toContain("notch,140,80");
    expect(link).toEqual({ url: "https://example.com/how-to-cut-a-notch" });

    await stage.ann.report(ref, "claimed");
    await stage.ann.tell(ref, [
      { suggestion: { type: "alternative", proposed: "Plywood, not oak" } },
    ]);
    await stage.post("accept-suggestion.yaml");
    await stage.post("followup.yaml");
    await stage.ann.finish(ref, "Cut, sanded and painted.");
    await stage.post("review.yaml");

    const thread = await stage.ann.read(ref);
    expect(thread.envelope).toMatchObject({ status: "completed" });
    expect(listBlocks(thread, "reply")).toEqual([
      { accept: true, reason: "Plywood is fine as long as it is painted" },
    ]);
    expect(listBlocks(thread, "followup")).toEqual([
      {
        message: "One more thing, please sand the front edge",
        context: ["Sandpaper is in the drawer under the vice"],
      },
    ]);
    expect(listBlocks(thread, "review")).toEqual([
      { rating: 5, feedback: "Fits to the millimetre" },
    ]);
  });
});

describe("a batch", () => {
  it("the skill's example of a batch offers each request when its dependencies are completed, and one is cancelled", async () => {
    const { requests } = (await stage.post("batch.yaml")) as {
      requests: { id: string; ref: string }[];
    };
    const [guests, larder, shop, table] = requests.map(({ ref }) => ref) as [
      string,
      string,
      string,
      string,
    ];
    expect((await stage.agent.call("mess_status", { re: "shop-soup" })).text).toEqual(
      expectNaming(guests, larder),
    );
    expect(await stage.ann.sees(table)).toBe(false);

    await stage.ann.finish(guests, "Four for soup, one without meat.");

    expect(await stage.ann.offered("lay-table")).toBe(table);
    expect(await stage.ann.sees(shop)).toBe(false);
    await stage.ann.finish(larder, "Leeks, two; potatoes, a sack.");
    expect(await stage.ann.offered("shop-soup")).toBe(shop);
    await stage.post("cancel.yaml");
    const { envelope } = await stage.ann.read(shop);
    expect(envelope).toMatchObject({ status: "cancelled" });
    expect(envelope.history.at(-1)).toMatchObject({ note: "The guests bring the soup" });
  });

  it("the skill's batch for the mess tool is held when a step fails", async () => {
    const [batch, followup, ...others] = listMessages();
    expect(others).toEqual([]);
    const sent = await stage.agent.call("mess", { message: batch });
    expect(sent).toMatchObject({ isError: false });
    const ref = await stage.ann.offered("which-bulb");
    expect(sent.text).toContain(`ref: ${ref}`);

    await stage.agent.call("mess", { message: followup });

    expect(listBlocks(await stage.ann.read(ref), "followup")).toEqual([
      { message: "The ladder is behind the kitchen door" },
    ]);
    await stage.ann.report(ref, "claimed");
    await stage.ann.report(ref, "failed", { reason: "The lamp is rusted shut" });
    expect((await stage.agent.call("mess_status", { re: "which-bulb" })).text).toContain(
      "> failed: reason: The lamp is rusted shut",
    );
    const readNext = async () => (await stage.agent.call("mess_status", { re: "buy-bulb" })).text;
    await expect.poll(readNext, { timeout: 10_000 }).toEqual(expectNaming("held", ref));
  });
});

describe("without the tools", () => {
  it("the skill's example of a query lists capabilities", async () => {
    await stage.post("query.yaml");
    const answered = await stage.agent.call("mess", { message: readExample("query.yaml") });

    expect(answered.text).toContain("take-photo");
    expect(answered.text).toContain("vacuum-floor");
  });

  it.skipIf(spawnSync("curl", ["--version"]).status !== 0)(
    "the shell commands of the served skill create, read and send a file",
    async () => {
      const { origin, keys } = stage.stack.ready;
      const served = await (await fetch(`${origin}/skill/SKILL.md`)).text();
      const folder = createTemporaryDirectory();
      writeFileSync(join(folder, "label.jpg"), PHOTO);
      const file = await fetch(`${origin}/skill/examples/observation.yaml`);
      writeFileSync(join(folder, "observation.yaml"), await file.text());
      const commands = listCommands().map((text) => text.replaceAll("{origin}", origin));
      for (const command of commands) expect(served).toContain(command);

      const key = `export MESS_KEY='${keys.agent}'`;
      const shell = run("bash", [
        "-c",
        `cd '${folder}'\nset -euo pipefail\n${key}\n${commands.join("\n")}`,
      ]);

      expect(await shell.exit, shell.output()).toBe(0);
      expect(shell.output()).toContain("re: freezer-reading");
      expect(shell.output()).toContain("intent: What does the thermometer in the freezer show?");
      const bought = await stage.agent.read("last");
      const [{ image }] = getContext(bought) as [{ image: { file: string } }];
      const path = `/mess/${bought.envelope.ref}/attachments/${image.file}`;
      expect(SKILL).toContain("{origin}/mess/REF/attachments/NAME");
      expect(await stage.agent.http.bytes(path)).toEqual(new Uint8Array(PHOTO));
    },
  );

  it("the skill and all of its examples are served unchanged", async () => {
    const visitor = createClient(stage.stack.ready.origin, "nobody");
    const text = async (path: string) => Buffer.from(await visitor.bytes(path)).toString();

    expect(EXAMPLES.length).toBeGreaterThan(5);
    expect(await text("/skill/SKILL.md")).toBe(
      SKILL.replaceAll("{origin}", stage.stack.ready.origin),
    );
    for (const name of EXAMPLES)
      expect(await text(`/skill/examples/${name}`), name).toBe(readExample(name));
  });
});

it("every example of the skill was sent", () => {
  expect([...stage.posted].toSorted()).toEqual(EXAMPLES);
});
