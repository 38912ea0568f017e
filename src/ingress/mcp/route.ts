/** The addresses of the MCP server: authenticates the caller, then runs the transport with the tools of the address. */
import { authenticateCaller } from "../../auth/authenticate.ts";
import { makeUploadPath } from "../../auth/links/upload-links.ts";
import { makeDownloadPath } from "../../auth/links/download-links.ts";
import { getConfig, getLinkOrigin } from "../../config.ts";
import { defined } from "../../mess/defined.ts";
import { readBearer } from "../../auth/unauthenticated.ts";
import type { McpCaller } from "./caller.ts";
import { buildUnauthorized } from "./transport/auth-challenge.ts";
import { isListenRequest, serveListen } from "./resources/subscriptions.ts";
import { refuseRate } from "./transport/refuse-rate.ts";
import { createHouseholdSession } from "./sessions/household-session.ts";
import { readSession } from "./sessions/session-id.ts";
import { refuseUnknownSession, serveSessionRoute } from "./sessions/session-routes.ts";
import { createServer } from "./server.ts";
import type { LinkMaker } from "./tool.ts";
import { getToolset } from "./toolsets-by-path.ts";
import { answerPreflight, createTransportHandler, serveMcp } from "./transport/transport.ts";

/** Serves an authenticated caller: by API key, or by OAuth grant after the token was checked. */
export async function serveCaller(
  request: Request,
  env: Env,
  caller: McpCaller,
): Promise<Response> {
  const toolset = getToolset(request);
  const origin = getLinkOrigin(env, request);
  const { secret } = getConfig(env);
  const links: LinkMaker = {
    download: async (link) => `${origin}${await makeDownloadPath(secret, link)}`,
    upload: async (link) => `${origin}${await makeUploadPath(secret, link)}`,
  };
  const facts = readSession(request.headers);
  if (facts === "unknown") return refuseUnknownSession();
  const session = facts && createHouseholdSession(env, caller, facts);
  const handler = createTransportHandler(request, ({ era }) =>
    createServer(env, caller, links, toolset, { era, ...defined({ session }) }),
  );
  if ((toolset.offersRequests || toolset.offersMessages) && isListenRequest(request))
    return await serveListen(handler, request, env, caller, toolset);
  if (session && ["GET", "DELETE"].includes(request.method))
    return await serveSessionRoute(handler, request, env, caller, session, toolset);
  return await serveMcp(handler, request, session);
}

/** Authenticates the API key or access token; returns the refusal as a response if there is none. */
export async function serveMcpRoute(request: Request, env: Env): Promise<Response> {
  if (request.method === "OPTIONS") return await answerPreflight(request);
  const bearer = readBearer(request);
  const { path, use } = getToolset(request);
  const caller = await authenticateCaller(env, [path], request, bearer, use);
  if (!caller.ok)
    return caller.error.code === "rate_limited"
      ? await refuseRate(request, caller.error)
      : buildUnauthorized(request, caller.error);
  const isValid = async () => {
    const again = await authenticateCaller(env, [path], request, bearer, use);
    return again.ok || again.error.code === "rate_limited";
  };
  return await serveCaller(request, env, { principals: caller.value, isValid });
}
