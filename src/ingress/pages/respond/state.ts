/** `GET /respond/state`: all that the page needs to draw a thread, in one call and of one moment. */
import { householdStub } from "../../../stubs.ts";
import type * as z from "zod";
import { sessionId } from "../../../auth/links/link-sessions.ts";
import { bearerOf } from "../../../auth/unauthenticated.ts";
import { LINK_PERMISSIONS, type Principal } from "../../../auth/principal.ts";
import { scopeFault } from "../../../auth/links/link-scope.ts";
import { reach } from "../../../exchange/with-thread.ts";
import { ok } from "../../../mess/result.ts";
import type { Executor } from "../../../mess/routing/routing.ts";
import { exampleOf, type May } from "../../../mess/thread/actions.ts";
import type { ThreadView } from "../../../contracts/thread.ts";
import { pageQuery } from "../../http/parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../../http/route.ts";
import { threadData } from "../../http/thread-body.ts";

type StateCall = Call<z.output<typeof pageQuery>>;

async function readState({ env, principal, query, request }: StateCall): Handled {
  const [sight, executors] = await Promise.all([
    reach(env, principal, query.ref, undefined, ({ stub }) => stub.sight(principal)),
    householdStub(env, principal.household).executors(),
  ]);
  if (!sight.ok) return sight;
  const { scope, actor, household } = principal;
  const may = sight.value.may.map((one) => permitted(principal, one));
  const session = await sessionId(household);
  // By its cookie alone a browser cannot tell for which household it asks for a picture.
  const body = threadData(
    sight.value,
    bearerOf(request) === undefined ? `?session=${session}` : "",
  );
  return ok({
    body: {
      ...body,
      me: { executor: actor, permissions: scope?.permissions ?? LINK_PERMISSIONS },
      may,
      members: membersFor(executors, principal, may),
      names: namesOf(executors, sight.value),
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
function membersFor(
  executors: readonly Executor[],
  { actor }: Principal,
  may: readonly May[],
): { id: string; name?: string }[] {
  if (!may.some(({ action, allowed }) => action === "delegated" && allowed)) return [];
  return executors
    .filter(({ id }) => id !== actor)
    .map(({ id, name }) => (name === undefined ? { id } : { id, name }));
}

/** What people call those who had a part in the thread, by id; nobody else of the household. */
function namesOf(
  executors: readonly Executor[],
  { envelope: { requestor, executor, history }, messages }: ThreadView,
): Record<string, string> {
  const part = new Set([
    requestor,
    executor,
    ...history.map(({ by }) => by),
    ...messages.map(({ from }) => from),
  ]);
  const named = executors.filter(({ id, name }) => name !== undefined && part.has(id));
  return Object.fromEntries(named.map(({ id, name = id }) => [id, name]));
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
