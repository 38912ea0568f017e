/** Archives: a thread, or the household, as files to take away. */
import type * as z from "zod";
import { archiveHousehold, archiveThread } from "../../../exchange/export-threads.ts";
import { ok } from "../../../mess/result.ts";
import { partQuery } from "../parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";

const ZIP = "application/zip";

const headers = (name: string): Record<string, string> => ({
  "Content-Type": ZIP,
  "Content-Disposition": `attachment; filename="${name}"`,
});

async function archive({ env, principal, param }: Call): Handled {
  const made = await archiveThread(env, principal, param("ref"));
  if (!made.ok) return made;
  const { name, stream, size } = made.value;
  const whole = stream.pipeThrough(new FixedLengthStream(size));
  return ok(new Response(whole, { headers: { ...headers(name), "Content-Length": String(size) } }));
}

async function exportAll(call: Call<z.output<typeof partQuery>>): Handled {
  const { env, principal, query, request } = call;
  const { stream, next } = await archiveHousehold(env, principal, query);
  const onward = new URLSearchParams({ after: next ?? "", limit: String(query.limit) });
  const { pathname } = new URL(request.url);
  return ok(
    new Response(stream, {
      headers: {
        ...headers(`${principal.household}.messe-af.zip`),
        ...(next === undefined ? {} : { Link: `<${pathname}?${onward.toString()}>; rel="next"` }),
      },
    }),
  );
}

export const archiveRoutes: readonly Route[] = [
  memberRoute({
    method: "get",
    path: "/mess/export.zip",
    access: "owner",
    summary: "Every thread of the household, in state=… folders",
    description:
      "A large household is taken in parts: at most `limit` threads, and a Link header with rel=next while more follow.",
    produces: ZIP,
    query: partQuery,
    handle: exportAll,
  }),
  memberRoute({
    method: "get",
    path: "/mess/{ref}/archive.zip",
    access: "visitor",
    summary: "The thread's directory: its files and attachments",
    produces: ZIP,
    handle: archive,
  }),
];
