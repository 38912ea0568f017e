/** Copies a sender's stream of declared length into a sink, and verifies the length. */
import { concatBytes } from "../bytes.ts";
import { readChunk } from "../read-chunk.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The first bytes of a stream, and the chunks that were read for them. */
export interface StreamHead {
  head: Uint8Array;
  chunks: readonly Uint8Array[];
  /** The stream failed while the head was read. */
  broken: boolean;
}

/** Reads until `minBytes` bytes are there, or the stream ends or fails. */
export async function readHead(reader: Reader, minBytes: number): Promise<StreamHead> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let broken = false;
  while (length < minBytes && !broken) {
    const read = await readChunk(reader);
    if (read === "end") break;
    if (typeof read === "string") broken = true;
    else {
      chunks.push(read);
      length += read.byteLength;
    }
  }
  return { head: concatBytes(chunks), chunks, broken };
}

/**
 * Writes the head and the rest of the stream. Returns true when the stream had exactly `size` bytes; otherwise
 * aborts the sink, cancels the stream and returns false. Rejects when the sink fails.
 */
export async function copyExactly(
  streamHead: StreamHead,
  reader: Reader,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  size: number,
): Promise<boolean> {
  const pending = [...streamHead.chunks];
  let bytesLeft = size;
  let read: Uint8Array | "end" | "broken" | "late" = streamHead.broken ? "broken" : "end";
  try {
    if (!streamHead.broken)
      for (;;) {
        read = pending.shift() ?? (await readChunk(reader));
        if (typeof read === "string" || read.byteLength > bytesLeft) break;
        bytesLeft -= read.byteLength;
        await writer.write(read);
      }
  } catch (error) {
    // Report the sink's failure to the caller; a failure to cancel the stream does not matter.
    await reader.cancel(error).catch(() => undefined);
    throw error;
  }
  if (read === "end" && bytesLeft === 0) {
    await writer.close();
    return true;
  }
  const reason = new Error("the stream does not have the declared length");
  await Promise.allSettled([writer.abort(reason), reader.cancel(reason)]);
  return false;
}

/** Returns the stream's bytes where there are exactly `size`, else undefined. */
export async function readExactly(
  streamHead: StreamHead,
  reader: Reader,
  size: number,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(size);
  let at = 0;
  const sink = new WritableStream<Uint8Array>({
    write(chunk) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    },
  });
  return (await copyExactly(streamHead, reader, sink.getWriter(), size)) ? bytes : undefined;
}
