/** Archives of a thread, and of a household in parts. */
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PNG } from "../../../support/media/png.ts";
import { type Answered, expectOkJson, createFreshHousehold, readRefusal } from "../../support.ts";
import { bring, createAnsweredThread, fetchZip, toText } from "./archive-support.ts";

describe("GET /mess/{ref}/archive.zip", () => {
  it("the archive of a thread is its directory with files and attachments", async () => {
    const household = await createFreshHousehold();
    const ref = await createAnsweredThread(household);

    const response = await household.agent.fetch(`/mess/${ref}/archive.zip`);

    const zip = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get("Content-Length")).toBe(String(zip.byteLength));
    expect(response.headers.get("Content-Disposition")).toBe(
      `attachment; filename="${ref}.messe-af.zip"`,
    );
    const entries = unzipSync(zip);
    expect(Object.keys(entries)).toEqual([
      `${ref}/000-${ref}.messe-af.yaml`,
      `${ref}/att-001-image-shelf.png`,
    ]);
    expect(entries[`${ref}/att-001-image-shelf.png`]).toEqual(PNG);
    expect(toText(entries[`${ref}/000-${ref}.messe-af.yaml`])).toMatch(
      /^ref: .*\nclient_id: shelf\n/,
    );
  });

  it("the archive of a thread is not found by callers that may not see the thread", async () => {
    const household = await createFreshHousehold();
    const ref = await createAnsweredThread(household);

    expect(await readRefusal(await household.ben.fetch(`/mess/${ref}/archive.zip`))).toBe(
      "404 not_found",
    );
  });
});

describe("GET /mess/export.zip", () => {
  it("the export of a household is split into parts, each with the address of the next", async () => {
    const household = await createFreshHousehold();
    const refs: string[] = [];
    for (const intent of ["one", "two", "three"])
      refs.push(await household.agent.createThread(intent));

    const found: string[][] = [];
    let address: string | undefined = "/mess/export.zip?limit=2";
    while (address !== undefined) {
      const response: Response = await household.owner.fetch(address);
      const entries = unzipSync(new Uint8Array(await response.arrayBuffer()));
      found.push(refs.filter((ref) => Object.keys(entries).some((name) => name.includes(ref))));
      address = /^<(.+)>; rel="next"$/.exec(response.headers.get("Link") ?? "")?.[1];
    }

    expect(found).toEqual([refs.slice(0, 2), refs.slice(2)]);
  });

  it("each part of an export can be imported, without a limit in the call", async () => {
    const household = await createFreshHousehold();
    const target = await createFreshHousehold();
    const refs: string[] = [];
    for (const intent of ["one", "two", "three"]) {
      const ref = await household.agent.createThread(intent, { id: intent });
      const body = new Uint8Array(9 * 1024 * 1024);
      const uploaded = await household.ann.fetch(`/mess/${ref}/attachments?name=big.bin`, {
        method: "POST",
        body,
      });
      const { file } = await expectOkJson(uploaded);
      await household.ann.appendBlocks(ref, { response: { content: [{ file: { file } }] } });
      refs.push(ref);
    }

    const imported: string[][] = [];
    let address: string | undefined = "/mess/export.zip";
    while (address !== undefined) {
      const response: Response = await household.owner.fetch(address);
      const part = await response.arrayBuffer();
      const result = await expectOkJson(await bring(target.owner, part));
      imported.push(result.imported.map(({ ref }: Answered) => ref));
      address = /^<(.+)>; rel="next"$/.exec(response.headers.get("Link") ?? "")?.[1];
    }

    expect(imported).toEqual([refs.slice(0, 2), refs.slice(2)]);
  });

  it("the export of a household has every thread in the folder of its state", async () => {
    const household = await createFreshHousehold();
    const done = await createAnsweredThread(household);
    const open = await household.agent.createThread("water the basil");

    const entries = unzipSync(await fetchZip(household.owner, "/mess/export.zip"));

    expect(Object.keys(entries).toSorted()).toEqual(
      [
        "audit.yaml",
        "config.yaml",
        `state=finished/${done}/000-${done}.messe-af.yaml`,
        `state=finished/${done}/att-001-image-shelf.png`,
        `state=received/${open}/000-${open}.messe-af.yaml`,
      ].toSorted(),
    );
  });

  it("the export of a household without threads has its configuration and audit trail", async () => {
    const { owner } = await createFreshHousehold();

    const entries = unzipSync(await fetchZip(owner, "/mess/export.zip"));

    expect(Object.keys(entries)).toEqual(["config.yaml", "audit.yaml"]);
    const { config } = await owner.read("/api/v1/config");
    expect(parse(toText(entries["config.yaml"]))).toEqual(config);
  });

  it("only owners may export the household", async () => {
    const { agent, ann } = await createFreshHousehold();

    for (const caller of [agent, ann])
      expect(await readRefusal(await caller.fetch("/mess/export.zip"))).toBe("403 wrong_role");
  });
});
