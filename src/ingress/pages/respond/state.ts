/** `GET /respond/state`: all data that the page needs to show a thread, in one consistent call. */
import { getHouseholdStub } from "../../../stubs.ts";
import type * as z from "zod";
import { buildSessionId } from "../../../auth/links/link-sessions.ts";
import { readBearer } from "../../../auth/unauthenticated.ts";
import { LINK_PERMISSIONS, type Principal } from "../../../auth/principal.ts";
import { checkLinkScope } from "../../../auth/links/link-scope.ts";
import { withThread } from "../../../exchange/with-thread.ts";
import { ok } from "../../../mess/result.ts";
import type { Executor } from "../../../mess/routing/routing.ts";
import { buildExample, type ActionPermission } from "../../../mess/thread/actions.ts";
import type { ThreadView } from "../../../contracts/thread.ts";
import { pageQuerySchema } from "../../http/parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { buildThreadData } from "../../http/thread-body.ts";

type StateCall = HttpCall<z.output<typeof pageQuerySchema>>;

async function readState({ env, principal, query, request }: StateCall): HandlerPromise {
  const [view, executors] = await Promise.all([
    withThread(env, principal, query.ref, undefined, ({ stub }) => stub.readWithActions(principal)),
    getHouseholdStub(env, principal.household).settings.listExecutors(),
  ]);
  if (!view.ok) return view;
  const { scope, actor, household } = principal;
  const may = view.value.may.map((one) => applyLinkScope(principal, one));
  const session = await buildSessionId(household);
  // A browser's cookies alone do not tell which household a picture belongs to, so the address names it.
  const body = buildThreadData(
    view.value,
    readBearer(request) === undefined ? `?session=${session}` : "",
  );
  return ok({
    body: {
      ...body,
      me: { executor: actor, permissions: scope?.permissions ?? LINK_PERMISSIONS },
      may,
      members: listDelegates(executors, principal, may),
      names: listNames(executors, view.value),
      session,
    },
  });
}

/** Actions that the thread would accept, but the link does not allow. */
function applyLinkScope(principal: Principal, may: ActionPermission): ActionPermission {
  const { scope } = principal;
  if (!may.allowed || !scope) return may;
  const error = checkLinkScope(principal, [{ ...buildExample(may.action), re: scope.ref }]);
  return error
    ? { action: may.action, allowed: false, reason: error.code, message: error.message }
    : may;
}

/** Members to whom the thread can be passed on, if it can be passed on at all. */
function listDelegates(
  executors: readonly Executor[],
  { actor }: Principal,
  may: readonly ActionPermission[],
): { id: string; name?: string }[] {
  if (!may.some(({ action, allowed }) => action === "delegated" && allowed)) return [];
  return executors
    .filter(({ id }) => id !== actor)
    .map(({ id, name }) => (name === undefined ? { id } : { id, name }));
}

/** Display names of the thread's participants by id; no other members of the household. */
function listNames(
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

export const stateRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/respond/state",
    access: "visitor",
    summary:
      "The thread, the caller, the allowed actions, the reasons for the others, and the members it can be passed on to",
    query: pageQuerySchema,
    handle: readState,
  }),
];
