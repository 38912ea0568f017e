/** A small Redis client for the comparison of AI groups: one connection, commands and replies of RESP2. */
import { connect, type Socket } from "node:net";
import { HOST } from "../../scripts/lib/exchange/ports.ts";

export type RedisReply = string | number | null | RedisReply[];

interface Waiting {
  resolve: (reply: RedisReply) => void;
  reject: (error: Error) => void;
}

export class RedisClient {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #unread = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => {
      this.#unread = Buffer.concat([this.#unread, chunk]);
      this.#readReplies();
    });
    socket.on("close", () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("Redis has disconnected"));
    });
  }

  static connect(port: number): Promise<RedisClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, HOST, () => resolve(new RedisClient(socket)));
      socket.once("error", reject);
    });
  }

  /** Sends one command. Commands of one connection run one after the other, so BLPOP needs a connection of its own. */
  send(...parts: string[]): Promise<RedisReply> {
    const words = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(`*${parts.length}\r\n${words.join("")}`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #readReplies(): void {
    for (;;) {
      const read = readReply(this.#unread, 0);
      const waiting = this.#waiting[0];
      if (!read || !waiting) return;
      this.#unread = this.#unread.subarray(read.end);
      this.#waiting.shift();
      if (read.value instanceof Error) waiting.reject(read.value);
      else waiting.resolve(read.value);
    }
  }
}

/** Reads the reply that starts at `start`; undefined while a part of it is missing. */
function readReply(
  bytes: Buffer,
  start: number,
): { value: RedisReply | Error; end: number } | undefined {
  const lineEnd = bytes.indexOf("\r\n", start);
  if (lineEnd < 0) return undefined;
  const kind = bytes.toString("latin1", start, start + 1);
  const line = bytes.toString("utf8", start + 1, lineEnd);
  const end = lineEnd + 2;
  if (kind === "+") return { value: line, end };
  if (kind === "-") return { value: new Error(line), end };
  if (kind === ":") return { value: Number(line), end };
  const length = Number(line);
  if (length < 0) return { value: null, end };
  if (kind === "$") {
    const next = end + length + 2;
    return bytes.length < next
      ? undefined
      : { value: bytes.toString("utf8", end, end + length), end: next };
  }
  return readList(bytes, end, length);
}

function readList(
  bytes: Buffer,
  start: number,
  length: number,
): { value: RedisReply[]; end: number } | undefined {
  const value: RedisReply[] = [];
  let end = start;
  for (let index = 0; index < length; index++) {
    const item = readReply(bytes, end);
    if (!item || item.value instanceof Error) return undefined;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}
