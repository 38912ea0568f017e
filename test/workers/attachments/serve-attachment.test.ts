import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serveAttachment } from "../../../src/attachments/serve-attachment.ts";
import { storeBlob } from "../../../src/attachments/blob-store.ts";
import type { Attachment } from "../../../src/mess/envelope.ts";
import { encodeText, createFreshHousehold, PNG } from "./support.ts";

async function storeAttachment(
  content: Uint8Array,
  mime = "text/plain",
  changed: Partial<Attachment> = {},
): Promise<Attachment> {
  const stored = await storeBlob(env.BLOBS, createFreshHousehold(), content, { mime });
  if (!stored.ok) throw new Error(stored.error.message);
  const { key, size, mime: found } = stored.value;
  return { name: "att-001-file-note.txt", serial: 1, mime: found, size, key, ...changed };
}

async function get(
  attachment: Attachment,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Response> {
  const request = new Request("https://mess.test/file", { method, headers });
  const served = await serveAttachment(env.BLOBS, attachment, request);
  if (!served.ok) throw new Error(served.error.code);
  return served.value;
}

const DIGITS = encodeText("0123456789");

describe("a download", () => {
  it("a download has headers against caching, scripts, sniffing and other origins", async () => {
    const response = await get(await storeAttachment(DIGITS));

    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "cache-control": "private, no-store",
      "content-length": "10",
      "content-security-policy": "sandbox; default-src 'none'",
      "content-type": "text/plain",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.get("ETag")).toMatch(/^"[0-9a-f-]{36}"$/);
    expect(await response.text()).toBe("0123456789");
  });

  it("HEAD announces a download without its bytes", async () => {
    const attachment = await storeAttachment(DIGITS);

    const response = await get(attachment, { Range: "bytes=0-1" }, "HEAD");

    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Length")).toBe("10");
    expect(await response.text()).toBe("");
  });

  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=9-9", "9", "bytes 9-9/10"],
    ["bytes=0-0", "0", "bytes 0-0/10"],
    ["bytes=5-500", "56789", "bytes 5-9/10"],
    ["bytes=-500", "0123456789", "bytes 0-9/10"],
    ["BYTES = 1 - 2 ", "12", "bytes 1-2/10"],
    [`bytes=8-${"9".repeat(400)}`, "89", "bytes 8-9/10"],
  ])("a download of the range %s is that part", async (range, body, contentRange) => {
    const response = await get(await storeAttachment(DIGITS), { Range: range });

    expect(response.status).toBe(206);
    expect(response.headers.get("Content-Range")).toBe(contentRange);
    expect(response.headers.get("Content-Length")).toBe(String(body.length));
    expect(await response.text()).toBe(body);
  });

  it.each(["bytes=10-", "bytes=10-20", "bytes=-0", `bytes=${"9".repeat(400)}-`])(
    "a download of the range %s is refused with 416 and the size",
    async (range) => {
      const response = await get(await storeAttachment(DIGITS), { Range: range });

      expect(response.status).toBe(416);
      expect(response.headers.get("Content-Range")).toBe("bytes */10");
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(await response.json()).toMatchObject({ error: { code: "bad_range" } });
    },
  );

  it.each(["bytes=", "bytes=-", "bytes=5-2", "lines=1-2", "bytes=0-1,3-4", "bytes=a-b", "bytes=1"])(
    "a download of %s, which is not a single range, is the complete file",
    async (range) => {
      const response = await get(await storeAttachment(DIGITS), { Range: range });

      expect(response.status).toBe(200);
      expect(response.headers.has("Content-Range")).toBe(false);
      expect(await response.text()).toBe("0123456789");
    },
  );

  it("downloads of two adjacent ranges together are the file", async () => {
    const attachment = await storeAttachment(DIGITS);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), async (cut) => {
        const head = await get(attachment, { Range: `bytes=0-${cut - 1}` });
        const tail = await get(attachment, { Range: `bytes=${cut}-` });
        expect((await head.text()) + (await tail.text())).toBe("0123456789");
      }),
      { numRuns: 9 },
    );
  });

  it("a download of an empty file is empty, and has no range", async () => {
    const attachment = await storeAttachment(new Uint8Array());

    const whole = await get(attachment);
    const part = await get(attachment, { Range: "bytes=0-" });

    expect([whole.status, await whole.text()]).toEqual([200, ""]);
    expect(part.status).toBe(416);
  });

  it("a download is not repeated for a caller that already has the file", async () => {
    const attachment = await storeAttachment(DIGITS);
    const tag = (await get(attachment)).headers.get("ETag")!;

    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const response = await get(attachment, { "If-None-Match": known, Range: "bytes=0-1" });
      expect([response.status, await response.text()]).toEqual([304, ""]);
      expect(response.headers.get("ETag")).toBe(tag);
    }
    expect((await get(attachment, { "If-None-Match": '"other"' })).status).toBe(200);
  });

  it("a download resumes a range only of the same file", async () => {
    const attachment = await storeAttachment(DIGITS);
    const tag = (await get(attachment)).headers.get("ETag")!;
    const requestRange = async (ifRange: string) =>
      (await get(attachment, { Range: "bytes=5-", "If-Range": ifRange })).status;

    expect(await requestRange(tag)).toBe(206);
    expect(await requestRange('"other"')).toBe(200);
    expect(await requestRange(`W/${tag}`)).toBe(200);
    expect(await requestRange("Wed, 21 Oct 2026 07:28:00 GMT")).toBe(200);
  });

  it("a download has a different ETag for every stored file, even with the same bytes", async () => {
    const [one, other] = [
      await get(await storeAttachment(DIGITS)),
      await get(await storeAttachment(DIGITS)),
    ];

    expect(one.headers.get("ETag")).not.toBe(other.headers.get("ETag"));
  });

  it.each(["GET", "HEAD"])(
    "a download with %s is refused when the bytes are missing",
    async (method) => {
      const attachment = await storeAttachment(DIGITS);
      await env.BLOBS.delete(attachment.key);

      await expect(get(attachment, {}, method)).rejects.toThrow("not_found");
    },
  );

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])(
    "a download is refused for the method %s",
    async (method) => {
      await expect(get(await storeAttachment(DIGITS), {}, method)).rejects.toThrow(
        "method_not_allowed",
      );
    },
  );
});

