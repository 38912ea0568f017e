/** Archives: a thread, or the household, as files to take away. */
import { archiveHousehold, archiveThread } from "../../exchange/archive.ts";
import { ok } from "../../mess/result.ts";
import { type Call, type Handled, memberRoute, type Route } from "./route.ts";

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

async function exportAll({ env, principal }: Call): Handled {
  const stream = archiveHousehold(env, principal);
  return ok(new Response(stream, { headers: headers(`${principal.household}.messe-af.zip`) }));
}

export const archiveRoutes: readonly Route[] = [
  memberRoute({
    method: "get",
    path: "/mess/export.zip",
    access: "owner",
    summary: "Every thread of the household, in state=… folders",
    produces: ZIP,
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
