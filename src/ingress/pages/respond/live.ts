/**
 * `GET /respond/live`: a WebSocket that sends the thread's cursor with each change, so that the page reloads the
 * thread.
 */
import type * as z from "zod";
import { getHouseholdStub } from "../../../stubs.ts";
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
  defineMemberRoute,
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
    // A callback token is checked at each call; a socket would stay open after the rotation of its secret.
    if (scope && scope.jti === undefined) return refuseUnauthenticated();
    if (credential !== undefined) {
      const permitted = await getHouseholdStub(env, household).identity.permitSocket(
        credential,
        ref,
      );
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

/** Browsers send the page's origin with every WebSocket: a request that uses a cookie must come from our own page. */
export function checkSocketOrigin(request: Request): MessError | undefined {
  if (request.headers.get("Upgrade")?.toLowerCase() !== "websocket")
    return {
      code: "upgrade_required",
      message: "this path accepts only WebSocket connections",
      hint: "Send Upgrade: websocket, or use /mess/{ref}/wait.",
    };
  if (request.headers.get("Origin") === null && readBearer(request) === undefined)
    return {
      code: "unsafe_message",
      message: "the WebSocket request has no Origin header",
      hint: "Send the Origin header, or a Bearer token.",
    };
  return checkOrigin(request);
}

export const liveRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/respond/live",
    access: "visitor",
    summary:
      "A WebSocket that receives {cursor} with every change. It closes with 4410 if the link becomes inactive, and with 4401 if the credential that made the link ends",
    query: liveQuerySchema,
    handle: watchThread,
  }),
];
