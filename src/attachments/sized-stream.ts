/** Moving a sender's stream into a sink of known length, without trusting the sender's word for the length. */
import { concatBytes } from "../bytes.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The first bytes of a stream, and what was read to get them. */
export interface StreamHead {
  head: Uint8Array;
  chunks: readonly Uint8Array[];
  /** The stream failed while the head was read. */
  broken: boolean;
}

/** Reads until there are `minBytes` bytes, or the stream ends or fails. */
export async function readHead(reader: Reader, minBytes: number): Promise<StreamHead> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let broken = false;
  while (length < minBytes && !broken) {
    const read = await readChunk(reader);
    if (read === "end") break;
    if (read === "broken") broken = true;
    else {
      chunks.push(read);
      length += read.byteLength;
    }
  }
  return { head: concatBytes(chunks), chunks, broken };
}

/**
 * Writes what was peeked and the rest. True when the stream held exactly `size` bytes; else the sink is aborted,
 * the sender is told to stop, and it is false. Rejects when the sink fails.
 */
export async function copyExactly(
  streamHead: StreamHead,
  reader: Reader,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  size: number,
): Promise<boolean> {
  const pending = [...streamHead.chunks];
  let left = size;
  let read: Uint8Array | "end" | "broken" = streamHead.broken ? "broken" : "end";
  try {
    if (!streamHead.broken)
      for (;;) {
        read = pending.shift() ?? (await readChunk(reader));
        if (typeof read === "string" || read.byteLength > left) break;
        left -= read.byteLength;
        await writer.write(read);
      }
  } catch (error) {
    // The sink's failure is what the caller must hear of; the sender's stream is only let go.
    await reader.cancel(error).catch(() => undefined);
    throw error;
  }
  if (read === "end" && left === 0) {
    await writer.close();
    return true;
  }
  const reason = new Error("the stream is not of the length that was announced");
  await Promise.allSettled([writer.abort(reason), reader.cancel(reason)]);
  return false;
}

/** The stream's bytes where there are exactly `size`, else undefined. */
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

async function readChunk(reader: Reader): Promise<Uint8Array | "end" | "broken"> {
  try {
    const { done, value } = await reader.read();
    return done ? "end" : value;
  } catch {
    return "broken";
  }
}
