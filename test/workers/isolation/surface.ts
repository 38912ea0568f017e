/** Lists everything through which a caller can reach data, from the code itself. */
import { createApp } from "../../../src/app.ts";
import worker from "../../../src/index.ts";
import { createServer } from "../../../src/ingress/mcp/server.ts";
import { TOOLSETS } from "../../../src/ingress/mcp/toolsets-by-path.ts";
import { env } from "cloudflare:workers";

/**
 * The HTTP routes as `GET /mess/:ref`. A path with methods of its own also has a handler for all other methods, which
 * refuses them; any further handler is listed.
 */
export function listRoutes(): string[] {
  const routes = createApp()
    .routes.map(({ method, path }) => ({ method, path }))
    .filter(({ path }) => path !== "/*");
  const hasMethods = new Set(
    routes.filter(({ method }) => method !== "ALL").map(({ path }) => path),
  );
  const refusing = new Set<string>();
  return routes
    .filter(({ method, path }) => {
      const isRefusal = method === "ALL" && hasMethods.has(path) && !refusing.has(path);
      if (isRefusal) refusing.add(path);
      return !isRefusal;
    })
    .map(({ method, path }) => `${method} ${path}`);
}

/** The handlers of the Worker, such as `fetch` and `email`. */
export const listEntryPoints = (): string[] => Object.keys(worker);

/** The JSON-RPC methods that the MCP server handles at any address, in both revisions. */
export function listMcpMethods(): string[] {
  const caller = {
    principals: [{ household: "home", actor: "scout", role: "agent" }] as const,
    isValid: async () => true,
  };
  const links = { download: async () => "", upload: async () => "" };
  const methods = Object.values(TOOLSETS).flatMap((toolset) =>
    (["modern", "legacy"] as const).flatMap((era) => {
      const { server } = createServer(env, caller, links, toolset, { era });
      const { _requestHandlers: handlers } = server as unknown as {
        _requestHandlers: Map<string, unknown>;
      };
      return [...handlers.keys()];
    }),
  );
  return [...new Set(methods)];
}

declare global {
  interface ImportMeta {
    /** Vite replaces the call by the contents of the files. */
    glob<T>(pattern: string, options: object): Record<string, T>;
  }
}

const SOURCES = import.meta.glob<string>("../../../src/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Names of cookies, types of tokens, and the purposes for which keys are derived. */
const CREDENTIAL_PATTERN =
  /"(__Host-[\w-]+|mess-\w+\+jwt)"|["`](mess [a-z][a-z ]*)|^ {2}purpose: "([^"]+)",\n {2}schema|`((?:mess|signin)_)\$\{/gm;

export function listCredentialKinds(): string[] {
  const found = Object.values(SOURCES).flatMap((source) =>
    [...source.matchAll(CREDENTIAL_PATTERN)].map((match) => match.slice(1).find(Boolean) ?? ""),
  );
  return [...new Set(found)];
}
