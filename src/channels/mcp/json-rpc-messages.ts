/** JSON-RPC messages in an answer of Streamable HTTP: one in JSON, or several as server-sent events. */
import { isMap, type JsonMap } from "../../mess/json.ts";

/** Bytes of one answer: a result with photos in it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The answer was longer than is read. */
export class AnswerTooLong extends Error {}

/**
 * The messages as they come. What is no message is passed over; an answer of another type has none. Throws `AnswerTooLong`,
 * and what the stream throws when it breaks.
 * @param onData told of every piece that comes, also where it is the comment with which a stream is kept open
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

/** A batch is what servers of the first revision may answer with. */
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

/** Lines end with CRLF, LF or CR; a CR at the end of a piece may be the half of a CRLF. */
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
      if (size > MAX_ANSWER_BYTES) throw new AnswerTooLong();
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
