import { describe, expect, it } from "vitest";
import {
  type ArchivedThread,
  buildHouseholdZip,
  buildThreadZip,
} from "../../../src/attachments/archive-writer.ts";
import { readArchive } from "../../../src/attachments/archive-reader.ts";
import type { Attachment } from "../../../src/mess/envelope.ts";
import { readLayout } from "../../../src/mess/messe-af/layout.ts";
import { writeThreadFiles } from "../../../src/mess/messe-af/write.ts";
import type { Status } from "../../../src/mess/status.ts";
import { toStream } from "../../support/media/zip.ts";

const MODIFIED = new Date("2026-05-06T07:08:10Z");

/** Bytes that look like parts of a zip file, which a reader must not mistake for one. */
const buildContents = ({ name }: Attachment) =>
  Buffer.from(`PK\u0003\u0004 ${name} PK\u0001\u0002`);
const open = async (attachment: Attachment) => toStream(buildContents(attachment), 5);

function buildThread(ref: string, status: Status, files: string[]): ArchivedThread {
  const at = "2026-05-06T07:08:10+00:00";
  return {
    envelope: {
      ref,
      requestor: "planner",
      executor: "mira",
      status,
      created: at,
      updated: at,
      intent: "photograph the meter",
      priority: "normal",
      history: [{ action: "created", at, by: "planner" }],
    },
    messages: [
      { from: "planner", received: at, MESS: [{ request: { intent: "photograph the meter" } }] },
    ],
    attachments: files.map((name) => {
      const attachment = { name, serial: 1, mime: "image/jpeg", size: 0, key: `k/${name}` };
      return { ...attachment, size: buildContents(attachment).length };
    }),
  };
}

const readBytes = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream as BodyInit).arrayBuffer());

const thread = buildThread("2026-05-06-012-meter", "completed", [
  "att-001-image-a.jpg",
  "att-001-image-a-2.jpg",
]);

describe("a thread's archive", () => {
  it("a thread's archive contains the thread's directory, and reads back as the same thread", async () => {
    const archive = buildThreadZip(thread, open, MODIFIED);

    const read = await readArchive(archive.stream);

    if (!read.ok) throw new Error(read.error.message);
    const [file] = writeThreadFiles(thread);
    expect([...read.value].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      [`2026-05-06-012-meter/${file?.name}`, file?.text],
      ...thread.attachments.map((one) => [
        `2026-05-06-012-meter/${one.name}`,
        buildContents(one).toString(),
      ]),
    ]);
    expect(readLayout([...read.value.keys()])).toMatchObject({
      ok: true,
      value: { threads: [{ ref: "2026-05-06-012-meter" }] },
    });
  });

  it("a thread's archive has the announced length, and is the same at every export", async () => {
    const archive = buildThreadZip(thread, open, MODIFIED);
    const bytes = await readBytes(archive.stream);

    expect(BigInt(bytes.length)).toBe(archive.size);
    expect(await readBytes(buildThreadZip(thread, open, MODIFIED).stream)).toEqual(bytes);
  });

  it("the stream of a thread's archive fails if the bytes of an attachment are missing", async () => {
    const archive = buildThreadZip(thread, async () => null, MODIFIED);

    await expect(readBytes(archive.stream)).rejects.toThrow(/att-001-image-a\.jpg/);
  });

  it("a thread's archive has no colon in its file names", async () => {
    const read = await readArchive(
      buildThreadZip(buildThread("shop:7", "pending", []), open, MODIFIED).stream,
    );

    expect(read.ok && [...read.value.keys()]).toEqual(["shop_7/000-shop_7.messe-af.yaml"]);
  });
});

describe("a household's archive", () => {
  it("a household's archive sorts its threads by their partitions", async () => {
    async function* listThreads() {
      yield buildThread("2026-05-06-001", "pending", []);
      yield buildThread("2026-05-06-002", "in_progress", ["att-000-image-b.jpg"]);
      yield buildThread("2026-05-06-003", "partial", []);
      yield buildThread("2026-05-06-004", "expired", []);
    }

    const read = await readArchive(buildHouseholdZip(listThreads(), open, () => MODIFIED));

    expect(read.ok && [...read.value.keys()]).toEqual([
      "state=received/2026-05-06-001/000-2026-05-06-001.messe-af.yaml",
      "state=executing/2026-05-06-002/000-2026-05-06-002.messe-af.yaml",
      "state=executing/2026-05-06-002/att-000-image-b.jpg",
      "state=finished/2026-05-06-003/000-2026-05-06-003.messe-af.yaml",
      "state=canceled/2026-05-06-004/000-2026-05-06-004.messe-af.yaml",
    ]);
  });

  it("a household's archive reads one thread at a time, and opens one attachment at a time", async () => {
    let taken = 0;
    let opened = 0;
    async function* listThreads() {
      for (let serial = 1; serial <= 100; serial++) {
        taken++;
        yield buildThread(`2026-05-06-${String(serial).padStart(3, "0")}`, "completed", [
          "att-001-image-a.jpg",
        ]);
      }
    }
    const openAndCount = async (attachment: Attachment) => {
      opened++;
      return open(attachment);
    };
    const reader = buildHouseholdZip(listThreads(), openAndCount, () => MODIFIED).getReader();
    for (let chunk = 0; chunk < 3; chunk++) await reader.read();

    expect(taken).toBeLessThan(5);
    expect(opened).toBeLessThanOrEqual(taken);
    await reader.cancel();
  });

  it("a household's archive continues after an attachment whose bytes are missing", async () => {
    async function* listThreads() {
      yield buildThread("2026-05-06-001", "completed", ["att-001-image-a.jpg"]);
      yield buildThread("2026-05-06-002", "completed", []);
    }

    const read = await readArchive(
      buildHouseholdZip(
        listThreads(),
        async () => null,
        () => MODIFIED,
      ),
    );

    expect(read.ok && read.value.size).toBe(2);
  });
});
