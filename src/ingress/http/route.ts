/** One row of the table of routes: what is served, who may ask, and how it is described. */
import type { Context } from "hono";
import * as z from "zod";
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { HandlerResult } from "./response.ts";

export type HonoApp = { Bindings: Env; Variables: { requestId: string } };

/** A call that was let in, its query read. */
export interface OpenHttpCall<Query = Record<string, unknown>> {
  readonly c: Context<HonoApp>;
  /** The request that came in; its body is read once. */
  readonly request: Request;
  readonly env: Env;
  readonly query: Query;
  /** The call's `Idempotency-Key`. */
  readonly key: string | undefined;
  /** A parameter of the path, decoded; empty where there is none. */
  readonly param: (name: string) => string;
}

export interface HttpCall<Query = Record<string, unknown>> extends OpenHttpCall<Query> {
  readonly principal: Principal;
}

export type HandlerPromise = Promise<Outcome<HandlerResult>>;

/** Everyone, or the deployment's operator. */
type OpenAccess = "open" | "operator";

/**
 * `member` is the holder of an API key, `owner` that of an owner, `visitor` a member or the bearer of a link, by its
 * token or by the session that a browser has for it or for who is signed in, and `link` a visitor whose token may stand in the query too.
 */
type MemberAccess = "member" | "owner" | "visitor" | "link";

interface RouteDescription<Q extends z.ZodObject> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With parameters in braces, as OpenAPI has them. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly query: Q;
  readonly body?: RouteBody;
  /** The media type of a file; answers without one are data, in the caller's format. */
  readonly produces?: string;
  /** The status when all is well, where it is not 200. */
  readonly status?: 201;
}

export interface RouteBody {
  readonly description: string;
  readonly types: readonly string[];
  readonly schema?: z.ZodType;
}

interface OpenRow<Q extends z.ZodObject> extends RouteDescription<Q> {
  readonly access: OpenAccess;
  handle(call: OpenHttpCall<z.output<Q>>): HandlerPromise;
}

interface MemberRow<Q extends z.ZodObject> extends RouteDescription<Q> {
  readonly access: MemberAccess;
  handle(call: HttpCall<z.output<Q>>): HandlerPromise;
}

export type OpenRoute = OpenRow<z.ZodObject>;
export type MemberRoute = MemberRow<z.ZodObject>;
export type HttpRoute = OpenRoute | MemberRoute;

const emptyQuerySchema = z.strictObject({});
type EmptyQuery = typeof emptyQuerySchema;

type RouteInput<R extends { query: unknown }, Q> = Omit<R, "query"> & { readonly query?: Q };

/** A row for everyone or for the operator. Without a query schema, a query is refused. */
export const openRoute = <Q extends z.ZodObject = EmptyQuery>(
  row: RouteInput<OpenRow<Q>, Q>,
): HttpRoute => ({
  query: emptyQuerySchema,
  ...row,
});

/** A row for members of a household. Without a query schema, a query is refused. */
export const memberRoute = <Q extends z.ZodObject = EmptyQuery>(
  row: RouteInput<MemberRow<Q>, Q>,
): HttpRoute => ({
  query: emptyQuerySchema,
  ...row,
});

export const isOpenRoute = (route: HttpRoute): route is OpenRoute =>
  route.access === "open" || route.access === "operator";
