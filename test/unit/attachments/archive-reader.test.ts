import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ARCHIVE_LIMITS, readArchive } from "../../../src/attachments/archive-reader.ts";
import type { MessError } from "../../../src/mess/errors.ts";
import { type PackedEntry, toStream, buildZip } from "../../support/media/zip.ts";

const REF = "2026-05-06-012";
const NAME = `${REF}/000-${REF}.messe-af.yaml`;
const PHOTO = `${REF}/att-001-image-a.jpg`;
const file: PackedEntry = { name: NAME, data: "ref: a\n" };
const toText = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

const open = async (bytes: Uint8Array) => readArchive(toStream(bytes));

/** The refusal of the bytes; throws if they are accepted. */
async function readRefusal(bytes: Uint8Array): Promise<MessError> {
  const read = await open(bytes);
  if (read.ok) throw new Error(`read: ${[...read.value.keys()].join(", ")}`);
  expect(read.error.code).toMatch(/^(bad_archive|too_large)$/);
  return read.error;
}

/** An error in one entry is refused with the entry's name, an error of the whole archive without. */
const ofEntry = { code: "bad_archive", message: expect.stringContaining(REF) as string };
const ofArchive = { code: "bad_archive", message: expect.not.stringContaining(REF) as string };

describe("reading an archive", () => {
  it("readArchive returns stored and deflated entries, and leaves out directories", async () => {
    const long = "a line of the thread\n".repeat(50);

    const read = await open(
      buildZip(
        [
          { name: `${REF}/`, data: "", mode: 0o040755 },
          { name: NAME, data: long, method: 8, mode: 0o100644 },
          { name: PHOTO, data: "PK\u0003\u0004 looks like an entry" },
        ],
        { comment: "written by hand" },
      ),
    );

    expect(read.ok && [...read.value.keys()]).toEqual([NAME, PHOTO]);
    expect(read.ok && toText(read.value.get(NAME))).toBe(long);
    expect(read.ok && toText(read.value.get(PHOTO))).toBe("PK\u0003\u0004 looks like an entry");
  });

  it("readArchive returns any bytes unchanged, however they are split into chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.constantFrom(0, 8),
        fc.integer({ min: 1, max: 50 }),
        async (data, method, piece) => {
          const read = await readArchive(
            toStream(buildZip([{ name: PHOTO, data, method }]), piece),
          );

          expect(read.ok && Buffer.from(read.value.get(PHOTO) ?? [])).toEqual(Buffer.from(data));
        },
      ),
      { numRuns: 100 },
    );
  });

  it.skipIf(spawnSync("zip", ["-v"]).status !== 0)(
    "readArchive reads an archive that the zip tool wrote",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "zip-"));
      mkdirSync(join(folder, REF));
      writeFileSync(join(folder, NAME), "ref: from the tool\n".repeat(20));
      execFileSync("zip", ["-q", "-r", "a.zip", REF], { cwd: folder });

      const read = await open(readFileSync(join(folder, "a.zip")));

      rmSync(folder, { recursive: true });
      expect(read.ok && toText(read.value.get(NAME))).toBe("ref: from the tool\n".repeat(20));
    },
  );
});

/** Archives with one error in an entry; equal numbers mark errors of the same kind. */
const FAULTY_ENTRIES: [string, PackedEntry[], number][] = [
  ["a path out of the archive", [{ ...file, name: `../${NAME}` }], 1],
  ["an absolute path", [{ ...file, name: `/${NAME}` }], 1],
  ["a drive letter", [{ ...file, name: `C:\\${REF}.messe-af` }], 1],
  ["a name in UTF-8", [{ ...file, name: `${REF}/\u00c3\u00a4.jpg` }], 1],
  ["an archive in the archive", [file, { name: `${REF}/att-001-file-a.zip`, data: "" }], 2],
  ["a symbolic link", [file, { name: PHOTO, data: "/etc/passwd", mode: 0o120777 }], 3],
  ["a device", [file, { name: PHOTO, data: "", mode: 0o060666 }], 3],
  ["an encrypted entry", [{ ...file, flags: 1 }], 4],
  ["an encrypted directory", [{ ...file, flags: 0x2000 }], 4],
  ["an unknown compression method", [{ ...file, method: 12 }], 5],
  ["a duplicate name", [file, file], 6],
  ["a wrong checksum", [{ ...file, lie: { crc: 1 } }], 7],
  ["more bytes than its size", [{ ...file, method: 8, lie: { size: 3 } }], 7],
  ["fewer bytes than its size", [{ ...file, method: 8, lie: { size: 300 } }], 7],
  ["two different sizes of a stored entry", [{ ...file, lie: { size: 3 } }], 8],
  ["another name before its bytes", [{ ...file, lie: { localName: PHOTO } }], 9],
  ["an offset without an entry", [{ ...file, lie: { offset: 9999 } }], 10],
  ["a directory with contents", [{ name: `${REF}/`, data: "hidden" }], 11],
  ["data beyond the end", [{ ...file, lie: { size: 9999, packedSize: 9999 } }], 12],
  ["a size beyond the allowed ratio", [buildBomb()], 13],
];

