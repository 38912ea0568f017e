import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { buildPhoto } from "../../support/media/photo.ts";
import { type Answered, expectOkJson, readRefusal } from "../support.ts";
import { type Browser, createLink, openScene, Browser as NewBrowser } from "./support.ts";

const PIECE_BYTES = 5 * 1024 * 1024;

afterEach(() => {
  vi.useRealTimers();
});

/** Bytes that differ by position. */
const encodeText = (size: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 255);

const begin = (browser: Browser, ref: string, body: object, key?: string) =>
  browser.post(`/mess/${ref}/uploads`, body, key === undefined ? {} : { "Idempotency-Key": key });

const sendPiece = (
  browser: Browser,
  ref: string,
  upload: string,
  offset: number | string,
  body: Uint8Array<ArrayBuffer>,
) =>
  browser.fetch(`/mess/${ref}/uploads/${upload}`, {
    method: "PATCH",
    body,
    headers: { "Upload-Offset": String(offset), "Content-Type": "application/octet-stream" },
  });

async function beginUpload(body: object) {
  const scene = await openScene();
  const { upload } = await expectOkJson(await begin(scene.browser, scene.ref, body));
  return { ...scene, upload: upload as string };
}

/** Refers to the file in an answer, and reads it back. */
async function answerWith(browser: Browser, ref: string, file: string): Promise<Response> {
  await expectOkJson(
    await browser.appendBlocks(ref, { response: { content: [{ file: { file } }] } }),
  );
  const { attachments } = await browser.readState(ref);
  return await browser.fetch(attachments.at(-1).url);
}

