/**
 * Serves one route: authenticates the caller, negotiates the format, runs the handler, and builds the response or
 * refusal.
 */
import type { Context } from "hono";
import {
  authenticateCaller,
  authenticateMember,
  authenticateVisitor,
} from "../../auth/authenticate.ts";
import { authenticateBrowser, authenticateOnePerson } from "../../auth/people/browser-caller.ts";
import { authenticateOperator } from "../../auth/operator.ts";
import type { McpPath } from "../../auth/oauth/resources.ts";
import type { Principal } from "../../auth/principal.ts";
import { getCallerAddress } from "../../auth/rates/caller-address.ts";
import { checkOpenRate } from "../../auth/rates/request-rate.ts";
import { checkAttempt, recordWrongKey } from "../../auth/rates/wrong-keys.ts";
import { readBearer, refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { isStillLive } from "../../auth/live-credential.ts";
import { checkNamedHousehold } from "../../auth/suspension.ts";
import { getConfig } from "../../config.ts";
import { withThread } from "../../exchange/with-thread.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import { withCallKey } from "./call-key.ts";
import { chooseFormat, type ResponseFormat } from "./response-format.ts";
import { buildResponse, buildRefusal, refuseMethod } from "./response.ts";
import { readKey, readQuery } from "./parameters.ts";
import {
  type HonoApp,
  type HandlerPromise,
  isNoHouseholdRoute,
  type NoHouseholdCall,
  type HttpRoute,
} from "./route.ts";

export async function serveRoute(c: Context<HonoApp>, route: HttpRoute): Promise<Response> {
  const request = c.req.raw;
  const format = chooseFormat(request.headers.get("Accept") ?? undefined);
  const outcome = await handleCall(c, route, format);
  return outcome.ok
    ? buildResponse(format ?? "json", outcome.value)
    : buildRefusal(request, outcome.error);
}

/** Authentication comes first, so that an unauthenticated caller learns nothing about the route's parameters. */
async function handleCall(
  c: Context<HonoApp>,
  route: HttpRoute,
  format: ResponseFormat | undefined,
): HandlerPromise {
  if (isNoHouseholdRoute(route)) {
    const admitted = await checkNoHouseholdAccess(c, route);
    if (!admitted.ok) return admitted;
    const call = readCall(c, route, format);
    return call.ok ? await route.handle(call.value) : call;
  }
  const principal = await admitMember(c, route);
  if (!principal.ok) return principal;
  const call = readCall(c, route, format);
  if (!call.ok) return call;
  const memberCall = { ...call.value, principal: principal.value };
  return await withCallKey(route, memberCall, () => route.handle(memberCall));
}

/** Parses the query and the idempotency key, and checks that the response format is acceptable. */
function readCall(
  c: Context<HonoApp>,
  route: HttpRoute,
  format: ResponseFormat | undefined,
): Outcome<NoHouseholdCall> {
  const request = c.req.raw;
  if (format === undefined && route.produces === undefined)
    return refuse(
      "not_acceptable",
      "none of the formats in Accept is available",
      "Accept JSON or YAML.",
      {
        valid: ["application/json", "application/yaml"],
      },
    );
  const key = route.method === "post" ? readKey(request) : ok(undefined);
  if (!key.ok) return key;
  const query = readQuery(request, route.query);
  if (!query.ok) return query;
  const getParam = (name: string): string => c.req.param(name) ?? "";
  return ok({
    c,
    request,
    env: c.env,
    format: format ?? "json",
    query: query.value,
    key: key.value,
    param: getParam,
  });
}

async function checkNoHouseholdAccess(
  { env, req }: Context<HonoApp>,
  { access }: HttpRoute,
): Promise<Outcome<true>> {
  const household = req.param("household");
  const rate = await checkOpenRate(env, req.raw, household ?? "");
  if (!rate.ok) return rate;
  if (access === "open")
    return household === undefined ? rate : await checkNamedHousehold(env, household);
  const address = getCallerAddress(req.raw);
  const key = readBearer(req.raw);
  const blocked = checkAttempt(env, key ?? "", address, Date.now());
  if (blocked) return fail(blocked);
  const operator = await authenticateOperator(getConfig(env).operatorKey, key);
  if (!operator.ok && key !== undefined) await recordWrongKey(env, key, address, Date.now());
  return operator;
}

/** API keys begin with `mess_`; tokens of links have three parts. */
const isAccessToken = (bearer: string | undefined): bearer is string =>
  bearer !== undefined && !bearer.startsWith("mess_") && bearer.split(".").length !== 3;

/** The MCP addresses whose tools show files of requests. */
const PATHS_WITH_FILES: readonly McpPath[] = ["/mcp", "/mcp/all"];

/** Admits the bearer of an OAuth access token as its member in the household that has the thread. */
async function admitConnector(c: Context<HonoApp>, bearer: string): Promise<Outcome<Principal>> {
  const members = await authenticateCaller(c.env, PATHS_WITH_FILES, c.req.raw, bearer);
  if (!members.ok) return members;
  const [first, ...others] = members.value;
  const ref = c.req.param("ref") ?? "";
  for (const member of others.length > 0 ? members.value : []) {
    const seen = await withThread(c.env, member, ref, undefined, ({ stub }) =>
      stub.findReceipt(member, ""),
    );
    if (seen.ok) return ok(member);
  }
  return ok(first);
}

/** Authenticates before it compares the household, so that a stranger learns nothing about either. */
async function authenticateExchange(
  { env, req }: Context<HonoApp>,
  bearer: string | undefined,
): Promise<Outcome<Principal>> {
  const member = await authenticateMember(env, req.raw, bearer);
  return member.ok && member.value.household !== req.param("exchange")
    ? refuse(
        "wrong_exchange",
        "this key belongs to another exchange",
        "Use the id in the key as the exchange: mess_{exchange}_{token}.",
      )
    : member;
}

/** Any other path below an exchange. Only callers with a key learn that nothing is there. */
export async function refuseUnknownExchangePath(c: Context<HonoApp>): Promise<Response> {
  const request = c.req.raw;
  if (request.method === "OPTIONS") return refuseMethod(request, ["OPTIONS"]);
  const member = await authenticateExchange(c, readBearer(request));
  const { error } = member.ok
    ? refuse("not_found", "nothing is served at this path", "GET /openapi.json lists all paths.")
    : member;
  return buildRefusal(request, error);
}

/** An API key or a link token takes precedence; the session of a browser counts only if there is neither. */
async function admitMember(
  c: Context<HonoApp>,
  { access }: HttpRoute,
): Promise<Outcome<Principal>> {
  const request = c.req.raw;
  const { secret } = getConfig(c.env);
  const bearer = readBearer(request) ?? (access === "link" ? c.req.query("token") : undefined);
  if (access === "file" && isAccessToken(bearer)) return await admitConnector(c, bearer);
  if (access === "visitor" || access === "link" || access === "file") {
    const ref = bearer === undefined ? (c.req.param("ref") ?? c.req.query("ref")) : undefined;
    if (ref !== undefined) return await authenticateBrowser(c.env, secret, request, ref);
    return bearer === undefined
      ? await authenticateOnePerson(c.env, secret, request)
      : await authenticateVisitor(c.env, secret, request, bearer);
  }
  if (access === "exchange") return await authenticateExchange(c, bearer);
  const use = access === "messages" ? "messages" : "all";
  const member =
    bearer === undefined
      ? await authenticateOnePerson(c.env, secret, request)
      : await authenticateMember(c.env, request, bearer, use);
  if (!member.ok || access !== "owner") return member;
  if (member.value.role !== "owner")
    return refuse(
      "wrong_role",
      "only owners may do this",
      "Use an owner's key, or sign in as an owner.",
    );
  // An owner can grant access to others, so check for revocation: a revoked key must not leave new credentials behind.
  return (await isStillLive(c.env, member.value)) ? member : refuseUnauthenticated();
}
