import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ARCHIVE_LIMITS, readArchive } from "../../../src/attachments/archive-reader.ts";
import { type Packed, streamOf, zipOf } from "../../support/zip.ts";

const REF = "2026-05-06-012";
const NAME = `${REF}/000-${REF}.messe-af.yaml`;
const PHOTO = `${REF}/att-001-image-a.jpg`;
const file: Packed = { name: NAME, data: "ref: a\n" };
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

const open = async (bytes: Uint8Array) => readArchive(streamOf(bytes));

async function refusal(bytes: Uint8Array): Promise<string> {
  const read = await open(bytes);
  expect(read).toMatchObject({ ok: false });
  if (read.ok) return "";
  expect(read.error.code).toMatch(/^(bad_archive|too_large)$/);
  return `${read.error.code}: ${read.error.message}`;
}

describe("reading an archive", () => {
  it("gives back stored and deflated entries, and leaves directories out", async () => {
    const long = "a line of the thread\n".repeat(50);

    const read = await open(
      zipOf(
        [
          { name: `${REF}/`, data: "", mode: 0o040755 },
          { name: NAME, data: long, method: 8, mode: 0o100644 },
          { name: PHOTO, data: "PK\u0003\u0004 looks like an entry" },
        ],
        { comment: "written by hand" },
      ),
    );

    expect(read.ok && [...read.value.keys()]).toEqual([NAME, PHOTO]);
    expect(read.ok && text(read.value.get(NAME))).toBe(long);
    expect(read.ok && text(read.value.get(PHOTO))).toBe("PK\u0003\u0004 looks like an entry");
  });

  it("takes any bytes, however they arrive", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.constantFrom(0, 8),
        fc.integer({ min: 1, max: 50 }),
        async (data, method, piece) => {
          const read = await readArchive(streamOf(zipOf([{ name: PHOTO, data, method }]), piece));

          expect(read.ok && Buffer.from(read.value.get(PHOTO) ?? [])).toEqual(Buffer.from(data));
        },
      ),
      { numRuns: 100 },
    );
  });

  it.skipIf(spawnSync("zip", ["-v"]).status !== 0)("reads what the zip tool writes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zip-"));
    mkdirSync(join(folder, REF));
    writeFileSync(join(folder, NAME), "ref: from the tool\n".repeat(20));
    execFileSync("zip", ["-q", "-r", "a.zip", REF], { cwd: folder });

    const read = await open(readFileSync(join(folder, "a.zip")));

    rmSync(folder, { recursive: true });
    expect(read.ok && text(read.value.get(NAME))).toBe("ref: from the tool\n".repeat(20));
  });
});

