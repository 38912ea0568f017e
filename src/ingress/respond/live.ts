/** `GET /respond/live`: a WebSocket that says how far the thread has got, so that the page reads it anew. */
import type * as z from "zod";
import { bearerOf } from "../../auth/unauthenticated.ts";
import { notFound, reach } from "../../exchange/reach.ts";
import { refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import type { Watcher } from "../../thread/stub.ts";
import { liveQuery } from "../http/parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../http/route.ts";
import { foreignFault } from "./origin.ts";

async function watch({
  env,
  principal,
  request,
  query,
}: Call<z.output<typeof liveQuery>>): Handled {
  if (request.headers.get("Upgrade")?.toLowerCase() !== "websocket")
    return refuse("upgrade_required", "only WebSockets are served here", "Use /mess/{ref}/wait.");
  // A browser names the page's origin with every socket; what acts by a cookie must have come from ours.
  const unnamed = request.headers.get("Origin") === null && bearerOf(request) === undefined;
  const foreign = foreignFault(request);
  if (foreign || unnamed)
    return fail(
      foreign ?? {
        code: "unsafe_message",
        message: "the socket does not say which page opened it",
        hint: "Send the Origin header, or a Bearer token.",
      },
    );
  return await reach(env, principal, query.ref, undefined, async ({ stub }) => {
    const may = await stub.mayUpload(principal);
    if (!may.ok) return may;
    const { actor, scope } = principal;
    const watcher: Watcher = { actor, ...(scope ? { scope } : {}) };
    const about = new URLSearchParams({
      after: String(query.cursor ?? Number.MAX_SAFE_INTEGER),
      watcher: JSON.stringify(watcher),
    });
    const { webSocket } = await stub.fetch(
      new Request(`https://thread/live?${about.toString()}`, { headers: { Upgrade: "websocket" } }),
    );
    return webSocket ? ok(new Response(null, { status: 101, webSocket })) : notFound();
  });
}

export const liveRoutes: readonly Route[] = [
  memberRoute({
    method: "get",
    path: "/respond/live",
    access: "visitor",
    summary:
      "A WebSocket that gets {cursor} with every change, and closes with 4410 when the link dies",
    query: liveQuery,
    handle: watch,
  }),
];
