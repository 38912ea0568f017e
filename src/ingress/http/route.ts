/** The type of a route table row: path, access rule, handler and OpenAPI description. */
import type { Context } from "hono";
import * as z from "zod";
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { ResponseFormat } from "./response-format.ts";
import type { HandlerResult } from "./response.ts";

export type HonoApp = { Bindings: Env; Variables: { requestId: string } };

/** A call with its parsed query, without a household: open to everyone, or authorized as the operator. */
export interface NoHouseholdCall<Query = Record<string, unknown>> {
  readonly c: Context<HonoApp>;
  /** The incoming request; its body can be read only once. */
  readonly request: Request;
  readonly env: Env;
  /** The format of the response, from `Accept`. */
  readonly format: ResponseFormat;
  readonly query: Query;
  /** The value of the `Idempotency-Key` header. */
  readonly key: string | undefined;
  /** Returns a decoded path parameter, or an empty string if the path has none of this name. */
  readonly param: (name: string) => string;
}

export interface HttpCall<Query = Record<string, unknown>> extends NoHouseholdCall<Query> {
  readonly principal: Principal;
}

export type HandlerPromise = Promise<Outcome<HandlerResult>>;

/** Access for everyone, or for the deployment's operator. */
type NoHouseholdAccess = "open" | "operator";

/**
 * `member`: any API key of the household, or a signed-in session. `owner`: the same of an owner. `visitor`: a member, or
 * the bearer of a link (by its token, or by the browser session of the link). `link`: like `visitor`, but the token may
 * also be in the query. `file`: like `visitor`, or the bearer of an OAuth access token, since MCP clients download files
 * with it. `messages`: like `member`, also with a key that is limited to message sources, which all other routes refuse;
 * the household decides what it may do there. `exchange`: an API key of the household that the path names; its clients
 * are programs, so that no session of a browser counts.
 */
type MemberAccess = "member" | "owner" | "visitor" | "link" | "file" | "messages" | "exchange";

interface RouteDescription<Q extends z.ZodObject> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Path with parameters in braces, as in OpenAPI. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly query: Q;
  readonly body?: RouteBody;
  /** Media type if the route returns a file; otherwise the response is data in the format that the caller accepts. */
  readonly produces?: string;
  /** Status of success, if it is not 200. */
  readonly status?: 201;
}

export interface RouteBody {
  readonly description: string;
  readonly types: readonly string[];
  readonly schema?: z.ZodType;
  readonly optional?: true;
}

interface NoHouseholdRow<Q extends z.ZodObject> extends RouteDescription<Q> {
  readonly access: NoHouseholdAccess;
  handle(call: NoHouseholdCall<z.output<Q>>): HandlerPromise;
}

interface MemberRow<Q extends z.ZodObject> extends RouteDescription<Q> {
  readonly access: MemberAccess;
  handle(call: HttpCall<z.output<Q>>): HandlerPromise;
}

export type NoHouseholdRoute = NoHouseholdRow<z.ZodObject>;
export type MemberRoute = MemberRow<z.ZodObject>;
export type HttpRoute = NoHouseholdRoute | MemberRoute;

const emptyQuerySchema = z.strictObject({});
type EmptyQuery = typeof emptyQuerySchema;

type RouteInput<R extends { query: unknown }, Q> = Omit<R, "query"> & { readonly query?: Q };

/** Defines a route for everyone or for the operator. A route without a query schema refuses every query parameter. */
export const defineNoHouseholdRoute = <Q extends z.ZodObject = EmptyQuery>(
  row: RouteInput<NoHouseholdRow<Q>, Q>,
): HttpRoute => ({
  query: emptyQuerySchema,
  ...row,
});

/** Defines a route for members of a household. A route without a query schema refuses every query parameter. */
export const defineMemberRoute = <Q extends z.ZodObject = EmptyQuery>(
  row: RouteInput<MemberRow<Q>, Q>,
): HttpRoute => ({
  query: emptyQuerySchema,
  ...row,
});

export const isNoHouseholdRoute = (route: HttpRoute): route is NoHouseholdRoute =>
  route.access === "open" || route.access === "operator";
