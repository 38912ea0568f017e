/**
 * The page on which people respond: the same static file for every link. Opening it calls no Durable Object and
 * changes nothing, so link previews are harmless; the page exchanges the link by POST (decision 65).
 */
import * as z from "zod";
import { loadPageTexts, type PageTexts, pickLanguage } from "../page-texts.ts";
import { ok } from "../../../mess/result.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";

/** No third-party or inline content. Photos, recordings and PDFs that the page shows are blob URLs. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'; worker-src 'self'; frame-src blob:; require-trusted-types-for 'script'; trusted-types dompurify mess-worker";

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": PAGE_POLICY,
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex, nofollow",
};

/** The page's script reads the query; `exchange`, which some links have, identifies nobody (decision 65). */
export const looseQuerySchema = z.looseObject({});

/** Serves a page from its folder in `public/`; only what it shows without JavaScript depends on the language. */
export const serveStatic =
  (folder: `/${string}/`) =>
  async ({ env, request }: NoHouseholdCall): HandlerPromise => {
    const page = await env.ASSETS.fetch(new URL(folder, request.url));
    const init = { status: page.status, headers: PAGE_HEADERS };
    if (pickLanguage(request.headers.get("Accept-Language")) === "en")
      return ok(new Response(page.body, init));
    const texts = await loadPageTexts(env, request);
    return ok(new Response(translateNoscript(await page.text(), texts), init));
  };

/** A script that runs sets all of it again, in the language that the person chose. */
const translateNoscript = (page: string, { language, direction, find }: PageTexts): string =>
  page
    .replace('<html lang="en"', `<html lang="${language}" dir="${direction}"`)
    .replaceAll(/ data-noscript="(\w+)"\s*>[^<]*/g, (whole, key: string) => {
      const text = find(key);
      return text === undefined ? whole : `>${text}`;
    });

const showRespondPage = serveStatic("/respond/");

export const pageRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/respond",
    access: "open",
    summary: "The page of a link: /respond?ref={ref}&token={token}",
    produces: "text/html",
    query: looseQuerySchema,
    handle: showRespondPage,
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/r/{code}",
    access: "open",
    summary: "The page of a link by its short address",
    produces: "text/html",
    query: looseQuerySchema,
    handle: showRespondPage,
  }),
];
