/** JSON-RPC messages in an answer of Streamable HTTP: one in JSON, or several as server-sent events. */
import { isMap, type JsonMap } from "../../mess/json.ts";

/** Bytes of one answer: a result with photos in it. */
const MOST = 4 * 1024 * 1024;

/** The answer was longer than is read. */
export class TooLong extends Error {}

/**
 * The messages as they come. What is no message is passed over; an answer of another type has none. Throws `TooLong`,
 * and what the stream throws when it breaks.
 * @param heard told of every piece that comes, also where it is the comment with which a stream is kept open
 */
export async function* messagesOf(response: Response, heard?: () => void): AsyncGenerator<JsonMap> {
  const type = (response.headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type === "text/event-stream") {
    for await (const data of eventData(linesOf(textOf(response, heard)))) yield* readMessages(data);
    return;
  }
  let text = "";
  for await (const piece of textOf(response, heard)) text += piece;
  if (type === "application/json") yield* readMessages(text);
}

/** A batch is what servers of the first revision may answer with. */
function readMessages(text: string): JsonMap[] {
  try {
    const read: unknown = JSON.parse(text);
    return (Array.isArray(read) ? read : [read]).filter((one): one is JsonMap => isMap(one));
  } catch {
    return [];
  }
}

/** The `data` of every event of type `message` (HTML, 9.2.6). */
async function* eventData(lines: AsyncIterable<string>): AsyncGenerator<string> {
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
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  let half = false;
  for await (const piece of pieces) {
    const text = half && piece.startsWith("\n") ? piece.slice(1) : piece;
    half = piece === "" ? half : piece.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    for (const [index, line] of lines.entries()) {
      rest.push(line);
      if (index === lines.length - 1) continue;
      yield rest.join("");
      rest = [];
    }
  }
}

async function* textOf(response: Response, heard?: () => void): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      heard?.();
      size += value.byteLength;
      if (size > MOST) throw new TooLong();
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
