/**
 * Writes the events of one stream, one at a time. Events that wait for a slow client are kept once each, so that a
 * stream that nobody reads does not grow.
 */

/** Proxies close connections on which nothing is sent for a minute or two. */
const KEEP_ALIVE_MS = 25_000;
/** Keep-alives that may come due during one write, before the client counts as gone. */
const MAX_UNREAD_KEEP_ALIVES = 2;

export class EventWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Set<string>();
  readonly #finish: () => void;
  #isWriting = false;
  #isClosing = false;
  #unreadKeepAlives = 0;

  /** Calls `onEnd` once the stream is closed, from either side. */
  constructor(writable: WritableStream<Uint8Array>, onEnd: () => void) {
    this.#writer = writable.getWriter();
    const timer = setInterval(() => this.#keepAlive(), KEEP_ALIVE_MS);
    this.#finish = () => {
      clearInterval(timer);
      onEnd();
    };
    this.#writer.closed.then(this.#finish, this.#finish);
  }

  /** Events that wait for a slow client. */
  get backlog(): number {
    return this.#waiting.size;
  }

  write(event: string): void {
    if (this.#isClosing) return;
    this.#waiting.add(event);
    if (!this.#isWriting) this.#writeAll().catch(() => this.close());
  }

  /** Closes the stream after the events that wait, which the keep-alives still limit. */
  close(): void {
    this.#isClosing = true;
    if (!this.#isWriting) this.#writer.close().catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    try {
      for (const event of this.#waiting) {
        this.#waiting.delete(event);
        await this.#writer.write(this.#encoder.encode(event));
        this.#unreadKeepAlives = 0;
      }
    } finally {
      this.#isWriting = false;
    }
    if (this.#isClosing) this.close();
  }

  #keepAlive(): void {
    if (++this.#unreadKeepAlives <= MAX_UNREAD_KEEP_ALIVES) {
      this.write(": keep-alive\n\n");
      return;
    }
    this.#writer.abort().catch(() => undefined);
    this.#finish();
  }
}

/**
 * Passes on a stream of which each chunk is one event, and drops it when its client does not read.
 * @param end is called when the returned stream ends, and must end `events`
 */
export function limitUnread(
  events: ReadableStream<Uint8Array>,
  end: () => void,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = new EventWriter(writable, end);
  const decoder = new TextDecoder();
  const copy = async () => {
    for await (const event of events) writer.write(decoder.decode(event));
  };
  copy()
    .finally(() => writer.close())
    .catch(() => undefined);
  return readable;
}
