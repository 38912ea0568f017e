/** A stream of server-sent events, which ends when the caller's credential does, and after 30 minutes at the latest. */
import { EventWriter } from "./event-writer.ts";

/** A deployment ends streams at any time, so clients have to open them again anyway. */
const STREAM_MINUTES = 30;
/** Between two checks of the caller's credential, which may expire. */
const RECHECK_MS = 30_000;
const RETRY_MS = 2_000;

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache",
} as const;

export class LiveStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly events: EventWriter;
  readonly #abort = new AbortController();
  readonly #timers: ReturnType<typeof setInterval>[] = [];

  /** @param clientSignal aborted when the client closes the connection */
  constructor(clientSignal: AbortSignal) {
    clientSignal.addEventListener("abort", this.end);
    const { readable, writable } = new IdentityTransformStream();
    this.readable = readable;
    this.events = new EventWriter(writable, this.end);
    this.signal.addEventListener("abort", () => {
      for (const timer of this.#timers) clearInterval(timer);
      this.events.close();
    });
  }

  /** Aborted at the end of the stream. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  readonly end = (): void => this.#abort.abort();

  /** Tells the client how to reconnect, and starts to check whether the caller may still read. */
  start(isValid: () => Promise<boolean>): void {
    this.events.write(
      `retry: ${RETRY_MS}\n: ends after ${STREAM_MINUTES} minutes; open it again then\n\n`,
    );
    if (this.signal.aborted) return;
    this.#timers.push(
      setInterval(() => {
        void isValid().then((valid) => (valid ? undefined : this.end()), this.end);
      }, RECHECK_MS),
      setInterval(() => {
        this.events.write(`: ended after ${STREAM_MINUTES} minutes; open it again\n\n`);
        this.end();
      }, STREAM_MINUTES * 60_000),
    );
  }
}
