/** What is served to people and to clients that ask for their consent: the list of addresses. */
import type { Hono } from "hono";
import { AUTHORIZE_PATH, REGISTER_PATH, TOKEN_PATH } from "../../auth/oauth.ts";
import { SIGN_IN_PATH } from "../../auth/sign-in-links.ts";
import type { App } from "../http/route.ts";
import { decide, showAuthorize } from "./authorize.ts";
import { addPasskey, newPasskeyOptions, passkeyOptions, signInWithPasskey } from "./passkeys.ts";
import { register, serveProtocol, showResource } from "./protocol.ts";
import { showSignIn, signIn, signOut } from "./sign-in.ts";

const RESOURCE = "/.well-known/oauth-protected-resource";

export function servePeople(app: Hono<App>): void {
  for (const path of [RESOURCE, `${RESOURCE}/mcp`])
    app.on(["GET", "OPTIONS"], path, (c) => showResource(c.req.raw));
  for (const path of ["/.well-known/oauth-authorization-server", TOKEN_PATH])
    app.all(path, (c) => serveProtocol(c.req.raw, c.env, c.executionCtx as ExecutionContext));
  app.all(REGISTER_PATH, (c) => register(c.req.raw, c.env, c.executionCtx as ExecutionContext));

  app.get(AUTHORIZE_PATH, (c) => showAuthorize(c.req.raw, c.env));
  app.post(AUTHORIZE_PATH, (c) => decide(c.req.raw, c.env));

  app.get(SIGN_IN_PATH, (c) => showSignIn(c.req.raw, c.env));
  app.post(SIGN_IN_PATH, (c) => signIn(c.req.raw, c.env));
  app.post("/sign-out", (c) => signOut(c.req.raw, c.env));
  app.post(`${SIGN_IN_PATH}/passkey/options`, (c) => passkeyOptions(c.req.raw, c.env));
  app.post(`${SIGN_IN_PATH}/passkey`, (c) => signInWithPasskey(c.req.raw, c.env));
  app.post("/passkeys/options", (c) => newPasskeyOptions(c.req.raw, c.env));
  app.post("/passkeys", (c) => addPasskey(c.req.raw, c.env));
}
