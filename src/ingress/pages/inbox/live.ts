/** `GET /inbox/live`: a WebSocket that tells who is signed in of changes, so that the inbox is read anew. */
import { householdStub } from "../../../stubs.ts";
import type * as z from "zod";
import { signedIn } from "../../../auth/people/browser-caller.ts";
import { unauthenticated } from "../../../auth/unauthenticated.ts";
import { configOf } from "../../../config.ts";
import { fail, ok } from "../../../mess/result.ts";
import { householdQuery } from "../../http/parameters.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../../http/route.ts";
import { socketFault } from "../respond/live.ts";

async function listen({ env, request }: OpenCall<z.output<typeof householdQuery>>): Handled {
  const people = await signedIn(env, configOf(env).secret, request);
  if (!people.ok) return people;
  const [person] = people.value;
  if (!person) return unauthenticated();
  const fault = socketFault(request);
  if (fault) return fail(fault);
  const { household, actor, role, session } = person;
  const credential = `session:${session}`;
  const who = new URLSearchParams({ actor, role, credential }).toString();
  const { webSocket } = await householdStub(env, household).fetch(
    new Request(`https://household/changes?${who}`, { headers: { Upgrade: "websocket" } }),
  );
  return webSocket ? ok(new Response(null, { status: 101, webSocket })) : unauthenticated();
}

export const liveRoutes: readonly Route[] = [
  openRoute({
    method: "get",
    path: "/inbox/live",
    access: "open",
    summary: "A WebSocket that gets {ref, status} with every change in one household",
    query: householdQuery,
    handle: listen,
  }),
];
