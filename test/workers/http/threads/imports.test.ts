/** Imports of archives, thread files and configurations. */
import { unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { type Answered, expectOkJson, createFreshHousehold, readRefusal } from "../../support.ts";
import {
  bring,
  countBlobs,
  createAnsweredThread,
  encodeText,
  fetchZip,
} from "./archive-support.ts";

describe("POST /mess/import", () => {
  it("an export is imported into another household, whose export has the same bytes", async () => {
    const one = await createFreshHousehold();
    const ref = await createAnsweredThread(one);
    await one.agent.createThread("water the basil");
    const exported = await fetchZip(one.owner, "/mess/export.zip");
    const two = await createFreshHousehold();

    const { imported, refused } = await expectOkJson(await bring(two.owner, exported));

    expect(refused).toEqual([]);
    expect(imported).toHaveLength(2);
    for (const { fresh, differences } of imported) {
      expect(fresh).toBe(true);
      expect(differences).toEqual([]);
    }
    const again = unzipSync(await fetchZip(two.owner, "/mess/export.zip"));
    const first = unzipSync(exported);
    expect(Object.keys(again).toSorted()).toEqual(Object.keys(first).toSorted());
    // Each household has its own audit trail.
    delete first["audit.yaml"];
    for (const [name, content] of Object.entries(first)) expect(again[name]).toEqual(content);
    const { envelope, attachments } = await two.agent.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ status: "completed", executor: "ann" });
    const photo = await two.agent.fetch(attachments[0].url);
    expect(new Uint8Array(await photo.arrayBuffer())).toEqual(PNG);
    expect(photo.headers.get("Content-Type")).toBe("image/png");
  });

  it("a repeated import changes nothing, and stores no second copy", async () => {
    const one = await createFreshHousehold();
    const ref = await createAnsweredThread(one);
    const zip = await fetchZip(one.agent, `/mess/${ref}/archive.zip`);
    const two = await createFreshHousehold();
    await bring(two.owner, zip);
    const before = await two.owner.read(`/mess/${ref}`);

    const { imported } = await expectOkJson(await bring(two.owner, zip));

    expect(imported).toEqual([{ ref, fresh: false, differences: [] }]);
    expect(await two.owner.read(`/mess/${ref}`)).toEqual(before);
    expect(await countBlobs(two.id)).toBe(1);
  });

  it("an import keeps a thread unchanged that has new messages since its file was written", async () => {
    const { owner, agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const zip = await fetchZip(agent, `/mess/${ref}/archive.zip`);
    await ann.claim(ref);

    const { imported } = await expectOkJson(await bring(owner, zip));

    expect(imported).toEqual([{ ref, fresh: false, differences: [] }]);
    expect((await agent.read(`/mess/${ref}`)).envelope.executor).toBe("ann");
  });

  it("a folder with configuration, flat threads and an archive is imported", async () => {
    const { owner } = await createFreshHousehold();
    const writeThread = (ref: string, status: string): Uint8Array =>
      encodeText(
        `ref: ${ref}\nrequestor: agent\nstatus: ${status}\ncreated: 2026-01-31T09:00:00Z\nintent: feed the cat\n` +
          "---\nfrom: agent\nreceived: 2026-01-31T09:00:00Z\nMESS:\n  - request: { intent: feed the cat }\n" +
          (status === "pending"
            ? ""
            : "---\nfrom: agent\nreceived: 2026-01-31T10:00:00Z\nMESS:\n  - cancel: { reason: fed }\n"),
      );
    const zip = zipSync({
      ".mess/.DS_Store": encodeText("\0"),
      "__MACOSX/._.mess": encodeText("\0"),
      ".mess/config.yaml": encodeText(
        "executors:\n  roomba-kitchen: { name: Kitchen Roomba, capabilities: [cleaning] }\n",
      ),
      ".mess/state=received/2026-01-31-001.messe-af.yaml": writeThread("2026-01-31-001", "pending"),
      ".mess/archive/2026-01/2026-01-31-002.messe-af.yaml": writeThread(
        "2026-01-31-002",
        "cancelled",
      ),
    });

    const result = await expectOkJson(await bring(owner, zip));

    expect(result).toMatchObject({
      config: { warnings: [] },
      imported: [
        { ref: "2026-01-31-001", differences: [] },
        { ref: "2026-01-31-002", differences: [] },
      ],
      refused: [],
    });
    const { config } = await owner.read("/api/v1/config");
    expect(config.executors["roomba-kitchen"]).toMatchObject({ name: "Kitchen Roomba" });
    expect((await owner.read("/mess/2026-01-31-002")).envelope.status).toBe("cancelled");
  });

  it("a configuration that is refused does not prevent the import of the threads", async () => {
    const one = await createFreshHousehold();
    const ref = await createAnsweredThread(one);
    const exported = unzipSync(await fetchZip(one.owner, "/mess/export.zip"));
    const { owner } = await createFreshHousehold();

    const response = await bring(owner, zipSync({ ...exported, "config.yaml": encodeText("- 1") }));

    expect(response.status).toBe(207);
    const { imported, refused } = await response.json<Answered>();
    expect(imported).toMatchObject([{ ref }]);
    expect(refused).toMatchObject([{ name: "config.yaml", error: { code: "bad_shape" } }]);
  });

  it("an import refuses a thread whose ref exists, imports the others, and deletes its blobs", async () => {
    const one = await createFreshHousehold();
    const ref = await createAnsweredThread(one);
    const other = await one.agent.createThread("water the basil");
    const exported = await fetchZip(one.owner, "/mess/export.zip");
    const two = await createFreshHousehold();
    expect(await two.agent.createThread("something else", { id: "shelf" })).toBe(ref);

    const response = await bring(two.owner, exported);

    expect(response.status).toBe(207);
    const { imported, refused } = await response.json<Answered>();
    expect(imported.map((one_: Answered) => one_.ref)).toEqual([other]);
    expect(refused).toMatchObject([
      { name: `state=finished/${ref}/000-${ref}.messe-af.yaml`, error: { code: "already_exists" } },
    ]);
    expect(await countBlobs(two.id)).toBe(0);
  });

  it("an import raises the serials of the day above those of its threads", async () => {
    const one = await createFreshHousehold();
    for (const what of ["basil", "mint", "thyme"])
      await one.agent.createThread(`water the ${what}`);
    const two = await createFreshHousehold();

    await bring(two.owner, await fetchZip(one.owner, "/mess/export.zip"));

    expect(await two.agent.createThread("water the sage")).toMatch(/-004$/);
  });

  it("an import accepts a flat file of version 1, whose messages prevail over its envelope", async () => {
    const { owner, agent } = await createFreshHousehold();
    const file = `ref: 2026-01-20-007
requestor: scout
executor: ann
status: claimed
created: 2026-01-20T09:00:00Z
updated: 2026-01-20T09:05:00Z
intent: water the orchids
priority: normal
history:
  - {action: created, at: 2026-01-20T09:00:00Z, by: scout}
---
from: scout
received: 2026-01-20T09:00:00Z
channel: http
MESS:
  - request: {intent: water the orchids}
---
from: ann
received: 2026-01-20T09:05:00Z
MESS:
  - status: {re: 2026-01-20-007, code: completed}
  - response: {re: 2026-01-20-007, content: [done]}
`;

    const { imported } = await expectOkJson(await bring(owner, file, "application/yaml"));

    expect(imported).toMatchObject([{ ref: "2026-01-20-007", fresh: true }]);
    expect(imported[0].differences.join()).toContain("status");
    const { envelope, messages } = await agent.read("/mess/2026-01-20-007");
    expect(envelope).toMatchObject({ status: "completed", executor: "ann" });
    expect(messages.at(-1)).toMatchObject({ from: "ann", re: "2026-01-20-007" });
  });

  it("a repeated import creates the same attachments from the data in a file", async () => {
    const { id, owner, agent } = await createFreshHousehold();
    // A data chunk of 6,000 bytes, between the start and the end of a valid picture.
    const chunk = [0, 0, 0x17, 0x70, ...new TextEncoder().encode("IDAT"), ...Array(6_004).fill(7)];
    const picture = new Uint8Array([...PNG.slice(0, 33), ...chunk, ...PNG.slice(-12)]);
    const uri = `data:image/png;base64,${btoa(String.fromCharCode(...picture))}`;
    const file = `ref: 2026-01-20-008
requestor: scout
executor: ann
status: completed
intent: photograph the orchids
---
from: scout
received: 2026-01-20T09:00:00Z
MESS:
  - request: {intent: photograph the orchids}
---
from: ann
received: 2026-01-20T09:05:00Z
MESS:
  - status: {code: completed}
  - response: {content: [{image: {uri: "${uri}", name: orchids.png}}, {image: "${uri}"}, two of them]}
`;

    const first = await expectOkJson(await bring(owner, file, "application/yaml"));
    const again = await expectOkJson(await bring(owner, file, "application/yaml"));

    expect([first.imported[0].fresh, again.imported[0].fresh]).toEqual([true, false]);
    const { attachments, messages } = await agent.read("/mess/2026-01-20-008");
    expect(attachments.map(({ name }: Answered) => name)).toEqual([
      "att-001-image-file.png",
      "att-001-image-orchids.png",
    ]);
    expect(JSON.stringify(messages)).not.toContain("base64");
    const photo = await agent.fetch(attachments[1].url);
    expect(new Uint8Array(await photo.arrayBuffer())).toEqual(picture);
    expect(await countBlobs(id)).toBe(2);
    const zip = await fetchZip(agent, "/mess/2026-01-20-008/archive.zip");
    const { imported } = await expectOkJson(await bring(owner, zip));
    expect(imported).toMatchObject([{ fresh: false }]);
  });

  it.each<[string, BodyInit, string, string]>([
    ["no zip", "PK but no zip", "application/zip", "400 bad_archive"],
    ["an empty body", "", "application/zip", "400 "],
    [
      "a climbing name",
      zipSync({ "../x.messe-af.yaml": encodeText("a") }),
      "application/zip",
      "400 bad_archive",
    ],
    [
      "a zip in the zip",
      zipSync({ "a/b.zip": encodeText("a") }),
      "application/zip",
      "400 bad_archive",
    ],
    ["YAML that is no thread", "just: this", "application/yaml", "400 bad_thread_file"],
    ["a form", "a=b", "application/x-www-form-urlencoded", "415 unsupported_media_type"],
  ])("an import of %s is refused, and stores nothing", async (_what, body, type, refused) => {
    const { id, owner } = await createFreshHousehold();

    expect(await readRefusal(await bring(owner, body, type))).toContain(refused);

    expect(await countBlobs(id)).toBe(0);
  });

  it("only owners may import threads", async () => {
    const { agent, ann } = await createFreshHousehold();

    for (const caller of [agent, ann])
      expect(await readRefusal(await bring(caller, "x", "application/yaml"))).toBe(
        "403 wrong_role",
      );
  });
});
