/** The capability catalog in several documents, as an owner sends it or imports it in a zip. */
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { type Answered, type Caller, createFreshHousehold, expectOkJson } from "../support.ts";

const CATALOG = `---
id: take-photo
description: Capture and attach photos
tags: [visual, attachments]
---
id: Check_Visual
description: Look at something
---
- vacuum-floor
- { id: open-gate, tags: [access] }
---
settings: { name: Villa }
capabilities:
  mow-lawn: { description: Cut the grass }
`;

const putConfig = (owner: Caller, body: string) =>
  owner.fetch("/api/v1/config", {
    method: "POST",
    body,
    headers: { "Content-Type": "application/yaml", Accept: "application/json" },
  });

const readCatalog = async (owner: Caller): Promise<Answered> =>
  (await owner.read("/api/v1/config")).config.capabilities;

const MERGED = [
  { id: "check-visual", description: "Look at something" },
  { id: "mow-lawn", description: "Cut the grass" },
  { id: "open-gate", tags: ["access"] },
  { id: "take-photo", description: "Capture and attach photos", tags: ["visual", "attachments"] },
  { id: "vacuum-floor" },
];

describe("a capability catalog in several documents", () => {
  it("merges all documents of a configuration file", async () => {
    const { owner } = await createFreshHousehold();

    await expectOkJson(await putConfig(owner, CATALOG));

    const catalog = await readCatalog(owner);
    expect(catalog.toSorted((a: Answered, b: Answered) => (a.id < b.id ? -1 : 1))).toEqual(MERGED);
    expect((await owner.read("/api/v1/config")).config.settings.name).toBe("Villa");
  });

  it("merges all documents of the configuration in a zip", async () => {
    const { owner } = await createFreshHousehold();

    const imported = await expectOkJson(
      await owner.fetch("/mess/import", {
        method: "POST",
        body: zipSync({ "config.yaml": new TextEncoder().encode(CATALOG) }),
        headers: { "Content-Type": "application/zip" },
      }),
    );

    expect(imported.refused).toEqual([]);
    expect(await readCatalog(owner)).toHaveLength(MERGED.length);
  });

  it("is found by a query for capabilities with a tag", async () => {
    const { owner, agent } = await createFreshHousehold();
    await expectOkJson(await putConfig(owner, CATALOG));

    const body = await expectOkJson(
      await agent.postBlocks({ query: { type: "capabilities", filter: { tags: ["visual"] } } }),
    );

    expect(JSON.stringify(body)).toContain("Capture and attach photos");
  });

  it.each([
    ["an entry with a wrong field", "id: a\n---\nid: b\ntags: visual\n", 2, 3],
    ["an entry of a list", "id: a\n---\n- b\n- { id: c, tags: 5 }\n", 2, 4],
    ["an entry of a configuration", "id: a\n---\ncapabilities:\n  - b\n  - { id: 7 }\n", 2, 5],
    ["an entry by key", "id: a\n---\ncapabilities:\n  b: {}\n  c: { tags: 5 }\n", 2, 5],
    ["a text", "id: a\n---\n\nhello\n", 2, 4],
    ["a second description", "id: take-photo\n---\nid: b\n---\nid: Take_Photo\n", 3, 5],
    ["a second routing", "routing: []\n---\nid: b\n---\nname: x\nrouting: []\n", 3, 6],
  ])(
    "names the document and line of %s, and stores nothing",
    async (_name, text, document, line) => {
      const { owner } = await createFreshHousehold();

      const refused = await putConfig(owner, text);

      const { error } = await refused.json<Answered>();
      expect({ status: refused.status, line: error.line }).toEqual({ status: 400, line });
      expect(["bad_field", "bad_shape"]).toContain(error.code);
      expect(error.message).toMatch(new RegExp(`^document ${document}: `));
      expect(await readCatalog(owner)).toBeUndefined();
    },
  );
});
