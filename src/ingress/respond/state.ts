/** `GET /respond/state`: all that the page needs to draw a thread, in one call and of one moment. */
import type * as z from "zod";
import { sessionId } from "../../auth/link-sessions.ts";
import { LINK_PERMISSIONS, type Principal } from "../../auth/principal.ts";
import { scopeFault } from "../../auth/scope.ts";
import { reach } from "../../exchange/reach.ts";
import { householdStub } from "../../household/stub.ts";
import { ok } from "../../mess/result.ts";
import { exampleOf, type May } from "../../mess/thread/actions.ts";
import { pageQuery } from "../http/parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../http/route.ts";
import { threadData } from "../http/thread-body.ts";

type StateCall = Call<z.output<typeof pageQuery>>;

async function readState({ env, principal, query }: StateCall): Handled {
  const sight = await reach(env, principal, query.ref, undefined, ({ stub }) =>
    stub.sight(principal),
  );
  if (!sight.ok) return sight;
  const { scope, actor, household } = principal;
  const may = sight.value.may.map((one) => permitted(principal, one));
  const session = await sessionId(household);
  const body = threadData(sight.value, scope ? `?session=${session}` : "");
  return ok({
    body: {
      ...body,
      me: { executor: actor, permissions: scope?.permissions ?? LINK_PERMISSIONS },
      may,
      members: await membersFor(env, principal, may),
      session,
    },
  });
}

/** What the thread would take, but the link does not allow. */
function permitted(principal: Principal, may: May): May {
  const { scope } = principal;
  if (!may.allowed || !scope) return may;
  const fault = scopeFault(principal, [{ ...exampleOf(may.action), re: scope.ref }]);
  return fault
    ? { action: may.action, allowed: false, reason: fault.code, message: fault.message }
    : may;
}

/** Whom the thread can be passed on to, where it can be at all. */
async function membersFor(
  env: Pick<Env, "HOUSEHOLDS">,
  { household, actor }: Principal,
  may: readonly May[],
): Promise<{ id: string; name?: string }[]> {
  if (!may.some(({ action, allowed }) => action === "delegated" && allowed)) return [];
  const executors = await householdStub(env, household).executors();
  return executors
    .filter(({ id }) => id !== actor)
    .map(({ id, name }) => (name === undefined ? { id } : { id, name }));
}

export const stateRoutes: readonly Route[] = [
  memberRoute({
    method: "get",
    path: "/respond/state",
    access: "visitor",
    summary:
      "The thread, who asks, what they may do in it now and why not, and whom they may pass it to",
    query: pageQuery,
    handle: readState,
  }),
];
