/** `/api/v1/audit`: changes of access, secrets and settings, and who made them. */
import type * as z from "zod";
import { ok } from "../../../../mess/result.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import { eventsQuerySchema } from "../../parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

async function readAudit({
  env,
  principal,
  query,
}: HttpCall<z.output<typeof eventsQuerySchema>>): HandlerPromise {
  const { cursor, limit } = query;
  const { audit } = getHouseholdStub(env, principal.household);
  return ok({ body: await audit.listEntries(cursor, limit) });
}

export const auditRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/api/v1/audit",
    access: "owner",
    summary: "Changes of access, secrets and settings, newest first, with who made them",
    description:
      "Entries are kept for two years: at most the newest 10,000 about links and the newest 10,000 about everything else. While the response has `next`, call again with `cursor={next}` for older entries.",
    query: eventsQuerySchema,
    handle: readAudit,
  }),
];
