/** Routes of the sign-in pages and the OAuth endpoints, with the handler of each method. */
import type { Context, Hono } from "hono";
import { AUTHORIZE_PATH, REGISTER_PATH, TOKEN_PATH } from "../../../auth/oauth/oauth.ts";
import { MCP_PATHS } from "../../../auth/oauth/resources.ts";
import { DEVICE_PATH } from "../../../auth/people/user-codes.ts";
import { SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import { refuseMethod } from "../../http/response.ts";
import type { HonoApp } from "../../http/route.ts";
import { handleDecision, showAuthorize } from "./authorize.ts";
import {
  handleAddPasskey,
  handleNewPasskeyOptions,
  handlePasskeyOptions,
  handlePasskeySignIn,
} from "./passkeys.ts";
import {
  registerClient,
  RESOURCE_METADATA_PATH,
  serveOAuthEndpoint,
  serveTokens,
  showResourceMetadata,
} from "./oauth-endpoints.ts";
import { decideOnDevice, showDevice } from "./device.ts";
import { handleChat } from "./chats.ts";
import { CHATS_PATH } from "./sign-in-page.ts";
import { showSignIn, handleSignIn, handleSignOut } from "./sign-in.ts";

type PageHandler = (request: Request, env: Env) => Response | Promise<Response>;
type MethodHandlers = Partial<Record<"GET" | "POST" | "OPTIONS", PageHandler>>;

const RESOURCE_HANDLERS: MethodHandlers = {
  GET: showResourceMetadata,
  OPTIONS: showResourceMetadata,
};

const PAGE_HANDLERS: Readonly<Record<string, MethodHandlers>> = {
  [RESOURCE_METADATA_PATH]: RESOURCE_HANDLERS,
  ...Object.fromEntries(
    MCP_PATHS.map((path) => [`${RESOURCE_METADATA_PATH}${path}`, RESOURCE_HANDLERS]),
  ),
  [AUTHORIZE_PATH]: { GET: showAuthorize, POST: handleDecision },
  [SIGN_IN_PATH]: { GET: showSignIn, POST: handleSignIn },
  [CHATS_PATH]: { POST: handleChat },
  [`${SIGN_IN_PATH}/passkey/options`]: { POST: handlePasskeyOptions },
  [`${SIGN_IN_PATH}/passkey`]: { POST: handlePasskeySignIn },
  "/passkeys/options": { POST: handleNewPasskeyOptions },
  "/passkeys": { POST: handleAddPasskey },
  [DEVICE_PATH]: { GET: showDevice, POST: decideOnDevice },
  "/sign-out": { POST: handleSignOut },
};

/** Addresses whose methods the OAuth library checks. */
const OAUTH_HANDLERS = {
  "/.well-known/oauth-authorization-server": serveOAuthEndpoint,
  [TOKEN_PATH]: serveTokens,
  [REGISTER_PATH]: registerClient,
} as const;

export function addSignInRoutes(app: Hono<HonoApp>): void {
  for (const [path, handlers] of Object.entries(PAGE_HANDLERS))
    app.all(path, (c) => serveMethod(c, handlers));
  for (const [path, serve] of Object.entries(OAUTH_HANDLERS))
    app.all(path, (c) => serve(c.req.raw, c.env, c.executionCtx as ExecutionContext));
}

async function serveMethod(c: Context<HonoApp>, handlers: MethodHandlers): Promise<Response> {
  const { method } = c.req.raw;
  const effectiveMethod = method === "HEAD" ? "GET" : method;
  const handler = Object.hasOwn(handlers, effectiveMethod)
    ? handlers[effectiveMethod as keyof MethodHandlers]
    : undefined;
  if (handler) return await handler(c.req.raw, c.env);
  const known = [...Object.keys(handlers), ...(handlers.GET ? ["HEAD"] : []), "OPTIONS"];
  return refuseMethod(c.req.raw, known);
}
