/** `/respond/session`: the page gives a link away for a cookie, so that its token can leave the address bar. */
import type * as z from "zod";
import {
  beginLinkSession,
  endLinkSession,
  namedSession,
  sessionId,
} from "../../../auth/links/link-sessions.ts";
import { configOf } from "../../../config.ts";
import { fail, ok } from "../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import { pageQuery } from "../../http/parameters.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../../http/route.ts";
import { shield } from "../sign-in/rate-limit.ts";
import { openLink, shownLink } from "./open-link.ts";
import { foreignFault } from "./check-origin.ts";

function withCookies(cookies: readonly string[], more: Record<string, string> = {}): Response {
  const headers = new Headers(more);
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 204, headers });
}

async function begin({ env, request }: OpenCall): Handled {
  const foreign = foreignFault(request);
  if (foreign) return fail(foreign);
  const allowed = await shield(env, request, "link");
  if (!allowed.ok) return allowed;
  const shown = await readObject(request, shownLink);
  if (!shown.ok) return shown;
  const link = await openLink(env, shown.value);
  if (!link.ok) return link;
  const { household, ref } = link.value;
  const cookies = await beginLinkSession(configOf(env).secret, request, link.value);
  return ok(
    withCookies(cookies, { "X-MESS-Ref": ref, "X-MESS-Session": await sessionId(household) }),
  );
}

async function forget({ request, query }: OpenCall<z.output<typeof pageQuery>>): Handled {
  const foreign = foreignFault(request);
  if (foreign) return fail(foreign);
  return ok(withCookies(await endLinkSession(request, query.ref, namedSession(request))));
}

export const sessionRoutes: readonly Route[] = [
  openRoute({
    method: "post",
    path: "/respond/session",
    access: "open",
    summary: "Exchange a link for a browser's session: 204 with a cookie for this thread",
    description:
      "The cookie stands in for the token wherever one is accepted. What is not only read must then carry X-MESS-Client: respond. X-MESS-Ref names the thread, X-MESS-Session the session.",
    body: { description: "{token} or {code}", types: TEXT_TYPES, schema: shownLink },
    handle: begin,
  }),
  openRoute({
    method: "delete",
    path: "/respond/session",
    access: "open",
    summary: "Forget this browser's session for the thread",
    query: pageQuery,
    handle: forget,
  }),
];
