/** Reads JSON-RPC messages from a response of Streamable HTTP: one in JSON, or several as server-sent events. */
import { isMap, type JsonMap } from "../../mess/json.ts";

/** Maximum bytes of one response: a result with photos. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** The response was longer than the limit. */
export class ResponseTooLong extends Error {}

/**
 * Yields the messages as they arrive. Invalid messages are skipped; a response of another media type has none.
 * @param onData called for every chunk, including the comments that keep a stream open
 * @throws ResponseTooLong, and the error of a stream that breaks
 */
export async function* readMessageStream(
  response: Response,
  onData?: () => void,
): AsyncGenerator<JsonMap> {
  const type = (response.headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type === "text/event-stream") {
    for await (const data of readEventData(splitLines(decodeStream(response, onData))))
      yield* parseMessages(data);
    return;
  }
  let text = "";
  for await (const piece of decodeStream(response, onData)) text += piece;
  if (type === "application/json") yield* parseMessages(text);
}

/** Servers of the first revision may answer with a batch. */
function parseMessages(text: string): JsonMap[] {
  try {
    const read: unknown = JSON.parse(text);
    return (Array.isArray(read) ? read : [read]).filter((one): one is JsonMap => isMap(one));
  } catch {
    return [];
  }
}

/** The `data` of every event of type `message` (HTML, 9.2.6). */
async function* readEventData(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let data: string[] = [];
  let type = "";
  for await (const line of lines) {
    if (line === "") {
      if (data.length > 0 && (type === "" || type === "message")) yield data.join("\n");
      data = [];
      type = "";
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    if (field === "event") type = value;
  }
}

/** Lines end with CRLF, LF or CR. A CR at the end of a chunk may be the first half of a CRLF. */
async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let remainder: string[] = [];
  let endsWithReturn = false;
  for await (const piece of chunks) {
    const text = endsWithReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    endsWithReturn = piece === "" ? endsWithReturn : piece.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    for (const [index, line] of lines.entries()) {
      remainder.push(line);
      if (index === lines.length - 1) continue;
      yield remainder.join("");
      remainder = [];
    }
  }
}

async function* decodeStream(response: Response, onData?: () => void): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      onData?.();
      size += value.byteLength;
      if (size > MAX_RESPONSE_BYTES) throw new ResponseTooLong();
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
