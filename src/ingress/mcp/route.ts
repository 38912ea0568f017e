/** The address `/mcp`: who calls, then the transport. */
import { authenticateCaller } from "../../auth/authenticate.ts";
import { bearerOf } from "../../auth/unauthenticated.ts";
import type { Caller } from "./caller.ts";
import { unauthorized } from "./auth-challenge.ts";
import { isListen, serveListen } from "./resources/subscriptions.ts";
import { createServer } from "./server.ts";
import { answerPreflight, mcpHandler, serveMcp } from "./transport.ts";

/** Serves a caller that is known already: by its key here, by its grant where OAuth has checked the token. */
export async function serveCaller(request: Request, env: Env, caller: Caller): Promise<Response> {
  const { origin } = new URL(request.url);
  const handler = mcpHandler(request, (context) => createServer(env, caller, origin, context));
  return isListen(request)
    ? await serveListen(handler, request, env, caller)
    : await serveMcp(handler, request);
}

/** The caller of an API key or an access token; a response where there is none. */
export async function serveMcpRoute(request: Request, env: Env): Promise<Response> {
  if (request.method === "OPTIONS") return await answerPreflight(request);
  const bearer = bearerOf(request);
  const { origin } = new URL(request.url);
  const caller = await authenticateCaller(env, origin, bearer);
  if (!caller.ok) return unauthorized(request);
  const isValid = async () => (await authenticateCaller(env, origin, bearer)).ok;
  return await serveCaller(request, env, { principals: caller.value, isValid });
}
