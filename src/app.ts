/** The HTTP side of the exchange: middleware in order, the table of routes, and what becomes of everything else. */
import { Hono } from "hono";
import { otherVerb, refusal } from "./ingress/http/response.ts";
import type { App } from "./ingress/http/route.ts";
import { checkRequestLengths } from "./ingress/http/request-lengths.ts";
import { ROUTES } from "./ingress/http/routes.ts";
import { serve } from "./ingress/http/serve-route.ts";
import { serveMcpRoute } from "./ingress/mcp/route.ts";
import { MCP_PATH } from "./ingress/mcp/transport.ts";
import { servePeople } from "./ingress/pages/sign-in/routes.ts";
import { logDefect } from "./log.ts";
import type { MessError } from "./mess/errors.ts";

const HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

const NOTHING_HERE: MessError = {
  code: "not_found",
  message: "nothing is served at this address",
  hint: "GET /openapi.json lists what there is.",
};

/** `/mess/:ref` of `/mess/{ref}`. */
const pattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The verbs of each path; a HEAD is a GET without its body. */
function verbsByPath(): Map<string, string[]> {
  const verbs = new Map<string, string[]>();
  for (const { method, path } of ROUTES) {
    const more = method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()];
    verbs.set(path, [...(verbs.get(path) ?? ["OPTIONS"]), ...more]);
  }
  return verbs;
}

export function createApp(): Hono<App> {
  const app = new Hono<App>();

  app.use(async (c, next) => {
    c.set("requestId", crypto.randomUUID());
    const long = checkRequestLengths(c.req.raw);
    if (long) c.res = refusal(c.req.raw, long);
    else await next();
    for (const [name, value] of Object.entries(HEADERS))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    c.res.headers.set("X-Request-Id", c.get("requestId"));
  });

  for (const route of ROUTES)
    app.on(route.method.toUpperCase(), pattern(route.path), (c) => serve(c, route));

  for (const [path, verbs] of verbsByPath())
    app.all(pattern(path), (c) => otherVerb(c.req.raw, verbs));

  app.all(MCP_PATH, (c) => serveMcpRoute(c.req.raw, c.env));
  servePeople(app);

  app.notFound((c) => refusal(c.req.raw, NOTHING_HERE));

  app.onError((error, c) => {
    const requestId = c.get("requestId");
    logDefect(error, { request_id: requestId, method: c.req.method, route: c.req.routePath });
    return refusal(c.req.raw, {
      code: "internal",
      message: `a fault of the exchange; request ${requestId}`,
      hint: "Try again; if it stays, tell the operator the request's id.",
    });
  });

  return app;
}
