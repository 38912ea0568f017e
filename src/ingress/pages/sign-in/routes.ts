/** What is served to people and to clients that ask for their consent: addresses, and what each verb does there. */
import type { Context, Hono } from "hono";
import { AUTHORIZE_PATH, REGISTER_PATH, TOKEN_PATH } from "../../../auth/oauth/oauth.ts";
import { SIGN_IN_PATH } from "../../../auth/people/sign-in-links.ts";
import { otherVerb } from "../../http/response.ts";
import type { App } from "../../http/route.ts";
import { decide, showAuthorize } from "./authorize.ts";
import { addPasskey, newPasskeyOptions, passkeyOptions, signInWithPasskey } from "./passkeys.ts";
import { register, serveProtocol, showResource } from "./oauth-endpoints.ts";
import { showSignIn, signIn, signOut } from "./sign-in.ts";

type Handler = (request: Request, env: Env) => Response | Promise<Response>;
type Verbs = Partial<Record<"GET" | "POST" | "OPTIONS", Handler>>;

const RESOURCE = "/.well-known/oauth-protected-resource";
const resource: Verbs = { GET: showResource, OPTIONS: showResource };

const PAGES: Readonly<Record<string, Verbs>> = {
  [RESOURCE]: resource,
  [`${RESOURCE}/mcp`]: resource,
  [AUTHORIZE_PATH]: { GET: showAuthorize, POST: decide },
  [SIGN_IN_PATH]: { GET: showSignIn, POST: signIn },
  [`${SIGN_IN_PATH}/passkey/options`]: { POST: passkeyOptions },
  [`${SIGN_IN_PATH}/passkey`]: { POST: signInWithPasskey },
  "/passkeys/options": { POST: newPasskeyOptions },
  "/passkeys": { POST: addPasskey },
  "/sign-out": { POST: signOut },
};

/** Addresses whose verbs the OAuth library knows. */
const PROTOCOL = {
  "/.well-known/oauth-authorization-server": serveProtocol,
  [TOKEN_PATH]: serveProtocol,
  [REGISTER_PATH]: register,
} as const;

export function servePeople(app: Hono<App>): void {
  for (const [path, verbs] of Object.entries(PAGES)) app.all(path, (c) => serveVerb(c, verbs));
  for (const [path, serve] of Object.entries(PROTOCOL))
    app.all(path, (c) => serve(c.req.raw, c.env, c.executionCtx as ExecutionContext));
}

async function serveVerb(c: Context<App>, verbs: Verbs): Promise<Response> {
  const { method } = c.req.raw;
  const verb = method === "HEAD" ? "GET" : method;
  const handler = Object.hasOwn(verbs, verb) ? verbs[verb as keyof Verbs] : undefined;
  if (handler) return await handler(c.req.raw, c.env);
  const known = [...Object.keys(verbs), ...(verbs.GET ? ["HEAD"] : []), "OPTIONS"];
  return otherVerb(c.req.raw, known);
}
