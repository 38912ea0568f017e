/**
 * Subscriptions of the 2026-07-28 protocol. The Worker holds the stream to the client. The household pushes changes
 * through a hibernating WebSocket, so an open subscription does not keep the Durable Object in memory.
 */
import type { StatelessMcpHandler } from "agents/mcp/server";
import { takeWaitSlot } from "../../../exchange/wait-slots.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import type { McpCaller } from "../caller.ts";
import { refuseRate } from "../transport/refuse-rate.ts";
import type { Toolset } from "../toolset.ts";
import { watchResources } from "./watch-resources.ts";
import { serveMcp } from "../transport/transport.ts";
import { limitUnread } from "../../streams/event-writer.ts";

/** Milliseconds between two checks of the caller's credential: a revocation ends the stream. */
const RECHECK_MS = 30_000;

export const isListenRequest = (request: Request): boolean =>
  request.method === "POST" && request.headers.get("Mcp-Method") === "subscriptions/listen";

export async function serveListen(
  handler: StatelessMcpHandler,
  request: Request,
  env: ExchangeBindings,
  caller: McpCaller,
  toolset: Toolset,
): Promise<Response> {
  const abort = new AbortController();
  const { signal } = abort;
  // A notification before the stream opens may be lost: the client reads the resource after the acknowledgement.
  const notify = (uris: readonly string[]) => {
    for (const uri of uris) handler.notify.resourceUpdated(uri);
  };
  const end = () => abort.abort();
  for (const principal of caller.principals) {
    const slot = takeWaitSlot(env, principal);
    if (!slot.ok) {
      end();
      return await refuseRate(request, slot.error);
    }
    signal.addEventListener("abort", slot.value, { once: true });
  }
  await Promise.all(
    caller.principals.map((one) => watchResources(env, one, toolset, notify, end, signal)),
  );
  const response = await serveMcp(handler, new Request(request, { signal }));
  const { body, status, headers } = response;
  if (!body || !headers.get("Content-Type")?.includes("text/event-stream")) {
    end();
    return response;
  }
  const recheck = setInterval(() => {
    void caller.isValid().then((valid) => (valid ? undefined : end()), end);
  }, RECHECK_MS);
  signal.addEventListener("abort", () => clearInterval(recheck));
  return new Response(limitUnread(body, end), { status, headers });
}
