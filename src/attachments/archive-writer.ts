/**
 * Writing archives: a thread as `{ref}.messe-af.zip`, a household as `state=…/` folders (protocol §13.1).
 * Everything streams, entries are stored as they are, and the times are the threads' own, so that the same record
 * gives the same bytes. Attachments come from wherever `openAttachment` finds them; this file knows no bucket.
 */
import { makeZip, predictLength } from "client-zip";
import type { Attachment, Thread } from "../mess/envelope.ts";
import { buildThreadDirectory } from "../mess/messe-af/layout.ts";
import { writeThreadFiles } from "../mess/messe-af/write.ts";

/** A thread with what a file holds beside its texts. */
export interface ArchivedThread extends Thread {
  attachments: Attachment[];
}

/** The bytes of an attachment, or null where they are gone. */
export type OpenAttachment = (attachment: Attachment) => Promise<ReadableStream<Uint8Array> | null>;

interface ZipEntry {
  name: string;
  lastModified: Date;
  input: Uint8Array | ReadableStream<Uint8Array>;
}

const textEncoder = new TextEncoder();

/** The zip's stream, which ends in silence when its reader goes away: client-zip's own would fail its `cancel`. */
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

/** The text files of a thread, named as in the archive and encoded. */
const buildTextEntries = (thread: Thread, directory: string, lastModified: Date): ZipEntry[] =>
  writeThreadFiles(thread).map(({ name, text }) => ({
    name: `${directory}/${name}`,
    lastModified,
    input: textEncoder.encode(text),
  }));

/**
 * The archive of one thread.
 * @param modified the time of every entry: the thread's `updated`.
 * @returns the stream with its exact size in bytes. It fails in the middle where an attachment's bytes are gone or
 * are not as many as recorded: such an archive must not look whole.
 */
export function buildThreadZip(
  thread: ArchivedThread,
  openAttachment: OpenAttachment,
  modified: Date,
): { stream: ReadableStream<Uint8Array>; size: bigint } {
  const directory = buildThreadDirectory(thread.envelope, false);
  const texts = buildTextEntries(thread, directory, modified);
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (const text of texts) yield text;
    for (const attachment of thread.attachments) {
      const input = await openAttachment(attachment);
      if (!input) throw new Error(`attachment ${attachment.name} of a thread has no bytes`);
      yield { name: `${directory}/${attachment.name}`, lastModified: modified, input };
    }
  }
  const sizes = [
    ...texts.map(({ name, input }) => ({ name, size: (input as Uint8Array).byteLength })),
    ...thread.attachments.map(({ name, size }) => ({ name: `${directory}/${name}`, size })),
  ];
  return { stream: createZipStream(entries()), size: predictLength(sizes) };
}

/**
 * The archive of a household: `state=…/{ref}/…`, one thread in memory at a time. An attachment whose bytes are gone
 * is left out, its thread still naming it: one lost file must not keep a household from taking its threads away.
 * @param getModified the time of a thread's entries: its `updated`.
 */
export function buildHouseholdZip(
  threads: AsyncIterable<ArchivedThread>,
  openAttachment: OpenAttachment,
  getModified: (thread: ArchivedThread) => Date,
): ReadableStream<Uint8Array> {
  async function* entries(): AsyncGenerator<ZipEntry> {
    for await (const thread of threads) {
      const directory = buildThreadDirectory(thread.envelope, true);
      const lastModified = getModified(thread);
      // Not `yield*`: a cancelled download throws into the generator, which a list's iterator cannot take.
      for (const text of buildTextEntries(thread, directory, lastModified)) yield text;
      for (const attachment of thread.attachments) {
        const input = await openAttachment(attachment);
        if (input) yield { name: `${directory}/${attachment.name}`, lastModified, input };
      }
    }
  }
  return createZipStream(entries());
}
