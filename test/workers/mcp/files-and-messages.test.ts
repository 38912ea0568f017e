import { describe, expect, it } from "vitest";
import { PNG_BASE64 } from "../../support/media/png.ts";
import { createFreshHousehold } from "../support.ts";
import { callRpc, callTool } from "./support.ts";

const PNG = `data:image/png;base64,${btoa(`\x89PNG\r\n\x1a\n${"x".repeat(6_000)}`)}`;

describe("files through mess_fetch", () => {
  const withFile = async (file: object) => {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("Look", { requires: ["look"] });
    await home.ann.appendBlocks(ref, { response: { content: [file] } });
    const { attachments } = await home.agent.read(`/mess/${ref}`);
    return { ...home, ref, name: attachments[0].name as string };
  };

  it("mess_fetch returns an image with its bytes unchanged", async () => {
    const { agent, ref, name } = await withFile({ image: PNG });

    const { result } = await callTool(agent, "mess_fetch", { uri: `content://${ref}/${name}` });

    expect(result.content[0].text).toMatch(/\bann\b/);
    expect(result.content[1]).toEqual({
      type: "image",
      mimeType: "image/png",
      data: PNG.slice("data:image/png;base64,".length),
    });
  });

  it("mess_fetch returns a text file as quoted text", async () => {
    const data = `data:text/plain;base64,${btoa("line one\nline two\n".repeat(400))}`;
    const { agent, ref, name } = await withFile({ file: { data, name: "notes.txt" } });

    const { text } = await callTool(agent, "mess_fetch", { uri: `content://${ref}/${name}` });

    expect(text).toMatch(/\bann\b[^\n]*\n> line one\n> line two/);
  });

  it("mess_fetch returns large files and other types as a link with type and size", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });
    const body = new Uint8Array(800_000);
    body.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const uploaded = await ann.fetch(`/mess/${ref}/attachments?name=big.png`, {
      method: "POST",
      headers: { "Content-Type": "image/png" },
      body,
    });
    const { file } = await uploaded.json<{ file: string }>();
    await ann.appendBlocks(ref, { response: { content: [{ image: { file } }] } });
    const { attachments } = await agent.read(`/mess/${ref}`);
    const uri = `content://${ref}/${attachments[0].name}`;

    const { text, result } = await callTool(agent, "mess_fetch", { uri });

    expect(text).toMatch(/\b800000\b/);
    expect(result.content[1]).toMatchObject({
      type: "resource_link",
      uri,
      mimeType: "image/png",
      size: 800_000,
    });
    expect(result.content.some(({ type }: { type: string }) => type === "image")).toBe(false);
  });
});

describe("small files that are kept in their message", () => {
  const withSmallFiles = async () => {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("How warm is it?", { requires: ["look"] });
    await home.ann.appendBlocks(ref, {
      response: {
        content: [
          { image: { uri: `data:image/png;base64,${PNG_BASE64}`, name: "thermometer.png" } },
          { file: `data:text/plain;base64,${btoa("21 degrees")}` },
        ],
      },
    });
    return { ...home, ref };
  };

  it("a result gives each small file an address that mess_fetch, resources/read and HTTP can read", async () => {
    const { agent, ref } = await withSmallFiles();

    const { text } = await callTool(agent, "mess_status", { re: ref });

    const uris = text.match(/content:\/\/[^ ]+/g) ?? [];
    const [image = "", note = ""] = uris;
    expect(uris).toHaveLength(2);
    const fetched = await callTool(agent, "mess_fetch", { uri: image });
    expect(fetched.result.content[1]).toEqual({
      type: "image",
      mimeType: "image/png",
      data: PNG_BASE64,
    });
    expect((await callTool(agent, "mess_fetch", { uri: note })).text).toContain("> 21 degrees");
    const { result } = await callRpc(agent, "resources/read", { uri: image });
    expect(result.contents[0]).toMatchObject({ mimeType: "image/png", blob: PNG_BASE64 });
    const path = `/mess/${ref}/attachments/${note.split("/").at(-1)}`;
    const whole = await agent.fetch(path);
    expect([await whole.text(), whole.headers.get("Content-Type")]).toEqual([
      "21 degrees",
      "text/plain",
    ]);
    const part = await agent.fetch(path, { headers: { Range: "bytes=3-5" } });
    expect([part.status, await part.text()]).toEqual([206, "deg"]);
  });

  it("a thread read as a resource shows small files as content addresses, not as data", async () => {
    const { agent, ref } = await withSmallFiles();

    const { result } = await callRpc(agent, "resources/read", { uri: `thread://${ref}/latest` });

    expect(result.contents[0].text).toContain(`resource: content://${ref}/att-`);
    expect(result.contents[0].text).not.toContain("data:");
  });

  it("a file can be fetched by the name that its sender gave it", async () => {
    const { agent, ref } = await withSmallFiles();

    const { result } = await callTool(agent, "mess_fetch", {
      uri: `content://${ref}/thermometer.png`,
    });

    expect(result.content[1].data).toBe(PNG_BASE64);
  });

  it("the error for an unknown file lists the files of the thread, to those who may see it", async () => {
    const { agent, ref } = await withSmallFiles();
    const other = await createFreshHousehold();
    const uri = `content://${ref}/nothing.png`;

    const { text, isError } = await callTool(agent, "mess_fetch", { uri });
    const response = await agent.fetch(`/mess/${ref}/attachments/nothing.png`);
    const foreign = await callTool(other.agent, "mess_fetch", { uri });

    expect([isError, response.status]).toEqual([true, 404]);
    const { error } = await response.json<{ error: { code: string; valid: string[] } }>();
    expect(error).toMatchObject({
      code: "not_found",
      valid: [expect.stringMatching(/^att-.*-thermometer\.png$/), expect.stringMatching(/^att-/)],
    });
    for (const name of error.valid) expect(text).toContain(name);
    expect(foreign.text).not.toContain("att-");
  });
});

describe("raw messages through the tool mess", () => {
  it("the tool mess sends a batch, returns its refs, and creates it once for each id of the call", async () => {
    const { agent } = await createFreshHousehold();
    const message = `
MESS:
  - request: {id: measure, intent: Measure the shelf}
  - request: {id: buy, intent: Buy brackets, constraints: {depends_on: [measure]}}`;

    const first = await callTool(agent, "mess", { message, id: "shelf" });
    const again = await callTool(agent, "mess", { message, id: "shelf" });
    const refs = [...first.text.matchAll(/ref: (\S+)/g)].map(([, ref]) => ref);

    expect(refs).toHaveLength(2);
    expect(again.text).toContain(`ref: ${refs[1]}`);
    expect((await agent.read(`/mess/${refs[1]}`)).envelope.blocked_by).toEqual([refs[0]]);
  });

  it("the tool mess lets executors work over MCP", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("Look", { requires: ["look"] });

    const { isError } = await callTool(ann, "mess", {
      message: `re: ${ref}\nMESS:\n  - response: {content: [all quiet]}\n  - status: completed`,
    });

    expect(isError).toBe(false);
    expect((await callTool(agent, "mess_status", { re: ref })).text).toContain("> all quiet");
  });

  it("the tool mess answers queries", async () => {
    const { agent } = await createFreshHousehold();

    const { text } = await callTool(agent, "mess", {
      message: "MESS: [{query: {type: executors}}]",
    });

    expect(text).toContain("id: robo");
  });
});
