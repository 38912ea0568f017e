/** `/respond/session`: exchanges a link for a cookie, so that the page can remove its token from the address bar. */
import type * as z from "zod";
import {
  beginLinkSession,
  endLinkSession,
  readSessionName,
  buildSessionId,
} from "../../../auth/links/link-sessions.ts";
import { getConfig } from "../../../config.ts";
import { fail, ok } from "../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import { pageQuerySchema } from "../../http/parameters.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { checkAttemptRate } from "../../../auth/rates/attempt-rate.ts";
import { openLink, linkInputSchema } from "./open-link.ts";
import { checkOrigin } from "./check-origin.ts";

function buildCookieResponse(
  cookies: readonly string[],
  extraHeaders: Record<string, string> = {},
): Response {
  const headers = new Headers(extraHeaders);
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 204, headers });
}

async function beginSession({ env, request }: NoHouseholdCall): HandlerPromise {
  const foreign = checkOrigin(request);
  if (foreign) return fail(foreign);
  const allowed = await checkAttemptRate(env, request, "link");
  if (!allowed.ok) return allowed;
  const address = await readObject(request, linkInputSchema);
  if (!address.ok) return address;
  const link = await openLink(env, address.value);
  if (!link.ok) return link;
  const { household, ref } = link.value;
  const cookies = await beginLinkSession(getConfig(env).secret, request, link.value);
  return ok(
    buildCookieResponse(cookies, {
      "X-MESS-Ref": ref,
      "X-MESS-Session": await buildSessionId(household),
    }),
  );
}

async function endSession({
  request,
  query,
}: NoHouseholdCall<z.output<typeof pageQuerySchema>>): HandlerPromise {
  const foreign = checkOrigin(request);
  if (foreign) return fail(foreign);
  return ok(
    buildCookieResponse(await endLinkSession(request, query.ref, readSessionName(request))),
  );
}

export const sessionRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/respond/session",
    access: "open",
    summary: "Exchange a link for a browser's session: 204 with a cookie for this thread",
    description:
      "The cookie replaces the token wherever one is accepted. Calls that change something then need the header X-MESS-Client: respond. X-MESS-Ref names the thread, X-MESS-Session the session.",
    body: { description: "{token} or {code}", types: TEXT_TYPES, schema: linkInputSchema },
    handle: beginSession,
  }),
  defineNoHouseholdRoute({
    method: "delete",
    path: "/respond/session",
    access: "open",
    summary: "Forget this browser's session for the thread",
    query: pageQuerySchema,
    handle: endSession,
  }),
];
