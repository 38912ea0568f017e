/**
 * Writes archives: a thread as `{ref}.messe-af.zip`, a household as `state=…/` folders (protocol §13.1). Output is
 * streamed and deterministic: entries are not compressed and have the times of their threads. Attachments are read
 * through `openAttachment`.
 */
import { makeZip, predictLength } from "client-zip";
import type { Attachment, Thread } from "../mess/envelope.ts";
import { buildThreadDirectory } from "../mess/messe-af/layout.ts";
import { type ThreadFile, writeThreadFiles } from "../mess/messe-af/write.ts";

/** A thread with its attachments. */
export interface ArchivedThread extends Thread {
  attachments: Attachment[];
}

/** Opens the bytes of an attachment; null where they no longer exist. */
export type OpenAttachment = (attachment: Attachment) => Promise<ReadableStream<Uint8Array> | null>;

interface ZipEntry<Input = Uint8Array | ReadableStream<Uint8Array>> {
  name: string;
  lastModified: Date;
  input: Input;
}

/** A file of an archive that is read while the archive is streamed. */
export interface ZipFile {
  name: string;
  input: ReadableStream<Uint8Array>;
}

/** The time of files without one of their own, so that equal contents give an equal archive. */
const EARLIEST_ZIP_TIME = new Date(1980, 0, 1);

const textEncoder = new TextEncoder();

/** Wraps the zip's stream so that canceling it succeeds: `cancel` of client-zip's own stream rejects. */
function createZipStream(entries: AsyncGenerator<ZipEntry>): ReadableStream<Uint8Array> {
  const reader = makeZip(entries).getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await reader.cancel(reason).catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Builds the encoded text files of a thread with their names in the archive. */
const buildTextEntries = (
  thread: Thread,
  directory: string,
  lastModified: Date,
): ZipEntry<Uint8Array>[] =>
  writeThreadFiles(thread).map(({ name, text }) => ({
    name: `${directory}/${name}`,
    lastModified,
    input: textEncoder.encode(text),
  }));

/** The number of entries of a thread in an archive, and their bytes. */
export function measureThread(thread: ArchivedThread): { entries: number; bytes: number } {
  const files = [
    ...buildTextEntries(thread, "", EARLIEST_ZIP_TIME).map(({ input }) => input.byteLength),
    ...thread.attachments.map(({ size }) => size),
  ];
  return { entries: files.length, bytes: files.reduce((sum, size) => sum + size, 0) };
}

/**
 * Builds the archive of one thread.
 * @param modified the time of every entry: the thread's `updated`
 * @returns the stream with its exact size in bytes. The stream fails where an attachment is missing or has another
 * size than recorded, so that an incomplete archive is not mistaken for a complete one.
 */
export function buildThreadZip(
  thread: ArchivedThread,
  openAttachment: OpenAttachment,
  modified: Date,
): { stream: ReadableStream<Uint8Array>; size: bigint } {
  const directory = buildThreadDirectory(thread.envelope, false);
  const texts = buildTextEntries(thread, directory, modified);
  async function* listEntries(): AsyncGenerator<ZipEntry> {
    for (const text of texts) yield text;
    for (const attachment of thread.attachments) {
      const input = await openAttachment(attachment);
      if (!input) throw new Error(`the bytes of attachment ${attachment.name} are missing`);
      yield { name: `${directory}/${attachment.name}`, lastModified: modified, input };
    }
  }
  const sizes = [
    ...texts.map(({ name, input }) => ({ name, size: input.byteLength })),
    ...thread.attachments.map(({ name, size }) => ({ name: `${directory}/${name}`, size })),
  ];
  return { stream: createZipStream(listEntries()), size: predictLength(sizes) };
}

/**
 * Builds the archive of a household, `state=…/{ref}/…`, with one thread in memory at a time. A missing attachment is
 * left out, although its thread names it, so that one lost file does not prevent an export.
 * @param getModified the time of a thread's entries: its `updated`
 * @param documents files at the top of the archive
 * @param files further files, at its end
 */
export function buildHouseholdZip(
  threads: AsyncIterable<ArchivedThread>,
  openAttachment: OpenAttachment,
  getModified: (thread: ArchivedThread) => Date,
  documents: readonly ThreadFile[] = [],
  files: AsyncIterable<ZipFile> | readonly ZipFile[] = [],
): ReadableStream<Uint8Array> {
  async function* listEntries(): AsyncGenerator<ZipEntry> {
    for (const { name, text } of documents)
      yield { name, lastModified: EARLIEST_ZIP_TIME, input: textEncoder.encode(text) };
    for await (const thread of threads) {
      const directory = buildThreadDirectory(thread.envelope, true);
      const lastModified = getModified(thread);
      // Not `yield*`: a canceled download throws into the generator, which an array's iterator does not support.
      for (const text of buildTextEntries(thread, directory, lastModified)) yield text;
      for (const attachment of thread.attachments) {
        const input = await openAttachment(attachment);
        if (input) yield { name: `${directory}/${attachment.name}`, lastModified, input };
      }
    }
    for await (const { name, input } of files)
      yield { name, lastModified: EARLIEST_ZIP_TIME, input };
  }
  return createZipStream(listEntries());
}
