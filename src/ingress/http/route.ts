/** One row of the table of routes: what is served, who may ask, and how it is described. */
import type { Context } from "hono";
import * as z from "zod";
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { Answer } from "./response.ts";

export type App = { Bindings: Env; Variables: { requestId: string } };

/** A call that was let in, its query read. */
export interface OpenCall<Query = Record<string, unknown>> {
  readonly c: Context<App>;
  /** The request that came in; its body is read once. */
  readonly request: Request;
  readonly env: Env;
  readonly query: Query;
  /** The call's `Idempotency-Key`. */
  readonly key: string | undefined;
  /** A parameter of the path, decoded; empty where there is none. */
  readonly param: (name: string) => string;
}

export interface Call<Query = Record<string, unknown>> extends OpenCall<Query> {
  readonly principal: Principal;
}

export type Handled = Promise<Outcome<Answer>>;

/** Everyone, or the deployment's operator. */
type OpenAccess = "open" | "operator";

/**
 * `member` is the holder of an API key, `owner` that of an owner, `visitor` a member or the bearer of a link, by its
 * token or by the session that a browser has for it or for who is signed in, and `link` a visitor whose token may stand in the query too.
 */
type MemberAccess = "member" | "owner" | "visitor" | "link";

interface Described<Q extends z.ZodObject> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With parameters in braces, as OpenAPI has them. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly query: Q;
  readonly body?: Body;
  /** The media type of a file; answers without one are data, in the caller's format. */
  readonly produces?: string;
  /** The status when all is well, where it is not 200. */
  readonly status?: 201;
}

export interface Body {
  readonly description: string;
  readonly types: readonly string[];
  readonly schema?: z.ZodType;
}

interface OpenRow<Q extends z.ZodObject> extends Described<Q> {
  readonly access: OpenAccess;
  handle(call: OpenCall<z.output<Q>>): Handled;
}

interface MemberRow<Q extends z.ZodObject> extends Described<Q> {
  readonly access: MemberAccess;
  handle(call: Call<z.output<Q>>): Handled;
}

export type OpenRoute = OpenRow<z.ZodObject>;
export type MemberRoute = MemberRow<z.ZodObject>;
export type Route = OpenRoute | MemberRoute;

const none = z.strictObject({});
type None = typeof none;

type Row<R extends { query: unknown }, Q> = Omit<R, "query"> & { readonly query?: Q };

/** A row for everyone or for the operator. Without a query schema, a query is refused. */
export const openRoute = <Q extends z.ZodObject = None>(row: Row<OpenRow<Q>, Q>): Route => ({
  query: none,
  ...row,
});

/** A row for members of a household. Without a query schema, a query is refused. */
export const memberRoute = <Q extends z.ZodObject = None>(row: Row<MemberRow<Q>, Q>): Route => ({
  query: none,
  ...row,
});

export const isOpen = (route: Route): route is OpenRoute =>
  route.access === "open" || route.access === "operator";