describe("a file from an untrusted sender", () => {
  it.each([
    ["a photo", PNG, "text/html", "inline", "image/png"],
    ["HTML", encodeText("<script>alert(1)</script>"), "text/html", "attachment", "text/html"],
    ["SVG", encodeText("<svg onload=alert(1)>"), "image/svg+xml", "attachment", "image/svg+xml"],
    [
      "HTML that is called a photo",
      encodeText("<html>"),
      "image/png",
      "attachment",
      "application/octet-stream",
    ],
    ["a PDF", encodeText("%PDF-1.7"), "application/pdf", "attachment", "application/pdf"],
    ["text", encodeText("hello"), "text/plain", "attachment", "text/plain"],
  ])(
    "an untrusted file is shown inline only if it cannot run scripts: %s",
    async (_name, content, declared, how, mime) => {
      const { headers } = await get(await storeAttachment(content, declared));

      expect(headers.get("Content-Disposition")).toMatch(new RegExp(`^${how};`));
      expect(headers.get("Content-Type")).toBe(mime);
    },
  );

  it("an untrusted file is not shown inline, even if the thread's record calls it a photo", async () => {
    const attachment = await storeAttachment(encodeText("<script>"), "text/html", {
      mime: "image/png",
    });

    const { headers } = await get(attachment);

    expect(headers.get("Content-Disposition")).toMatch(/^attachment;/);
    expect(headers.get("Content-Type")).toBe("text/html");
  });

  it.each([
    ["plan.pdf", "plan.pdf"],
    ["Kühlschrank oben.jpg", "K%C3%BChlschrank%20oben.jpg"],
    ["../../etc/passwd", "passwd"],
    ["C:\\photos\\shelf.jpg", "shelf.jpg"],
    ['a"; filename="b.exe', "a_%20filename%3D_b.exe"],
    ["a\r\nSet-Cookie: x=y.txt", "aSet-Cookie_%20x%3Dy.txt"],
    ["gnp.\u202Eexe.png", "gnp.exe.png"],
    ["zero\u200Bwidth.txt", "zerowidth.txt"],
    ["lone\uD800.txt", "lone.txt"],
    [".htaccess", "htaccess"],
    ["it's (1)*.txt", "it%27s%20%281%29_.txt"],
    ["$(reboot)`.sh", "_%28reboot%29_.sh"],
  ])("an untrusted file named %j is offered with a harmless name", async (original, own) => {
    const { headers } = await get(await storeAttachment(DIGITS, "text/plain", { original }));

    expect(headers.get("Content-Disposition")).toBe(
      `attachment; filename="att-001-file-note.txt"; filename*=UTF-8''${own}`,
    );
  });

  it("an untrusted file is offered with the stored name if its own name has no usable characters", async () => {
    const { headers } = await get(
      await storeAttachment(DIGITS, "text/plain", { original: "\u202E/.." }),
    );

    expect(headers.get("Content-Disposition")).toBe('attachment; filename="att-001-file-note.txt"');
  });

  it("the header of a download is valid for any names", async () => {
    const attachment = await storeAttachment(DIGITS);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        async (name, original) => {
          const { headers } = await get({ ...attachment, name, original }, {}, "HEAD");
          expect(headers.get("Content-Disposition")).toMatch(
            /^attachment; filename="[A-Za-z0-9._-]+"(?:; filename\*=UTF-8''[A-Za-z0-9!._~%-]+)?$/,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it("a very long file name keeps its extension", async () => {
    const original = `${"ü".repeat(400)}.jpeg`;
    const { headers } = await get(await storeAttachment(DIGITS, "text/plain", { original }));

    const own = decodeURIComponent(headers.get("Content-Disposition")!.split("UTF-8''")[1]!);
    expect(own).toBe(`${"ü".repeat(145)}.jpeg`);
  });
});
