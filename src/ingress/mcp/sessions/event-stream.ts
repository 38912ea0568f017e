/**
 * The stream that a client of the 2025 revisions opens with GET: it reports changes of the resources to which its
 * session is subscribed. The Worker holds it, and the households push through hibernating sockets.
 */
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import type { McpCaller } from "../caller.ts";
import { watchResources } from "../resources/watch-resources.ts";
import type { Toolset } from "../toolset.ts";
import { LiveStream } from "../../streams/live-stream.ts";
import type { ClientSession } from "./client-session.ts";

/** Undefined if the credential has too many streams. */
export async function openEventStream(
  env: ExchangeBindings,
  caller: McpCaller,
  session: ClientSession,
  toolset: Toolset,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const stream = new LiveStream(signal);
  const subscriptions = new Subscriptions(env, caller, toolset, stream, (uri) =>
    stream.events.write(`event: message\ndata: ${buildUpdate(uri)}\n\n`),
  );
  const isOpen = await session.watch(
    ({ uris }) => subscriptions.set(uris),
    stream.end,
    stream.signal,
  );
  if (!isOpen) return undefined;
  stream.start(() => caller.isValid());
  return stream.readable;
}

const buildUpdate = (uri: string): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });

/** Watches the caller's households as soon as the session is subscribed to something. */
class Subscriptions {
  readonly #env: ExchangeBindings;
  readonly #caller: McpCaller;
  readonly #toolset: Toolset;
  readonly #stream: LiveStream;
  readonly #report: (uri: string) => void;
  #uris: ReadonlySet<string> | undefined;
  #isWatching = false;

  constructor(
    env: ExchangeBindings,
    caller: McpCaller,
    toolset: Toolset,
    stream: LiveStream,
    report: (uri: string) => void,
  ) {
    this.#env = env;
    this.#caller = caller;
    this.#toolset = toolset;
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
    const { end, signal } = this.#stream;
    for (const principal of this.#caller.principals)
      void watchResources(
        this.#env,
        principal,
        this.#toolset,
        (uris) => this.#notify(uris),
        end,
        signal,
      ).catch(end);
  }

  #notify(changed: readonly string[]): void {
    for (const uri of changed) if (this.#uris?.has(uri)) this.#report(uri);
  }
}
