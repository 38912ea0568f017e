/** `GET /respond/state`: all data that the page needs to show a thread, in one consistent call. */
import { getHouseholdStub, getThreadStub } from "../../../stubs.ts";
import type * as z from "zod";
import { buildSessionId } from "../../../auth/links/link-sessions.ts";
import { readBearer } from "../../../auth/unauthenticated.ts";
import { LINK_PERMISSIONS, type Principal } from "../../../auth/principal.ts";
import { checkLinkScope } from "../../../auth/links/link-scope.ts";
import { hasReferences, readContext } from "../../../exchange/read-context.ts";
import { withThread } from "../../../exchange/with-thread.ts";
import { cutLine } from "../../../mess/one-line.ts";
import { defined } from "../../../mess/defined.ts";
import { ok } from "../../../mess/result.ts";
import { readCapabilityClaim } from "../../../mess/routing/capabilities.ts";
import { readBlocks } from "../../../mess/wire/message.ts";
import type { Executor } from "../../../mess/routing/routing.ts";
import { buildExample, type ActionPermission } from "../../../mess/thread/actions.ts";
import type { ThreadView } from "../../../contracts/thread-views.ts";
import { pageQuerySchema } from "../../http/parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { buildEarlierThread, buildThreadData } from "../../http/thread-body.ts";

/** A longer description of a capability is cut. */
const MAX_CAPABILITY_CHARS = 80;

type StateCall = HttpCall<z.output<typeof pageQuerySchema>>;

async function readState({ env, principal, query, request }: StateCall): HandlerPromise {
  const { settings } = getHouseholdStub(env, principal.household);
  const [view, executors, names] = await Promise.all([
    withThread(env, principal, query.ref, undefined, ({ stub }) => stub.readWithActions(principal)),
    settings.listExecutors(),
    settings.listNames(),
  ]);
  if (!view.ok) return view;
  const { scope, actor, household } = principal;
  const may = view.value.may.map((one) => applyLinkScope(principal, one));
  const session = await buildSessionId(household);
  // A browser's cookies alone do not tell which household a picture belongs to, so the address names it.
  const suffix = readBearer(request) === undefined ? `?session=${session}` : "";
  const body = buildThreadData(view.value, suffix);
  const { ref } = view.value.envelope;
  const [context, members, capabilities] = await Promise.all([
    hasReferences(view.value.messages) ? readContext(env, principal, ref) : ok([]),
    listDelegates(env, executors, principal, ref, may),
    describeRequired(env, household, view.value),
  ]);
  return ok({
    body: {
      ...body,
      earlier: context.ok ? context.value.map((one) => buildEarlierThread(ref, one, suffix)) : [],
      me: { executor: actor, permissions: scope?.permissions ?? LINK_PERMISSIONS },
      may,
      ...defined({ decision: view.value.decision }),
      members,
      names: pickNames(names, view.value),
      capabilities,
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

/**
 * Other members who can do what the thread requires, if it can be passed on at all. A link shows only those that the
 * thread was offered to, as its route does, and nobody else of the household.
 */
async function listDelegates(
  env: Env,
  executors: readonly Executor[],
  principal: Principal,
  ref: string,
  may: readonly ActionPermission[],
): Promise<{ id: string; name?: string }[]> {
  if (!may.some(({ action, allowed }) => action === "delegated" && allowed)) return [];
  const route = await getThreadStub(env, principal.household, ref).getRoute(principal);
  const listIds = (key: "candidates" | "passed_over"): Set<string> =>
    new Set(route.ok ? route.value[key].map(({ id }) => id) : []);
  const [offered, passedOver] = [listIds("candidates"), listIds("passed_over")];
  const isShown = (id: string): boolean =>
    principal.scope === undefined ? !passedOver.has(id) : offered.has(id);
  return executors
    .filter(({ id }) => id !== principal.actor && isShown(id))
    .map(({ id, name }) => (name === undefined ? { id } : { id, name }));
}

/** Short descriptions of the capabilities that the request requires, by id; of no others. */
async function describeRequired(
  env: Env,
  household: string,
  { messages }: ThreadView,
): Promise<Record<string, string>> {
  const ids = readBlocks(messages[0]?.MESS ?? [])
    .flatMap((block) => (block.type === "request" ? (block.body.requires ?? []) : []))
    .map((one) => readCapabilityClaim(one).id);
  if (ids.length === 0) return {};
  const { settings } = getHouseholdStub(env, household);
  return Object.fromEntries(
    Object.entries(await settings.describeCapabilities(ids)).map(([id, description]) => [
      id,
      cutLine(description, MAX_CAPABILITY_CHARS),
    ]),
  );
}

/** Display names of the thread's participants by id; no other members of the household. */
function pickNames(
  names: Readonly<Record<string, string>>,
  { envelope: { requestor, executor, history }, messages }: ThreadView,
): Record<string, string> {
  const part = new Set<unknown>([
    requestor,
    executor,
    ...history.map(({ by }) => by),
    ...messages.flatMap(({ from, MESS }) => [from, ...MESS.flatMap(listMentioned)]),
  ]);
  return Object.fromEntries(Object.entries(names).filter(([id]) => part.has(id)));
}

/** Members that a message hands the thread to, or suggests. */
function listMentioned(block: Record<string, unknown>): unknown[] {
  const { status, suggestion } = block as {
    status?: { delegated_to?: unknown };
    suggestion?: { proposed?: { executor?: unknown } };
  };
  return [status?.delegated_to, suggestion?.proposed?.executor];
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
