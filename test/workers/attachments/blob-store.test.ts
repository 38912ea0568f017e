import { defined } from "../../../src/mess/defined.ts";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deleteBlobs, storeBase64, storeBlob } from "../../../src/attachments/blob-store.ts";
import { LIMITS } from "../../../src/mess/limits.ts";
import { buildPhoto } from "../../support/media/photo.ts";
import { encodeText, createFreshHousehold, listKeys, PNG, buildStream } from "./support.ts";

const text = { mime: "text/plain" };

describe("storing a file", () => {
  it("a photo that is too large for memory loses its metadata after it is stored", async () => {
    const household = createFreshHousehold();
    const photo = new Uint8Array(11 * 1024 * 1024);
    photo.set(buildPhoto({}).subarray(0, -2));
    photo.set(encodeText("\xff\xd9SECRET"), photo.length - 8);

    const stored = await storeBlob(env.BLOBS, household, buildStream([photo]), {
      mime: "image/jpeg",
      size: photo.length,
    });

    expect(stored).toMatchObject({ ok: true, value: { mime: "image/jpeg", size: photo.length } });
    const [key] = await listKeys(household);
    const object = await env.BLOBS.get(key!);
    const text = new TextDecoder("latin1").decode(await object!.arrayBuffer());
    expect(text).toHaveLength(photo.length);
    expect(text).toContain("PIXELS");
    expect([text.includes("PLACE"), text.includes("SECRET")]).toEqual([false, false]);
    expect(object!.httpMetadata?.contentType).toBe("image/jpeg");
  });

  it("a stored file has a key with its household and day, and the stored type, size and digest", async () => {
    const household = createFreshHousehold();

    const stored = await storeBlob(env.BLOBS, household, PNG, {
      mime: "application/x-unknown",
      original: "shelf.png",
    });

    const today = new Date().toISOString().slice(0, 10);
    const [key] = await listKeys(household);
    expect(stored).toEqual({
      ok: true,
      value: {
        token: `upload-${key!.split("/")[2]}`,
        key,
        kind: "image",
        mime: "image/png",
        size: PNG.byteLength,
        original: "shelf.png",
      },
    });
    expect(key).toMatch(new RegExp(`^${household}/${today}/[0-9a-f-]{36}$`));
    expect(new Uint8Array(await (await env.BLOBS.get(key!))!.arrayBuffer())).toEqual(PNG);
  });

  it("storing a stream keeps every byte, however it is split into chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }),
        async (chunks) => {
          const household = createFreshHousehold();
          const whole = chunks.flatMap((chunk) => [...chunk]);

          const stored = await storeBlob(env.BLOBS, household, buildStream(chunks), {
            ...text,
            size: whole.length,
          });

          expect(stored.ok).toBe(true);
          const [key] = await listKeys(household);
          expect([...(await (await env.BLOBS.get(key!))!.bytes())]).toEqual(whole);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("the type of a streamed file is detected by its first bytes, even when they arrive one by one", async () => {
    const single = Array.from(PNG, (byte) => Uint8Array.of(byte));

    const stored = await storeBlob(env.BLOBS, createFreshHousehold(), buildStream(single), {
      ...text,
      size: PNG.byteLength,
    });

    expect(stored).toMatchObject({ ok: true, value: { mime: "image/png", kind: "image" } });
  });

  it("a stream of many chunks that is larger than any buffer is stored", async () => {
    const household = createFreshHousehold();
    const chunk = new Uint8Array(64 * 1024).fill(7);
    const size = 80 * chunk.byteLength;

    const stored = await storeBlob(
      env.BLOBS,
      household,
      buildStream(Array.from({ length: 80 }, () => chunk)),
      { ...text, size },
    );

    expect(stored).toMatchObject({ ok: true, value: { size } });
    const [key] = await listKeys(household);
    expect((await env.BLOBS.head(key!))!.size).toBe(size);
  });

  it.each([
    ["longer", [encodeText("four"), encodeText("more")], 5],
    ["longer by one byte", [encodeText("fours")], 4],
    ["shorter", [encodeText("four")], 5],
    ["empty", [], 1],
    ["longer than nothing", [encodeText("x")], 0],
    ["longer than its first bytes", [new Uint8Array(500), new Uint8Array(500)], 600],
    ["shorter than its first bytes", [new Uint8Array(500)], 600],
  ])(
    "a stream that is %s than announced is refused, and stores nothing",
    async (_name, chunks, size) => {
      const household = createFreshHousehold();

      const stored = await storeBlob(env.BLOBS, household, buildStream(chunks), { ...text, size });

      expect(stored).toMatchObject({ ok: false, error: { code: "bad_attachment" } });
      expect(await listKeys(household)).toEqual([]);
    },
  );

  it("an endless stream is stopped at the announced length", async () => {
    const household = createFreshHousehold();
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(1_000));
      },
      cancel() {
        cancelled = true;
      },
    });

    const stored = await storeBlob(env.BLOBS, household, endless, { ...text, size: 10_000 });

    expect(stored).toMatchObject({ ok: false, error: { code: "bad_attachment" } });
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(20);
    expect(await listKeys(household)).toEqual([]);
  });

  it.each([
    ["before the first byte", []],
    ["within the first bytes", [encodeText("abc")]],
    ["after the first bytes", [new Uint8Array(300)]],
  ])("a stream that fails %s is refused, and stores nothing", async (_name, chunks) => {
    const household = createFreshHousehold();

    const stored = await storeBlob(env.BLOBS, household, buildStream(chunks, new Error("gone")), {
      ...text,
      size: 1_000,
    });

    expect(stored).toMatchObject({ ok: false, error: { code: "bad_attachment" } });
    expect(await listKeys(household)).toEqual([]);
  });

  it.each([undefined, Number.NaN, -1, 1.5])("a stream of length %s is refused", async (size) => {
    const meta = { ...text, ...defined({ size }) };

    const stored = await storeBlob(env.BLOBS, createFreshHousehold(), buildStream([PNG]), meta);

    expect(stored).toMatchObject({ ok: false, error: { code: "length_required" } });
  });

  it("a file over the limit is refused before a byte is read", async () => {
    let pulled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull() {
          pulled = true;
        },
      },
      { highWaterMark: 0 },
    );

    const stored = await storeBlob(env.BLOBS, createFreshHousehold(), body, {
      ...text,
      size: LIMITS.uploadBytes + 1,
    });

    expect(stored).toMatchObject({ ok: false, error: { code: "too_large" } });
    expect(pulled).toBe(false);
  });

  it("an error of R2 is thrown, although the stream was valid", async () => {
    const failing = {
      put: () => Promise.reject(new Error("R2 is away")),
      delete: () => Promise.resolve(),
    } as unknown as R2Bucket;
    const size = 5 * 64 * 1024;
    const chunks = Array.from({ length: 5 }, () => new Uint8Array(64 * 1024));

    await expect(
      storeBlob(failing, createFreshHousehold(), buildStream(chunks), { ...text, size }),
    ).rejects.toThrow("R2 is away");
    await expect(storeBlob(failing, createFreshHousehold(), PNG, text)).rejects.toThrow(
      "R2 is away",
    );
  });
});

