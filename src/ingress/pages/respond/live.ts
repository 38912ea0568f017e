/** `GET /respond/live`: a WebSocket that says how far the thread has got, so that the page reads it anew. */
import type * as z from "zod";
import { householdStub } from "../../../stubs.ts";
import { readBearer, refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { withThread } from "../../../exchange/with-thread.ts";
import type { MessError } from "../../../mess/errors.ts";
import { refuseThreadNotFound } from "../../../auth/thread-not-found.ts";
import { fail, ok } from "../../../mess/result.ts";
import type { ThreadWatcher } from "../../../contracts/thread.ts";
import { liveQuerySchema } from "../../http/parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  memberRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { checkOrigin } from "./check-origin.ts";

type LiveCall = HttpCall<z.output<typeof liveQuerySchema>>;

async function watchThread(call: LiveCall): HandlerPromise {
  const { env, principal, request, query } = call;
  return await withThread(env, principal, query.ref, undefined, async ({ stub, ref }) => {
    const may = await stub.checkUpload(principal);
    if (!may.ok) return may;
    const error = checkSocketOrigin(request);
    if (error) return fail(error);
    const { actor, scope, credential, household } = principal;
    // A callback token is compared at each call: a socket would outlast the rotation of its secret.
    if (scope && scope.jti === undefined) return refuseUnauthenticated();
    if (credential !== undefined) {
      const permitted = await householdStub(env, household).permitSocket(credential, ref);
      if (!permitted.ok) return permitted;
    }
    const watcher: ThreadWatcher = {
      actor,
      ...(scope ? { scope } : {}),
      ...(credential ? { credential } : {}),
    };
    const about = new URLSearchParams({
      after: String(query.cursor ?? Number.MAX_SAFE_INTEGER),
      watcher: JSON.stringify(watcher),
    });
    const { webSocket } = await stub.fetch(
      new Request(`https://thread/live?${about.toString()}`, { headers: { Upgrade: "websocket" } }),
    );
    return webSocket ? ok(new Response(null, { status: 101, webSocket })) : refuseThreadNotFound();
  });
}

/** A browser names the page's origin with every socket: what acts by a cookie must have come from ours. */
export function checkSocketOrigin(request: Request): MessError | undefined {
  if (request.headers.get("Upgrade")?.toLowerCase() !== "websocket")
    return {
      code: "upgrade_required",
      message: "only WebSockets are served here",
      hint: "Use /mess/{ref}/wait.",
    };
  if (request.headers.get("Origin") === null && readBearer(request) === undefined)
    return {
      code: "unsafe_message",
      message: "the socket does not say which page opened it",
      hint: "Send the Origin header, or a Bearer token.",
    };
  return checkOrigin(request);
}

export const liveRoutes: readonly HttpRoute[] = [
  memberRoute({
    method: "get",
    path: "/respond/live",
    access: "visitor",
    summary:
      "A WebSocket that gets {cursor} with every change, and closes with 4410 when the link dies, with 4401 when it ends with the credential that made it",
    query: liveQuerySchema,
    handle: watchThread,
  }),
];
