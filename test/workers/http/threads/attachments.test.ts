import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { type Caller, expectOkJson, createFreshHousehold, readRefusal } from "../../support.ts";
import { PNG } from "../../../support/media/png.ts";

const uploadFile = (
  caller: Caller,
  ref: string,
  body: BodyInit = PNG,
  headers: Record<string, string> = {},
  query = "?name=shelf.png",
) =>
  caller.fetch(`/mess/${ref}/attachments${query}`, {
    method: "POST",
    body,
    headers: { "Content-Type": "image/png", ...headers },
  });

const countBlobs = async (household: string): Promise<number> =>
  (await env.BLOBS.list({ prefix: `${household}/` })).objects.length;

async function createThreadFor() {
  const household = await createFreshHousehold();
  const ref = await household.agent.createThread("photograph the shelf", {
    requires: ["take-photo"],
  });
  return { ...household, ref };
}

describe("POST /mess/{ref}/attachments", () => {
  it("an upload is stored until a message refers to it", async () => {
    const { ann, agent, ref } = await createThreadFor();

    const response = await uploadFile(ann, ref);
    const uploaded = await expectOkJson(response.clone());
    await ann.appendBlocks(ref, { response: { content: [{ image: { file: uploaded.file } }] } });

    expect(response.status).toBe(201);
    expect(uploaded).toEqual({
      file: expect.stringMatching(/^upload-/),
      name: "shelf.png",
      mime: "image/png",
      size: PNG.byteLength,
    });
    const { attachments, messages } = await agent.read(`/mess/${ref}`);
    expect(attachments).toMatchObject([{ name: "att-001-image-shelf.png", size: PNG.byteLength }]);
    expect(messages.at(-2).MESS[0].response.content[0].image.file).toBe("att-001-image-shelf.png");
  });

  it("an upload has the name of Content-Disposition if the query has none", async () => {
    const { ann, ref } = await createThreadFor();
    const buildName = async (disposition: string) =>
      (
        await expectOkJson(
          await uploadFile(ann, ref, PNG, { "Content-Disposition": disposition }, ""),
        )
      ).name;

    expect(await buildName('attachment; filename="my shelf.png"')).toBe("my shelf.png");
    expect(await buildName("attachment; filename*=UTF-8''s%C3%BCd.png")).toBe("süd.png");
    expect(await buildName("attachment; filename*=UTF-8''%ff")).toBeUndefined();
    expect(await buildName("attachment")).toBeUndefined();
  });

  it("an upload may be the only file of a form", async () => {
    const { ann, ref } = await createThreadFor();
    const form = new FormData();
    form.append("file", new File([PNG], "shelf.png", { type: "image/png" }));

    const response = await ann.fetch(`/mess/${ref}/attachments`, { method: "POST", body: form });

    expect(await expectOkJson(response)).toMatchObject({ name: "shelf.png", size: PNG.byteLength });
  });

  it("a repeated upload gets the same response, and is stored once", async () => {
    const { id, ann, ref } = await createThreadFor();
    const key = { "Idempotency-Key": "photo-1" };

    const first = await (await uploadFile(ann, ref, PNG, key)).text();
    const again = await (await uploadFile(ann, ref, PNG, key)).text();

    expect(again).toBe(first);
    expect(await countBlobs(id)).toBe(1);
  });

  it("another file with the same idempotency key is refused, and not stored", async () => {
    const { id, ann, ref } = await createThreadFor();
    const key = { "Idempotency-Key": "photo-1" };
    await uploadFile(ann, ref, PNG, key);

    const other = PNG.with(45, 99);
    const response = await uploadFile(ann, ref, other, key);

    expect(await readRefusal(response)).toBe("409 idempotency_conflict");
    expect(await countBlobs(id)).toBe(1);
  });

  it("uploads of two senders with the same idempotency key are two uploads", async () => {
    const { ann, agent, ref } = await createThreadFor();
    const key = { "Idempotency-Key": "photo-1" };

    const mine = await expectOkJson(await uploadFile(ann, ref, PNG, key));
    const theirs = await expectOkJson(await uploadFile(agent, ref, PNG, key));

    expect(mine.file).not.toBe(theirs.file);
  });

  it("an upload by a caller that may not see the thread is refused without storing a byte", async () => {
    const { id, ben, ref } = await createThreadFor();
    const stranger = await createFreshHousehold();

    expect(await readRefusal(await uploadFile(ben, ref))).toBe("404 not_found");
    expect(await readRefusal(await uploadFile(stranger.owner, ref))).toBe("404 not_found");

    expect(await countBlobs(id)).toBe(0);
    expect(await countBlobs(stranger.id)).toBe(0);
  });

  it("an upload that is announced as too large, of unknown length, or empty is refused", async () => {
    const { id, ann, ref } = await createThreadFor();
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(PNG);
        controller.close();
      },
    });

    const large = await uploadFile(ann, ref, PNG, {
      "Content-Length": String(LIMITS.uploadBytes + 1),
    });
    expect(await readRefusal(large)).toBe("413 too_large");
    expect(await readRefusal(await uploadFile(ann, ref, stream))).toBe("411 length_required");
    expect(await readRefusal(await uploadFile(ann, ref, new Uint8Array()))).toBe(
      "400 empty_message",
    );
    expect(await countBlobs(id)).toBe(0);
  });

  it("a message may not refer to an upload to another thread", async () => {
    const { ann, agent, ref } = await createThreadFor();
    const other = await agent.createThread("photograph the door", { requires: ["take-photo"] });
    const { file } = await expectOkJson(await uploadFile(ann, ref));

    const response = await ann.postBlocks({
      response: { re: other, content: [{ image: { file } }] },
    });

    expect(await readRefusal(response)).toBe("422 unknown_attachment");
  });
});

