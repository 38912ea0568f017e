/**
 * The stream that a client of the 2025 revisions opens with GET: it reports changes of the resources to which its
 * session is subscribed. The Worker holds it, and the households push through hibernating sockets.
 */
import type { ThreadChange } from "../../../contracts/events.ts";
import { watchHousehold } from "../../../exchange/watch-household.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import type { McpCaller } from "../caller.ts";
import { listChangedUris } from "../resources/changed-uris.ts";
import type { ClientSession } from "./client-session.ts";
import { EventWriter } from "../transport/event-writer.ts";

/** A deployment ends streams at any time, so clients have to open them again anyway. */
const STREAM_MINUTES = 30;
/** Milliseconds between two checks of the caller's credential, which may expire. */
const RECHECK_MS = 30_000;
const RETRY_MS = 2_000;

/** Undefined if the credential has too many streams. */
export async function openEventStream(
  env: ExchangeBindings,
  caller: McpCaller,
  session: ClientSession,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const abort = new AbortController();
  const end = () => abort.abort();
  signal.addEventListener("abort", end);
  const { readable, writable } = new IdentityTransformStream();
  const events = new EventWriter(writable, end);
  const subscriptions = new Subscriptions(env, caller, abort, (uri) =>
    events.write(`event: message\ndata: ${buildUpdate(uri)}\n\n`),
  );
  const timers: ReturnType<typeof setInterval>[] = [];
  abort.signal.addEventListener("abort", () => {
    for (const timer of timers) clearInterval(timer);
    events.close();
  });
  const isOpen = await session.watch(({ uris }) => subscriptions.set(uris), end, abort.signal);
  if (!isOpen) return undefined;
  events.write(
    `retry: ${RETRY_MS}\n: ends after ${STREAM_MINUTES} minutes; open it again then\n\n`,
  );
  if (abort.signal.aborted) return readable;
  timers.push(
    setInterval(() => {
      void caller.isValid().then((valid) => (valid ? undefined : end()), end);
    }, RECHECK_MS),
    setInterval(() => {
      events.write(`: ended after ${STREAM_MINUTES} minutes; open it again\n\n`);
      end();
    }, STREAM_MINUTES * 60_000),
  );
  return readable;
}

const buildUpdate = (uri: string): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });

/** Watches the caller's households as soon as the session is subscribed to something. */
class Subscriptions {
  readonly #env: ExchangeBindings;
  readonly #caller: McpCaller;
  readonly #stream: AbortController;
  readonly #report: (uri: string) => void;
  #uris: ReadonlySet<string> | undefined;
  #isWatching = false;

  constructor(
    env: ExchangeBindings,
    caller: McpCaller,
    stream: AbortController,
    report: (uri: string) => void,
  ) {
    this.#env = env;
    this.#caller = caller;
    this.#stream = stream;
    this.#report = report;
  }

  set(uris: readonly string[]): void {
    const isFirst = this.#uris === undefined;
    this.#uris = new Set(uris);
    // Changes before the stream was opened are not kept, so each subscribed resource may have changed.
    if (isFirst) for (const uri of uris) this.#report(uri);
    if (uris.length === 0 || this.#isWatching) return;
    this.#isWatching = true;
    const end = () => this.#stream.abort();
    for (const principal of this.#caller.principals)
      void watchHousehold(
        this.#env,
        principal,
        (change) => this.#notify(change),
        end,
        this.#stream.signal,
      ).catch(end);
  }

  #notify(change: ThreadChange): void {
    for (const uri of listChangedUris(change)) if (this.#uris?.has(uri)) this.#report(uri);
  }
}
