/** Serves GET, which opens the stream of a session, and DELETE, which ends the session. */
import type { StatelessMcpHandler } from "agents/mcp/server";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import type { McpCaller } from "../caller.ts";
import type { Toolset } from "../toolset.ts";
import { EVENT_STREAM_HEADERS } from "../../streams/live-stream.ts";
import { checkPolicy } from "../transport/transport.ts";
import { buildSessionError } from "./client-responses.ts";
import type { ClientSession } from "./client-session.ts";
import { openEventStream } from "./event-stream.ts";

/** Tells the client to initialize again. */
export const refuseUnknownSession = (): Response =>
  buildSessionError(404, "the session is unknown; initialize again");

export async function serveSessionRoute(
  handler: StatelessMcpHandler,
  request: Request,
  env: ExchangeBindings,
  caller: McpCaller,
  session: ClientSession,
  toolset: Toolset,
): Promise<Response> {
  return await checkPolicy(handler, request, async () => {
    if (request.method === "DELETE") {
      const ended = await session.update({ end: true });
      return ended.ok ? new Response(null, { status: 204 }) : refuseUnknownSession();
    }
    const stream = await openEventStream(env, caller, session, toolset, request.signal);
    return stream
      ? new Response(stream, { headers: EVENT_STREAM_HEADERS })
      : buildSessionError(429, "too many open streams; close one first");
  });
}
