/** `GET /inbox/live`: a WebSocket that notifies a signed-in person of changes, so that the page reloads the inbox. */
import { getHouseholdStub } from "../../../stubs.ts";
import type * as z from "zod";
import { authenticatePeople } from "../../../auth/people/browser-caller.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { getConfig } from "../../../config.ts";
import { fail, ok } from "../../../mess/result.ts";
import { householdQuerySchema } from "../../http/parameters.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { checkSocketOrigin } from "../respond/live.ts";

async function listenToChanges({
  env,
  request,
}: NoHouseholdCall<z.output<typeof householdQuerySchema>>): HandlerPromise {
  const people = await authenticatePeople(env, getConfig(env).secret, request);
  if (!people.ok) return people;
  const [person] = people.value;
  if (!person) return refuseUnauthenticated();
  const error = checkSocketOrigin(request);
  if (error) return fail(error);
  const { household, actor, role, session } = person;
  const credential = `session:${session}`;
  const query = new URLSearchParams({ actor, role, credential }).toString();
  const { webSocket } = await getHouseholdStub(env, household).fetch(
    new Request(`https://household/changes?${query}`, { headers: { Upgrade: "websocket" } }),
  );
  return webSocket ? ok(new Response(null, { status: 101, webSocket })) : refuseUnauthenticated();
}

export const liveRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/inbox/live",
    access: "open",
    summary: "A WebSocket that gets {ref, status} with every change in one household",
    query: householdQuerySchema,
    handle: listenToChanges,
  }),
];