describe("an archive is refused", () => {
  it.each<[string, Packed[], RegExp]>([
    ["a path out of the archive", [{ ...file, name: `../${NAME}` }], /name that is not accepted/],
    ["an absolute path", [{ ...file, name: `/${NAME}` }], /name that is not accepted/],
    ["a drive", [{ ...file, name: `C:\\${REF}.messe-af` }], /name that is not accepted/],
    [
      "a name in UTF-8",
      [{ ...file, name: `${REF}/\u00c3\u00a4.jpg` }],
      /name that is not accepted/,
    ],
    [
      "an archive in the archive",
      [file, { name: `${REF}/att-001-file-a.zip`, data: "" }],
      /archive inside/,
    ],
    [
      "a symbolic link",
      [file, { name: PHOTO, data: "/etc/passwd", mode: 0o120777 }],
      /not a plain file/,
    ],
    ["a device", [file, { name: PHOTO, data: "", mode: 0o060666 }], /not a plain file/],
    ["an encrypted entry", [{ ...file, flags: 1 }], /encrypted/],
    ["an encrypted directory", [{ ...file, flags: 0x2000 }], /encrypted/],
    ["a packing that nobody asked for", [{ ...file, method: 12 }], /packed in a way/],
    ["a name twice", [file, file], /there twice/],
    ["a wrong checksum", [{ ...file, lie: { crc: 1 } }], /damaged/],
    ["a size that is not the size", [{ ...file, lie: { size: 3 } }], /two different sizes/],
    ["more bytes than it says", [{ ...file, method: 8, lie: { size: 3 } }], /damaged/],
    ["fewer bytes than it says", [{ ...file, method: 8, lie: { size: 300 } }], /damaged/],
    ["no deflated data", [{ ...file, method: 8, lie: { packedSize: 0 } }], /plausible|damaged/],
    ["another name in front", [{ ...file, lie: { localName: PHOTO } }], /described in two ways/],
    ["an entry that is not there", [{ ...file, lie: { offset: 9999 } }], /not where/],
    ["a directory with contents", [{ name: `${REF}/`, data: "hidden" }], /directory with contents/],
    ["data beyond the end", [{ ...file, lie: { size: 9999, packedSize: 9999 } }], /not all there/],
  ])("for %s", async (_why, entries, words) => {
    expect(await refusal(zipOf(entries))).toMatch(words);
  });

  it("for entries that share their bytes", async () => {
    const shared = zipOf([file, { ...file, lie: { offset: 0 } }]);

    expect(await refusal(shared)).toMatch(/overlap/);
  });

  it("for a directory that is not as long as it says", async () => {
    expect(await refusal(zipOf([file], { size: 10 }))).toMatch(/not where it says/);
  });

  it("for a deflate bomb, before it is unpacked", async () => {
    const bomb = { name: PHOTO, data: new Uint8Array(2_000_000), method: 8 };

    expect(await refusal(zipOf([file, bomb]))).toMatch(/more than is plausible/);
    expect(await refusal(zipOf([file, { ...bomb, lie: { size: 1000 } }]))).toMatch(/damaged/);
  });

  it("for more entries than allowed, whatever it says of their number", async () => {
    const many = Array.from({ length: ARCHIVE_LIMITS.entries + 1 }, (_, index) => ({
      name: `${REF}/att-${index}.jpg`,
      data: "",
    }));

    expect((await open(zipOf(many.slice(1)))).ok).toBe(true);
    expect(await refusal(zipOf(many))).toMatch(/more than 200 entries/);
    expect(await refusal(zipOf(many, { count: 5 }))).toMatch(/directory is broken/);
  });

  it("for more bytes than allowed, packed or unpacked", async () => {
    const half = Buffer.alloc(ARCHIVE_LIMITS.bytes / 2 + 1);
    for (let at = 0, seed = 1; at < half.length; at += 20) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      half[at] = seed >>> 16;
    }
    expect(
      await refusal(
        zipOf([
          { name: NAME, data: half, method: 8 },
          { name: PHOTO, data: half, method: 8 },
        ]),
      ),
    ).toMatch(/^too_large/);
    expect(await refusal(new Uint8Array(ARCHIVE_LIMITS.bytes + 300_000))).toMatch(/^too_large/);
  });

  it("for a stream that breaks", async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("the line went dead"));
      },
    });

    expect(await readArchive(broken)).toMatchObject({ ok: false, error: { code: "bad_archive" } });
  });

  it("wherever it is cut off", async () => {
    const whole = zipOf([
      { ...file, method: 8 },
      { name: PHOTO, data: "photo" },
    ]);
    for (let length = 0; length < whole.length; length++) await refusal(whole.subarray(0, length));
  });

  it("or read as it was meant, when bytes of it are changed: never an exception", async () => {
    const whole = zipOf([
      { ...file, method: 8 },
      { name: PHOTO, data: "photo" },
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const bytes = Buffer.from(whole);
          for (const [at, byte] of changes) bytes[at] = byte;

          const read = await open(bytes);

          if (read.ok) {
            for (const name of read.value.keys()) expect(name).toMatch(/^2026-05-06-012\//);
          } else expect(read.error.code).toMatch(/^(bad_archive|too_large)$/);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("for any garbage", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await refusal(bytes);
      }),
      { numRuns: 200 },
    );
  });
});
