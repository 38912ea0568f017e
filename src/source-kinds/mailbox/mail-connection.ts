/** Lines and counted bytes over a connection to a mail server, within limits of time and size. */
import { concatBytes } from "../../bytes.ts";
import type { Egress, EgressSocket } from "../../egress/egress.ts";
import type { KindFailure } from "../source-kind.ts";

/** A list of 10,000 numbers of ten digits fits. */
const MAX_LINE_BYTES = 128 * 1024;
const LF = 0x0a;

/** Ends a session with a mail server. The kind returns the failure as its result. */
export class MailServerError extends Error {
  readonly failure: KindFailure;
  /** The server understood the command and does not do it, also later. */
  readonly isRefusal: boolean;

  constructor(
    reason: string,
    { isRefusal, ...more }: Omit<KindFailure, "reason"> & { isRefusal?: true } = {},
  ) {
    super(reason);
    this.failure = { reason, ...more };
    this.isRefusal = isRefusal === true;
  }
}

export interface MailServer {
  host: string;
  port: number;
}

export class MailConnection {
  readonly host: string;
  readonly #late: Promise<never>;
  #socket: EgressSocket;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  /** Received bytes, of which those before `#at` have been read. */
  #chunk = new Uint8Array();
  #at = 0;

  constructor(socket: EgressSocket, host: string, deadline: AbortSignal) {
    this.host = host;
    this.#socket = socket;
    this.#reader = socket.readable.getReader();
    this.#writer = socket.writable.getWriter();
    this.#late = new Promise((_resolve, reject) => {
      const fail = () => reject(new MailServerError(`${host} did not answer in time`));
      if (deadline.aborted) fail();
      else deadline.addEventListener("abort", fail, { once: true });
    });
    this.#late.catch(() => undefined);
  }

  /** Without the line break, one character for each byte. */
  async readLine(): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (true) {
      if (this.#at === this.#chunk.length) await this.#receive();
      const end = this.#chunk.indexOf(LF, this.#at);
      const part = this.#chunk.subarray(this.#at, end === -1 ? undefined : end);
      parts.push(part);
      size += part.length;
      if (size > MAX_LINE_BYTES) throw new MailServerError(`${this.host} sent too long a line`);
      this.#at += part.length + (end === -1 ? 0 : 1);
      if (end !== -1) break;
    }
    const line = new TextDecoder("latin1").decode(concatBytes(parts));
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  async readBytes(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    let size = 0;
    while (size < count) {
      if (this.#at === this.#chunk.length) await this.#receive();
      const part = this.#chunk.subarray(this.#at, this.#at + count - size);
      bytes.set(part, size);
      size += part.length;
      this.#at += part.length;
    }
    return bytes;
  }

  async #receive(): Promise<void> {
    const { done, value } = await this.#guard(this.#reader.read());
    if (done || !value) throw this.#buildInterrupted();
    this.#chunk = value as Uint8Array<ArrayBuffer>;
    this.#at = 0;
  }

  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    await this.#guard(this.#writer.write(bytes));
  }

  get canStartTls(): boolean {
    return this.#socket.startTls !== undefined;
  }

  /** Bytes that arrived before the encryption are dropped: anybody on the way could have added them. */
  startTls(): void {
    this.#reader.releaseLock();
    this.#writer.releaseLock();
    this.#socket = this.#socket.startTls!();
    this.#reader = this.#socket.readable.getReader();
    this.#writer = this.#socket.writable.getWriter();
    this.#at = this.#chunk.length;
  }

  /** Waits for nothing: a server that takes no more bytes could delay the end. */
  close(): void {
    this.#socket.close().catch(() => undefined);
  }

  async #guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#late]);
    } catch (error) {
      throw error instanceof MailServerError ? error : this.#buildInterrupted();
    }
  }

  readonly #buildInterrupted = (): MailServerError =>
    new MailServerError(`the connection to ${this.host} was interrupted`);
}

/**
 * Runs `work` on a connection that is closed afterwards. @param field of the settings that names the server
 * @returns the failure instead of throwing it
 */
export async function withMailServer<T>(
  egress: Pick<Egress, "connect">,
  { server, field, timeoutMs }: { server: MailServer; field: string; timeoutMs: number },
  work: (connection: MailConnection) => Promise<T>,
): Promise<{ ok: true; value: T } | ({ ok: false } & KindFailure)> {
  const { host, port } = server;
  const opened = await egress.connect(server);
  if (!opened.ok) {
    const { code, message } = opened.error;
    return code === "bad_field"
      ? { ok: false, reason: `${message}: check ${field}`, isPermanent: true }
      : { ok: false, reason: `${host} cannot be reached on port ${port}: check ${field}` };
  }
  const connection = new MailConnection(opened.value, host, AbortSignal.timeout(timeoutMs));
  try {
    return { ok: true, value: await work(connection) };
  } catch (error) {
    if (error instanceof MailServerError) return { ok: false, ...error.failure };
    throw error;
  } finally {
    connection.close();
  }
}