describe("storing the data of a data URI", () => {
  it("the bytes of a data URI are stored under the upload token of its message", async () => {
    const household = createFreshHousehold();

    const stored = await storeBase64(env.BLOBS, household, {
      token: "upload-7",
      mime: "image/png",
      base64: btoa(String.fromCharCode(...PNG)),
      original: "shelf.png",
    });

    expect(stored).toMatchObject({
      ok: true,
      value: { token: "upload-7", mime: "image/png", size: PNG.byteLength, original: "shelf.png" },
    });
    const [key] = await listKeys(household);
    expect(await (await env.BLOBS.get(key!))!.bytes()).toEqual(PNG);
  });

  it.each(["=", "a", "%%%%", "aGk=aGk=", "héllo"])(
    "the text %j is not valid base64",
    async (base64) => {
      const household = createFreshHousehold();

      const stored = await storeBase64(env.BLOBS, household, { token: "t", ...text, base64 });

      expect(stored).toMatchObject({ ok: false, error: { code: "bad_attachment" } });
      expect(await listKeys(household)).toEqual([]);
    },
  );
});

describe("deleting stored files", () => {
  it("deleting stored files removes the named ones, ignores missing ones, and keeps all others", async () => {
    const household = createFreshHousehold();
    for (const name of ["a", "b", "c"]) await env.BLOBS.put(`${household}/${name}`, name);

    await deleteBlobs(env.BLOBS, [`${household}/a`, `${household}/c`, `${household}/never`]);
    await deleteBlobs(env.BLOBS, []);

    expect(await listKeys(household)).toEqual([`${household}/b`]);
  });
});
