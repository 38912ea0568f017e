/** Archives: a thread or the household as a file to download. */
import type * as z from "zod";
import { archiveHousehold, archiveThread } from "../../../../exchange/archives/export-threads.ts";
import { ok } from "../../../../mess/result.ts";
import { rangeQuerySchema } from "../../parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const ZIP_TYPE = "application/zip";

const buildArchiveHeaders = (name: string): Record<string, string> => ({
  "Content-Type": ZIP_TYPE,
  "Content-Disposition": `attachment; filename="${name}"`,
});

/** The thread of the path as a zip. */
export async function exportThread({
  env,
  principal,
  param,
}: Pick<HttpCall, "env" | "principal" | "param">): HandlerPromise {
  const made = await archiveThread(env, principal, param("ref"));
  if (!made.ok) return made;
  const { name, stream, size } = made.value;
  const sizedStream = stream.pipeThrough(new FixedLengthStream(size));
  return ok(
    new Response(sizedStream, {
      headers: { ...buildArchiveHeaders(name), "Content-Length": String(size) },
    }),
  );
}

async function exportHousehold(call: HttpCall<z.output<typeof rangeQuerySchema>>): HandlerPromise {
  const { env, principal, query, request } = call;
  const { stream, next } = await archiveHousehold(env, principal, query);
  const nextQuery = new URLSearchParams({ after: next ?? "" });
  if (query.limit !== undefined) nextQuery.set("limit", String(query.limit));
  const { pathname } = new URL(request.url);
  return ok(
    new Response(stream, {
      headers: {
        ...buildArchiveHeaders(`${principal.household}.messe-af.zip`),
        ...(next === undefined
          ? {}
          : { Link: `<${pathname}?${nextQuery.toString()}>; rel="next"` }),
      },
    }),
  );
}

export const archiveRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/mess/export.zip",
    access: "owner",
    summary: "Every thread of the household, in state=… folders",
    description:
      "A large household is exported in parts that an import accepts, of at most `limit` threads; a Link header with rel=next names the next part.",
    produces: ZIP_TYPE,
    query: rangeQuerySchema,
    handle: exportHousehold,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/archive.zip",
    access: "visitor",
    summary: "The thread's directory: its files and attachments",
    produces: ZIP_TYPE,
    handle: exportThread,
  }),
];