describe("an upload in parts", () => {
  it("an upload in parts gives the same token and bytes as an upload in one call", async () => {
    const whole = encodeText(PIECE_BYTES + 1_000);
    const { browser, ref, upload } = await beginUpload({
      name: "tour.mp4",
      mime: "video/x-own",
      size: whole.length,
    });

    const first = await sendPiece(browser, ref, upload, 0, whole.slice(0, PIECE_BYTES));
    const seen = await browser.fetch(`/mess/${ref}/uploads/${upload}`, { method: "HEAD" });
    const last = await sendPiece(browser, ref, upload, PIECE_BYTES, whole.slice(PIECE_BYTES));

    expect([first.status, first.headers.get("Upload-Offset")]).toEqual([200, String(PIECE_BYTES)]);
    expect(await first.json()).toMatchObject({ upload, offset: PIECE_BYTES, piece: PIECE_BYTES });
    expect(seen.headers.get("Upload-Offset")).toBe(String(PIECE_BYTES));
    const { file, ...about } = await expectOkJson(last);
    expect(about).toEqual({ name: "tour.mp4", mime: "video/x-own", size: whole.length });
    expect(file).toBe(`upload-${upload}`);
    const served = await answerWith(browser, ref, file);
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(whole);
  });

  it("an upload in one part is a plain upload", async () => {
    const { browser, ref, upload } = await beginUpload({
      name: "a.txt",
      mime: "text/plain",
      size: 5,
    });

    const { file } = await expectOkJson(await sendPiece(browser, ref, upload, 0, encodeText(5)));

    expect(new Uint8Array(await (await answerWith(browser, ref, file)).arrayBuffer())).toEqual(
      encodeText(5),
    );
  });

  it("an upload in parts resumes after an interruption, and reports the offset", async () => {
    const whole = encodeText(PIECE_BYTES + 9);
    const { browser, ref, upload } = await beginUpload({ size: whole.length });
    await sendPiece(browser, ref, upload, 0, whole.slice(0, PIECE_BYTES));

    const again = await sendPiece(browser, ref, upload, 0, whole.slice(0, PIECE_BYTES));
    const ahead = await sendPiece(
      browser,
      ref,
      upload,
      PIECE_BYTES + 1,
      whole.slice(PIECE_BYTES + 1),
    );
    const unsaid = await sendPiece(browser, ref, upload, "", whole.slice(PIECE_BYTES));

    for (const refused of [again, ahead, unsaid]) {
      expect(refused.headers.get("Upload-Offset")).toBe(String(PIECE_BYTES));
      expect(await readRefusal(refused)).toBe("409 offset_conflict");
    }
    expect(
      (await sendPiece(browser, ref, upload, PIECE_BYTES, whole.slice(PIECE_BYTES))).status,
    ).toBe(200);
  });

  it("an upload in parts returns its token again for the last part and a repeated start", async () => {
    const whole = encodeText(PIECE_BYTES + 9);
    const { browser, ref } = await openScene();
    const body = { name: "a.bin", size: whole.length };
    const { upload } = await expectOkJson(await begin(browser, ref, body, "one"));
    await sendPiece(browser, ref, upload, 0, whole.slice(0, PIECE_BYTES));
    const last = await expectOkJson(
      await sendPiece(browser, ref, upload, PIECE_BYTES, whole.slice(PIECE_BYTES)),
    );

    const resumed = await expectOkJson(await begin(browser, ref, body, "one"));
    const empty = await expectOkJson(
      await sendPiece(browser, ref, upload, whole.length, encodeText(0)),
    );
    const other = await begin(browser, ref, { ...body, size: 7 }, "one");

    expect(resumed).toMatchObject({ upload, offset: whole.length });
    expect(empty).toEqual(last);
    expect(await readRefusal(other)).toBe("409 idempotency_conflict");
  });

  it("an upload in parts refuses parts with a wrong offset or length", async () => {
    const { browser, ref, upload } = await beginUpload({ size: 2 * PIECE_BYTES + 5 });

    const small = await sendPiece(browser, ref, upload, 0, encodeText(100));
    await expectOkJson(await sendPiece(browser, ref, upload, 0, encodeText(PIECE_BYTES)));
    const uneven = await sendPiece(browser, ref, upload, PIECE_BYTES, encodeText(PIECE_BYTES + 1));
    const long = await sendPiece(browser, ref, upload, PIECE_BYTES, encodeText(PIECE_BYTES + 6));

    for (const refused of [small, uneven, long])
      expect(await readRefusal(refused)).toBe("400 bad_attachment");
    const huge = await sendPiece(
      browser,
      ref,
      upload,
      PIECE_BYTES,
      encodeText(16 * 1024 * 1024 + 1),
    );
    expect(await readRefusal(huge)).toBe("413 too_large");
  });

  it.each([
    [{ size: 10 * 2 ** 30 }, "413 too_large"],
    [{ size: 100 * 2 ** 20 + 1 }, "413 too_large"],
    [{ size: 0 }, "400 bad_field"],
    [{ size: 1.5 }, "400 bad_field"],
    [{ name: "a" }, "400 bad_field"],
    [{ size: 5, name: "" }, "400 bad_field"],
    [{ size: 5, more: 1 }, "400 bad_field"],
  ])("an upload in parts does not start with %j", async (body, refused) => {
    const { browser, ref } = await openScene();

    expect(await readRefusal(await begin(browser, ref, body))).toBe(refused);
  });

  it("an upload in parts belongs to the member that started it", async () => {
    const { browser, ref, agent, owner, upload } = await beginUpload({ size: 5 });

    for (const other of [agent, owner])
      expect(await readRefusal(await other.fetch(`/mess/${ref}/uploads/${upload}`))).toBe(
        "404 not_found",
      );
    expect((await browser.fetch(`/mess/${ref}/uploads/${upload}`)).status).toBe(200);
  });

  it("an upload in parts needs the permission to respond", async () => {
    const { agent } = await openScene();
    const ref = await agent.createThread("look", { requires: ["look"] });
    const { token } = await createLink(agent, ref, "ann", { permissions: ["claim"] });
    const browser = new NewBrowser();
    await browser.open({ token });

    expect(await readRefusal(await begin(browser, ref, { size: 5 }))).toBe("403 wrong_role");
    const whole = await browser.post(`/mess/${ref}/attachments`, {});
    expect(await readRefusal(whole)).toBe("403 wrong_role");
  });

  it("an upload in parts is deleted after a day", async () => {
    const { browser, id, ref, upload } = await beginUpload({ size: PIECE_BYTES + 9 });
    await expectOkJson(await sendPiece(browser, ref, upload, 0, encodeText(PIECE_BYTES)));
    vi.useFakeTimers({ now: Date.now() + 24 * 3_600_000 + 1_000, toFake: ["Date"] });

    await runDurableObjectAlarm(env.THREADS.getByName(`${id}/${ref}`));

    vi.useRealTimers();
    expect(
      await readRefusal(await sendPiece(browser, ref, upload, PIECE_BYTES, encodeText(9))),
    ).toBe("404 not_found");
  });

  it("uploads in parts are limited in number", async () => {
    const { browser, ref } = await openScene();
    for (let n = 0; n < 50; n++) await expectOkJson(await begin(browser, ref, { size: 5 }));

    expect(await readRefusal(await begin(browser, ref, { size: 5 }))).toBe("429 too_many");
  });
});

