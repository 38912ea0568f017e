/** The HTTP application: middleware, routes, and the responses to unknown paths, wrong methods and defects. */
import { Hono } from "hono";
import { MCP_PATHS } from "./auth/oauth/resources.ts";
import { addCorsHeaders, toClientError } from "./ingress/http/cors.ts";
import { CachedRouter } from "./ingress/http/cached-router.ts";
import { refuseMethod, buildRefusal } from "./ingress/http/response.ts";
import { addSecurityHeaders } from "./ingress/http/security-headers.ts";
import type { HonoApp } from "./ingress/http/route.ts";
import { checkRequestLengths } from "./ingress/http/request-lengths.ts";
import { prefersHtml } from "./ingress/http/response-format.ts";
import { ROUTES } from "./ingress/http/routes.ts";
import { refuseUnknownExchangePath, serveRoute } from "./ingress/http/serve-route.ts";
import { serveMcpRoute } from "./ingress/mcp/route.ts";
import { buildHomePage, buildNotFoundPage } from "./ingress/pages/landing.ts";
import { addSignInRoutes } from "./ingress/pages/sign-in/routes.ts";
import { logDefect } from "./log.ts";
import type { MessError } from "./mess/errors.ts";
import { parseTreePath, writeTreePath } from "./mess/sources/tree/paths.ts";

const NOT_SERVED_ERROR: MessError = {
  code: "not_found",
  message: "nothing is served at this path",
  hint: "GET /openapi.json lists all paths.",
};

/** Redirects from a folder of the message tree that is written without its slash; undefined for other paths. */
function findFolder({ url }: Request): Response | undefined {
  const { pathname, search } = new URL(url);
  const node = parseTreePath(`${pathname}/`);
  return (
    node && new Response(null, { status: 308, headers: { Location: writeTreePath(node) + search } })
  );
}

/** Converts a path template `/mess/{ref}` to Hono's `/mess/:ref`. */
const toHonoPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** Lists the methods of each path; a path with GET also serves HEAD. */
function collectMethodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { method, path } of ROUTES) {
    const more = method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()];
    methods.set(path, [...(methods.get(path) ?? ["OPTIONS"]), ...more]);
  }
  return methods;
}

export function createApp(): Hono<HonoApp> {
  const app = new Hono<HonoApp>({ router: new CachedRouter() });

  app.use(async (c, next) => {
    c.set("requestId", crypto.randomUUID());
    const long = checkRequestLengths(c.req.raw);
    if (long) c.res = buildRefusal(c.req.raw, toClientError(c.req.path, long));
    else await next();
    const { headers } = c.res;
    addSecurityHeaders(headers);
    addCorsHeaders(c.req.path, c.req.method, headers);
    headers.set("X-Request-Id", c.get("requestId"));
  });

  app.get("/", async (c, next) =>
    prefersHtml(c.req.raw.headers.get("Accept"))
      ? await buildHomePage(c.env, c.req.raw)
      : await next(),
  );

  // Path by path, so that DELETE /mess/import is no DELETE of the thread `import`.
  for (const [path, methods] of collectMethodsByPath()) {
    for (const route of ROUTES.filter((one) => one.path === path))
      app.on(route.method.toUpperCase(), toHonoPattern(path), (c) => serveRoute(c, route));
    app.all(toHonoPattern(path), (c) => refuseMethod(c.req.raw, methods));
  }

  app.all("/api/v1/exchanges/:exchange/*", (c) => refuseUnknownExchangePath(c));

  for (const path of MCP_PATHS) app.all(path, (c) => serveMcpRoute(c.req.raw, c.env));
  addSignInRoutes(app);

  app.notFound(
    (c) =>
      findFolder(c.req.raw) ??
      (prefersHtml(c.req.raw.headers.get("Accept"))
        ? buildNotFoundPage(c.env, c.req.raw)
        : buildRefusal(c.req.raw, NOT_SERVED_ERROR)),
  );

  app.onError((error, c) => {
    const requestId = c.get("requestId");
    logDefect(error, { request_id: requestId, method: c.req.method, route: c.req.routePath });
    return buildRefusal(c.req.raw, {
      code: "internal",
      message: `internal error in request ${requestId}`,
      hint: "Try again. If the error persists, report the request's id to the operator.",
    });
  });

  return app;
}