describe("GET /mess/{ref}/attachments/{name}", () => {
  async function createAnsweredThread() {
    const household = await createThreadFor();
    const { ann, ref } = household;
    const { file } = await expectOkJson(await uploadFile(ann, ref));
    await ann.appendBlocks(ref, { response: { content: [{ image: { file } }] } });
    return { ...household, path: `/mess/${ref}/attachments/att-001-image-shelf.png` };
  }

  it("an attachment is served with headers that prevent scripts", async () => {
    const { agent, path } = await createAnsweredThread();

    const response = await agent.fetch(path);

    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "private, no-store",
      "referrer-policy": "no-referrer",
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(PNG);
  });

  it("an attachment is served in ranges", async () => {
    const { agent, path } = await createAnsweredThread();

    const part = await agent.fetch(path, { headers: { Range: "bytes=1-3" } });
    const beyond = await agent.fetch(path, { headers: { Range: "bytes=99-" } });

    expect(part.status).toBe(206);
    expect(part.headers.get("Content-Range")).toBe(`bytes 1-3/${PNG.byteLength}`);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(PNG.slice(1, 4));
    expect(await readRefusal(beyond)).toBe("416 bad_range");
  });

  it("HEAD of an attachment has its length and no body", async () => {
    const { agent, path } = await createAnsweredThread();

    const response = await agent.fetch(path, { method: "HEAD" });

    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Length")).toBe(String(PNG.byteLength));
    expect(await response.text()).toBe("");
  });

  it("an attachment is served for any accepted formats", async () => {
    const { agent, path } = await createAnsweredThread();

    const response = await agent.fetch(path, { headers: { Accept: "image/*" } });

    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it("an attachment is not found by other callers, or under other names", async () => {
    const { ben, agent, path } = await createAnsweredThread();

    expect(await readRefusal(await ben.fetch(path))).toBe("404 not_found");
    expect(await readRefusal(await agent.fetch(`${path}x`))).toBe("404 not_found");
    expect(await readRefusal(await agent.fetch(path.replace("att-", "%2e%2e%2f")))).toBe(
      "404 not_found",
    );
  });
});
