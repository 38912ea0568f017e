/** Upload links, with which the person in a chat adds a photo to a request; and previews of large photos. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getHouseholdStub, getThreadStub } from "../../../src/stubs.ts";
import { PNG } from "../../support/media/png.ts";
import {
  buildAddressHeader,
  type Answered,
  Caller,
  createFreshHousehold,
  expectOkJson,
  ORIGIN,
  readRefusal,
  sendRequest,
} from "../support.ts";
import { callTool } from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
  Reflect.deleteProperty(env, "IMAGES");
});

async function makeLink(caller: Caller): Promise<{ path: string; uri: string }> {
  const { url, uri } = (await callTool(caller, "mess_fetch", { upload: true })).result
    .structuredContent;
  return { path: (url as string).slice(ORIGIN.length), uri };
}

const sendPhoto = (path: string, headers: Record<string, string> = {}) =>
  sendRequest(`${path}?name=lamp.png`, {
    method: "POST",
    body: PNG,
    headers: {
      "Content-Type": "image/png",
      ...buildAddressHeader(),
      ...headers,
    },
  });

const requestLike = (caller: Caller, uri: string) =>
  caller.postBlocks({
    request: { intent: "buy one like this", requires: ["carry"], context: [{ image: uri }] },
  });

describe("an upload link", () => {
  it("its photo becomes a file of the request that names it", async () => {
    const { agent, ben } = await createFreshHousehold();
    const { path, uri } = await makeLink(agent);

    const sent = await expectOkJson(await sendPhoto(path));
    const ref = (await expectOkJson(await requestLike(agent, uri))).MESS[0].ack.ref as string;

    expect(sent).toEqual({ uri, mime: "image/png", size: PNG.byteLength });
    const { attachments, messages } = await ben.read(`/mess/${ref}`);
    expect(attachments).toMatchObject([{ name: "att-000-image-lamp.png", mime: "image/png" }]);
    expect(messages[0].MESS[0].request.context).toMatchObject([
      { image: { file: "att-000-image-lamp.png" } },
    ]);
    const file = await ben.fetch(attachments[0].url);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PNG);
  });

  it("its photo can be used again, and in a reply", async () => {
    const { agent, ann } = await createFreshHousehold();
    const { path, uri } = await makeLink(agent);
    await sendPhoto(path);
    await requestLike(agent, uri);
    const ref = await agent.createThread("find my key", { requires: ["look"] });
    await ann.appendBlocks(ref, { status: { code: "needs_input", questions: ["which one?"] } });

    await agent.appendBlocks(ref, { reply: { answers: "this one", context: [{ image: uri }] } });

    expect((await ann.read(`/mess/${ref}`)).attachments).toMatchObject([{ mime: "image/png" }]);
  });

  it("each thread has its own copy, so that the end of one leaves the other's", async () => {
    const { id: household, agent, ben } = await createFreshHousehold();
    const { path, uri } = await makeLink(agent);
    await sendPhoto(path);
    const refs: string[] = [];
    for (const id of ["one", "two"]) {
      const request = { id, intent: "buy it", requires: ["carry"], context: [{ image: uri }] };
      const body = await expectOkJson(await agent.postBlocks({ request }));
      refs.push(body.MESS[0].ack.ref as string);
    }

    await env.BLOBS.delete(await findFirstKey(refs[0]!));

    const file = await ben.fetch(`/mess/${refs[1]}/attachments/att-000-image-lamp.png`);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PNG);

    async function findFirstKey(ref: string): Promise<string> {
      const stub = getThreadStub(env, household, ref);
      return (await stub.listBlobKeys())[0]!;
    }
  });

  it.each(["request", "reply"])(
    "the copy of its photo in a %s counts, and a call that is refused for it leaves no copy",
    async (kind) => {
      const { id, agent, ann, owner } = await createFreshHousehold();
      const { path, uri } = await makeLink(agent);
      await sendPhoto(path);
      const ref = await agent.createThread("find my key", { requires: ["look"] });
      await ann.appendBlocks(ref, { status: { code: "needs_input", questions: ["which one?"] } });
      const call = () =>
        kind === "request"
          ? requestLike(agent, uri)
          : agent.postBlocks({ reply: { re: ref, answers: "this", context: [{ image: uri }] } });
      const limit = (stored_bytes_per_household: number) =>
        getHouseholdStub(env, id).quotas.setLimits({ stored_bytes_per_household });
      const readUsed = async () =>
        (await owner.read("/api/v1/limits")).limits.find(
          ({ name }: Answered) => name === "stored_bytes_per_household",
        ).used;
      const countBlobs = async () => (await env.BLOBS.list({ prefix: `${id}/` })).objects.length;
      const before = await countBlobs();

      await limit(2 * PNG.byteLength - 1);
      const refused = await call();

      expect((await refused.json<Answered>()).error.reason).toBe("stored_bytes_per_household");
      expect(await countBlobs()).toBe(before);
      expect(await readUsed()).toBe(PNG.byteLength);
      await limit(2 * PNG.byteLength);
      await expectOkJson(await call());
      expect(await countBlobs()).toBe(before + 1);
      expect(await readUsed()).toBe(2 * PNG.byteLength);
    },
  );

  it("mess_fetch shows its photo before a request names it", async () => {
    const { agent } = await createFreshHousehold();
    const { path, uri } = await makeLink(agent);
    await sendPhoto(path);

    const { result } = await callTool(agent, "mess_fetch", { uri });

    expect(result.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
  });

  it("a request that names it before the photo was sent is refused", async () => {
    const { agent } = await createFreshHousehold();
    const { uri } = await makeLink(agent);

    expect(await readRefusal(await requestLike(agent, uri))).toBe("422 unknown_attachment");
  });

  it("another member cannot use its photo", async () => {
    const { agent, owner } = await createFreshHousehold();
    const { path, uri } = await makeLink(agent);
    await sendPhoto(path);

    const fetched = await callTool(owner, "mess_fetch", { uri });

    expect(await readRefusal(await requestLike(owner, uri))).toBe("422 unknown_attachment");
    expect(fetched.isError).toBe(true);
  });

  it("it takes one photo only", async () => {
    const { agent } = await createFreshHousehold();
    const { path } = await makeLink(agent);
    await sendPhoto(path);
    const before = (await env.BLOBS.list()).objects.length;

    expect(await readRefusal(await sendPhoto(path))).toBe("409 already_exists");
    expect((await env.BLOBS.list()).objects).toHaveLength(before);
  });

  it("it ends after half an hour, with its key, and when it is changed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { agent, owner } = await createFreshHousehold();
    const late = await makeLink(agent);
    const { id, key } = await expectOkJson(
      await owner.post("/api/v1/keys", { actor: "scout", role: "agent" }),
    );
    const other = new Caller("scout", key as string);
    const revoked = await makeLink(other);
    await owner.fetch(`/api/v1/keys/${id}`, { method: "DELETE" });

    expect(await readRefusal(await sendPhoto(revoked.path))).toBe("410 link_dead");
    expect(await readRefusal(await sendPhoto(`${late.path}x`))).toBe("410 link_dead");
    vi.setSystemTime(Date.now() + 30 * 60_000 + 1_000);
    expect(await readRefusal(await sendPhoto(late.path))).toBe("410 link_dead");
  });

  it("a page of another site cannot send a photo with it", async () => {
    const { agent } = await createFreshHousehold();
    const { path } = await makeLink(agent);

    const response = await sendPhoto(path, { Origin: "https://evil.example" });

    expect(await readRefusal(response)).toBe("400 unsafe_message");
  });

  it("its photo is refused a day after it was sent", async () => {
    const { agent } = await createFreshHousehold();
    const { path, uri } = await makeLink(agent);
    await sendPhoto(path);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 24 * 3_600_000 + 60_000);

    expect(await readRefusal(await requestLike(agent, uri))).toBe("422 unknown_attachment");
  });
});

describe("a photo that is too large to show", () => {
  const BIG_BYTES = 900_000;

  async function fetchBigPhoto() {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("Look", { requires: ["look"] });
    const body = new Uint8Array(BIG_BYTES);
    body.set([0xff, 0xd8, 0xff, 0xd9]);
    const uploaded = await home.ann.fetch(`/mess/${ref}/attachments?name=big.jpg`, {
      method: "POST",
      headers: { "Content-Type": "image/jpeg" },
      body,
    });
    const { file } = await expectOkJson(uploaded);
    await home.ann.appendBlocks(ref, { response: { content: [{ image: { file } }] } });
    const uri = `content://${ref}/att-001-image-big.jpg`;
    return (await callTool(home.agent, "mess_fetch", { uri })).result;
  }

  /** Stands in for the Images binding: reads the photo and returns as many bytes as the test says. */
  const connectImages = (sizes: readonly number[]) => {
    const asked: unknown[] = [];
    const left = [...sizes];
    const input = (photo: ReadableStream) => ({
      transform: (how: object) => ({
        output: async () => {
          asked.push({ ...how, read: (await new Response(photo).arrayBuffer()).byteLength });
          const size = left.shift();
          if (size === undefined) throw new Error("no more transformations");
          return { response: () => new Response(new Uint8Array(size)) };
        },
      }),
    });
    Object.assign(env, { IMAGES: { input } });
    return asked;
  };

  it("the Images binding makes a preview within the limit, beside the link to the original", async () => {
    const asked = connectImages([800_000, 5_000]);

    const { content, structuredContent } = await fetchBigPhoto();

    expect(content[1]).toMatchObject({ type: "image", mimeType: "image/jpeg" });
    expect(atob(content[1].data as string)).toHaveLength(5_000);
    expect(structuredContent).toMatchObject({ size: BIG_BYTES, url: expect.any(String) });
    expect(asked).toEqual([
      { width: 1_600, height: 1_600, fit: "scale-down", read: BIG_BYTES },
      { width: 1_000, height: 1_000, fit: "scale-down", read: BIG_BYTES },
    ]);
  });

  it("without the binding, or when it fails, the result is the link", async () => {
    const without = await fetchBigPhoto();
    connectImages([]);
    const failed = await fetchBigPhoto();

    for (const { content, structuredContent } of [without, failed]) {
      expect(content[1]).toMatchObject({ type: "resource_link" });
      expect(structuredContent.url).toContain("/files/");
    }
  });
});