/** 2 MB of zeros, compressed to about 2 KB. */
function buildBomb(): PackedEntry {
  return { name: PHOTO, data: new Uint8Array(2_000_000), method: 8 };
}

describe("refusals of an archive", () => {
  it.each(FAULTY_ENTRIES)(
    "an archive with %s is refused with the name of the entry",
    async (_, entries) => {
      expect(await readRefusal(buildZip(entries))).toMatchObject(ofEntry);
    },
  );

  it("an archive with deflated data of length zero is refused with the name of the entry", async () => {
    const empty = buildZip([{ ...file, method: 8, lie: { packedSize: 0 } }]);
    expect(await readRefusal(empty)).toMatchObject(ofEntry);
  });

  it("the refusal of an invalid entry names the kind of error", async () => {
    const kinds = new Map<number, Set<string>>();
    for (const [, entries, kind] of FAULTY_ENTRIES) {
      const { message } = await readRefusal(buildZip(entries));
      kinds.set(kind, (kinds.get(kind) ?? new Set()).add(message.replace(/".*"/, "")));
    }

    const messages = [...kinds.values()];
    expect(messages.map(({ size }) => size)).toEqual(messages.map(() => 1));
    expect(new Set(messages.flatMap((each) => [...each])).size).toBe(kinds.size);
  });

  it("an archive whose entries overlap is refused as a whole", async () => {
    const shared = buildZip([file, { ...file, lie: { offset: 0 } }]);

    expect(await readRefusal(shared)).toMatchObject(ofArchive);
  });

  it("an archive whose directory does not have the stated length is refused as a whole", async () => {
    expect(await readRefusal(buildZip([file], { size: 10 }))).toMatchObject(ofArchive);
  });

  it("a deflate bomb that hides its size is refused once it exceeds that size", async () => {
    const lying = { ...buildBomb(), lie: { size: 1000 } };
    const damaged = await readRefusal(
      buildZip([file, { name: PHOTO, data: "photo", lie: { crc: 1 } }]),
    );

    expect(await readRefusal(buildZip([file, lying]))).toEqual(damaged);
  });

  it("an archive with more entries than allowed is refused, whatever number it states", async () => {
    const many = Array.from({ length: ARCHIVE_LIMITS.maxEntries + 1 }, (_, index) => ({
      name: `${REF}/att-${index}.jpg`,
      data: "",
    }));

    expect((await open(buildZip(many.slice(1)))).ok).toBe(true);
    const honest = await readRefusal(buildZip(many));
    expect(honest).toMatchObject(ofArchive);
    expect(honest.message).toContain(String(ARCHIVE_LIMITS.maxEntries));
    expect(await readRefusal(buildZip(many, { count: 5 }))).toMatchObject(ofArchive);
  });

  it("an archive with more bytes than allowed is refused, packed or unpacked", async () => {
    const half = Buffer.alloc(ARCHIVE_LIMITS.maxBytes / 2 + 1);
    for (let at = 0, seed = 1; at < half.length; at += 20) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      half[at] = seed >>> 16;
    }
    expect(
      await readRefusal(
        buildZip([
          { name: NAME, data: half, method: 8 },
          { name: PHOTO, data: half, method: 8 },
        ]),
      ),
    ).toMatchObject({ code: "too_large" });
    const long = new Uint8Array(ARCHIVE_LIMITS.maxBytes + 300_000);
    expect(await readRefusal(long)).toMatchObject({ code: "too_large" });
  });

  it("an archive whose stream fails is refused", async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("the line went dead"));
      },
    });

    expect(await readArchive(broken)).toMatchObject({ ok: false, error: { code: "bad_archive" } });
  });

  it("a truncated archive is refused, wherever it ends", async () => {
    const whole = buildZip([
      { ...file, method: 8 },
      { name: PHOTO, data: "photo" },
    ]);
    for (let length = 0; length < whole.length; length++)
      await readRefusal(whole.subarray(0, length));
  });

  it("an archive with changed bytes is read or refused, and never throws", async () => {
    const whole = buildZip([
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

  it("bytes that are not an archive are refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await readRefusal(bytes);
      }),
      { numRuns: 200 },
    );
  });
});