describe("the location of a photo", () => {
  const made = buildPhoto({});
  const big = new Uint8Array(PIECE_BYTES + made.length);
  big.set(made);

  const upload = async (
    call: (body: Uint8Array<ArrayBuffer>) => Promise<Response>,
    body: Uint8Array<ArrayBuffer>,
  ) => {
    const response = await call(body);
    return await expectOkJson(response);
  };

  const readText = async (response: Response): Promise<string> =>
    new TextDecoder("latin1").decode(await response.arrayBuffer());

  const send = (browser: Browser, ref: string, query: string) => (body: Uint8Array<ArrayBuffer>) =>
    browser.fetch(`/mess/${ref}/attachments?name=p.jpg${query}`, {
      method: "POST",
      body,
      headers: { "Content-Type": "image/jpeg" },
    });

  it("the location of a photo is removed from uploads by a link", async () => {
    const { browser, ref } = await openScene();

    const { file, size } = await upload(send(browser, ref, ""), made as Uint8Array<ArrayBuffer>);

    const served = await readText(await answerWith(browser, ref, file));
    expect(served).not.toContain("PLACE");
    expect(served).toContain("PIXELS");
    expect(size).toBe(served.length);
  });

  it("the location of a photo is removed from uploads in parts by a link", async () => {
    const {
      browser,
      ref,
      upload: id,
    } = await beginUpload({ mime: "image/jpeg", size: big.length });
    await expectOkJson(await sendPiece(browser, ref, id, 0, big.slice(0, PIECE_BYTES)));

    const { file, size, mime } = await expectOkJson(
      await sendPiece(browser, ref, id, PIECE_BYTES, big.slice(PIECE_BYTES)),
    );

    const served = await readText(await answerWith(browser, ref, file));
    expect(served).not.toContain("PLACE");
    expect([mime, size]).toEqual(["image/jpeg", served.length]);
  });

  it("the location of a photo is removed from data in a message, and from files sent with it", async () => {
    const { browser, ref } = await openScene();
    const padded = new Uint8Array(8_000);
    padded.set(made);
    const base64 = btoa(String.fromCharCode(...padded));
    await expectOkJson(
      await browser.appendBlocks(ref, {
        response: { content: [{ image: `data:image/jpeg;base64,${base64}` }] },
      }),
    );
    const form = new FormData();
    form.set("message", '{"MESS": [{"response": {"content": [{"image": {"file": "p.jpg"}}]}}]}');
    form.set("photo", new File([made], "p.jpg", { type: "image/jpeg" }));
    await expectOkJson(await browser.fetch(`/mess?ref=${ref}`, { method: "POST", body: form }));

    const { attachments } = await browser.readState(ref);
    expect(attachments).toHaveLength(2);
    for (const { url } of attachments as Answered[])
      expect(await readText(await browser.fetch(url))).not.toContain("PLACE");
  });

  it("the location of a small photo is removed from the data that stays in the message", async () => {
    const { browser, ref, ann } = await openScene();
    const sent = `data:image/jpeg;base64,${btoa(String.fromCharCode(...made))}`;

    await expectOkJson(
      await browser.appendBlocks(ref, { response: { content: [{ image: sent }] } }),
    );

    const thread = await (await ann.fetch(`/mess/${ref}`)).text();
    const kept = /data:image\/jpeg;base64,([\w+/=]+)/.exec(thread)?.[1];
    expect(kept).toHaveLength(sent.length - "data:image/jpeg;base64,".length);
    expect(atob(kept!)).not.toContain("PLACE");
    expect(atob(kept!)).toContain("PIXELS");
  });

  it("the location of a photo is also removed from a member's upload, and kept on request", async () => {
    const { browser, ref, ann } = await openScene();
    const body = made as Uint8Array<ArrayBuffer>;
    const post = (query: string) =>
      ann.fetch(`/mess/${ref}/attachments${query}`, { method: "POST", body });

    const stripped = await expectOkJson(await post(""));
    const kept = await expectOkJson(await post("?keep_location=true"));
    const byLink = await upload(send(browser, ref, "&keep_location=true"), body);

    const places: boolean[] = [];
    for (const { file } of [stripped, kept, byLink])
      places.push((await readText(await answerWith(browser, ref, file))).includes("PLACE"));
    expect(places).toEqual([false, true, true]);
  });
});
