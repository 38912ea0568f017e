/** The caller: which member it is, and in which households. A page that a person has signed in to begins with it. */
import { authenticateMember } from "../../../../auth/authenticate.ts";
import { buildSessionId } from "../../../../auth/links/link-sessions.ts";
import { authenticatePeople } from "../../../../auth/people/browser-caller.ts";
import { readBearer, refuseUnauthenticated } from "../../../../auth/unauthenticated.ts";
import { getConfig } from "../../../../config.ts";
import { ok } from "../../../../mess/result.ts";
import {
  defineNoHouseholdRoute,
  type HandlerPromise,
  type HttpRoute,
  type NoHouseholdCall,
} from "../../route.ts";

/** One household for a key; all in which the person is signed in for a browser. */
async function showCaller({ env, request }: NoHouseholdCall): HandlerPromise {
  const bearer = readBearer(request);
  if (bearer !== undefined) {
    const member = await authenticateMember(env, request, bearer, "messages");
    if (!member.ok) return member;
    const { household, actor, role, paths } = member.value;
    return ok({ body: { households: [{ id: household, actor, role, paths }] } });
  }
  const people = await authenticatePeople(env, getConfig(env).secret, request);
  if (!people.ok) return people;
  if (people.value.length === 0) return refuseUnauthenticated();
  const households = people.value.map(async ({ household, household_name, actor, role }) => ({
    id: household,
    name: household_name,
    actor,
    role,
    session: await buildSessionId(household),
  }));
  return ok({ body: { households: await Promise.all(households) } });
}

export const callerRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/api/v1/me",
    access: "open",
    summary: "The caller's member and role, in each of its households",
    description:
      "A browser in which a person is signed in gets all households of the person. `session` is the value of the header X-MESS-Session, with which another call names one of them.",
    handle: showCaller,
  }),
];
