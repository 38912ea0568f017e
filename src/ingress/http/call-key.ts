/**
 * Refuses an `Idempotency-Key` that its caller used for another call to the household: another path or another body.
 * Threads check the keys of calls to them, and of the requests that create them, themselves, and groups those of
 * messages.
 */
import { hashSha256 } from "../../auth/hash.ts";
import { LIMITS } from "../../mess/limits.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { HandlerPromise, HttpCall, HttpRoute } from "./route.ts";

/** Creates requests like `POST /mess`. */
export const EXCHANGE_REQUESTS_PATH = "/api/v1/exchanges/{exchange}/requests";

const checksKeysItself = ({ path }: HttpRoute): boolean =>
  path === "/mess" ||
  path === EXCHANGE_REQUESTS_PATH ||
  path.includes("{ref}") ||
  path.startsWith("/hooks/") ||
  path === "/groups/{group}/messages";

/** Runs the handler unless the key was used for another call. A refused call leaves its key unused. */
export async function withCallKey(
  route: HttpRoute,
  { env, key, principal, request }: HttpCall,
  handle: () => HandlerPromise,
): HandlerPromise {
  if (key === undefined || checksKeysItself(route)) return await handle();
  const { household, actor } = principal;
  const { threads } = getHouseholdStub(env, household);
  const digest = await computeCallDigest(request);
  const checked = await threads.checkCall(actor, key, digest);
  if (!checked.ok) return checked;
  const done = await handle();
  if (done.ok) await threads.recordCall(actor, key, digest);
  return done;
}

/** Identifies path, query and body; the body of a large import is left out. */
async function computeCallDigest(request: Request): Promise<string> {
  const { pathname, search } = new URL(request.url);
  const length = Number(request.headers.get("Content-Length") ?? Infinity);
  const body = length <= LIMITS.textBytes ? await request.clone().text() : "";
  return await hashSha256([request.method, pathname, search, body].join("\n"));
}
