/**
 * Carries out accepted suggestions: merges threads into one, or splits one. The new threads are opened in one
 * transaction together with the jobs that create them and end the old ones, so that a crash leaves neither duplicates
 * nor gaps.
 */
import { getThreadStub } from "../../stubs.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Envelope } from "../../mess/envelope.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { readBlocks } from "../../mess/wire/message.ts";
import { splitTarget } from "../../mess/refs.ts";
import { toCandidate, type Route } from "../../mess/routing/routing.ts";
import type { Request } from "../../mess/wire/schema.ts";
import { isFinal } from "../../mess/status.ts";
import type { Effect, MergeEffect } from "../../mess/thread/suggestions/effects.ts";
import {
  type RequestInThread,
  buildPartRequest,
  mergeRequests,
} from "../../mess/routing/merge-requests.ts";
import { putFirst } from "../schedules/rotation.ts";
import type { CreateInput } from "../../contracts/thread.ts";
import { openThreads, buildOpenedRoute } from "./open-threads.ts";
import { resolveStoredReferences } from "./context-references.ts";
import { resolveTarget } from "./resolve-target.ts";
import { getEffectiveRole, toViewer } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { OpenedThread } from "../../contracts/household-threads.ts";

interface MergedThread extends RequestInThread {
  envelope: Envelope;
}

/** The requests to create and the threads that they replace; or the reason why this is impossible. */
export type EffectPlan =
  | {
      key: string;
      requestor: string;
      requests: Request[];
      /** References of the context of each request. */
      references: string[][];
      replaced: string[];
      effect: Effect;
    }
  | { key: string; impossible: string };

/**
 * Reads the threads of an accepted suggestion and plans its outcome. Stores nothing.
 * @param ref the thread in which the suggestion was accepted
 */
export async function planEffect(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  ref: string,
  effect: Effect,
): Promise<EffectPlan> {
  const key = buildKey(ref, effect);
  const own = await readThread(env, stores, ref);
  if (!own || !isOpenThread(own)) return { key, impossible: `${ref} has ended in the meantime` };
  const { requestor } = own.envelope;
  if (effect.type === "split") {
    const requests = effect.requests.map((part) => buildPartRequest(own, part));
    // The parts were written by an executor, so they may refer only to the thread that is split.
    const resolved = requests.map((one) =>
      resolveStoredReferences(stores, { viewers: [], granted: [ref] }, one),
    );
    return { key, requestor, ...splitResolved(resolved), replaced: [ref], effect };
  }
  const refs = listMergedRefs(stores, own, effect);
  const threads = await Promise.all(refs.map((one) => readThread(env, stores, one)));
  // Only an owner's credential may merge threads of several requestors. One with a lower role has its member's id too.
  const isOwner = effect.by_owner === true && getEffectiveRole(stores, effect.by) === "owner";
  const merged: MergedThread[] = [own];
  for (const thread of threads) {
    if (!thread || (thread.envelope.requestor !== requestor && !isOwner))
      return { key, impossible: "some of the threads are unknown or belong to another requestor" };
    if (isOpenThread(thread)) merged.push(thread);
  }
  if (merged.length < 2) return { key, impossible: "the other threads have ended in the meantime" };
  const request = mergeRequests(merged, effect.combined_intent);
  if (JSON.stringify(request).length > LIMITS.textBytes)
    return { key, impossible: "the merged request is too large" };
  const replaced = merged.map(({ envelope }) => envelope.ref);
  const actors = [...new Set(merged.map(({ envelope }) => envelope.requestor))];
  // The merged requests open nothing beyond what they were allowed to when they were made.
  const granted = [...replaced, ...stores.contextReferences.listTargets(replaced)];
  const viewers = actors.map((actor) => toViewer(stores, actor, "agent"));
  const resolved = resolveStoredReferences(stores, { viewers, granted }, request);
  return { key, requestor, ...splitResolved([resolved]), replaced, effect };
}

const splitResolved = (resolved: readonly { request: Request; references: string[] }[]) => ({
  requests: resolved.map(({ request }) => request),
  references: resolved.map(({ references }) => references),
});

/** Queues the jobs of a plan. Run it in one transaction; each key is queued once only. */
export function enqueueEffect(stores: Stores, ref: string, plan: EffectPlan, now: number): void {
  const { jobs, idempotentCalls, dependencies } = stores;
  if (idempotentCalls.get(EXCHANGE_ACTOR, plan.key)) return;
  if ("impossible" in plan) {
    idempotentCalls.add(EXCHANGE_ACTOR, plan.key, []);
    const message = `The accepted suggestion cannot be carried out: ${plan.impossible}.`;
    jobs.add("say", `${ref} ${plan.key}`, { ref, message: { key: plan.key, message } }, now);
    return;
  }
  const { key, replaced, effect } = plan;
  const opened = findObstacle(stores, plan) ?? openReplacements(stores, plan, now);
  if (!opened.ok) {
    enqueueEffect(stores, ref, { key, impossible: opened.error.message }, now);
    return;
  }
  const threads = opened.value;
  for (const done of [key, ...replaced.map(buildReplacedKey)])
    idempotentCalls.add(EXCHANGE_ACTOR, done, threads.map(toCall));
  const [first, ...others] = threads.map((thread) => thread.ref);
  const queue = first!;
  for (const old of replaced) {
    for (const waiting of dependencies.replaceDependency(old, [first!, ...others]))
      jobs.add("await", queue, { ref: waiting, of: old, instead: [first!, ...others] }, now);
  }
  for (const [index, thread] of threads.entries()) {
    const route = putProposedFirst(stores, effect, thread.route);
    const input = buildCreateInput(stores, plan, threads, index, route);
    jobs.add("create", queue, { ref: thread.ref, input }, now);
  }
  const reason = effect.type;
  for (const old of replaced) {
    const by = { superseded_by: first!, reason, ...(others.length > 0 ? { others } : {}) };
    jobs.add("supersede", queue, { ref: old, by }, now);
  }
}

/** Completed outcomes are stored as idempotent calls of this actor. */
const EXCHANGE_ACTOR = "exchange";
const buildReplacedKey = (ref: string): string => `replaced ${ref}`;
const toCall = ({ ref }: OpenedThread) => ({ digest: "", ref });

/** A refusal if the plan has become impossible since it was made. */
function findObstacle(
  { idempotentCalls, dependencies }: Stores,
  { replaced, requests }: Extract<EffectPlan, { requests: Request[] }>,
) {
  const replacedBefore = replaced.find((old) =>
    idempotentCalls.get(EXCHANGE_ACTOR, buildReplacedKey(old)),
  );
  if (replacedBefore !== undefined)
    return refuse(
      "thread_finished",
      `${replacedBefore} has been replaced already`,
      "See the thread that replaces it.",
    );
  const waiting = dependencies.listAllDependents(replaced);
  const cycle = requests
    .flatMap(({ constraints }) => constraints?.depends_on ?? [])
    .find((ref) => waiting.has(ref));
  return cycle === undefined
    ? undefined
    : refuse(
        "dependency_cycle",
        `the new thread and ${cycle} would wait for each other`,
        "Create a new request.",
      );
}

const buildKey = (ref: string, effect: Effect): string => `${effect.type} ${ref} ${effect.made_in}`;

const openReplacements = (
  stores: Stores,
  { key, requestor, requests, references }: Extract<EffectPlan, { requests: Request[] }>,
  now: number,
): Outcome<OpenedThread[]> =>
  openThreads(
    stores,
    {
      ...toViewer(stores, requestor, "owner"),
      replacing: true,
      requests: requests.map((request, index) => ({
        request,
        digest: `${key} ${index}`,
        references: references[index]!,
      })),
    },
    now,
  );

/** The input that creates the thread of one of the requests. */
function buildCreateInput(
  stores: Stores,
  {
    key,
    requestor,
    requests,
    references,
    replaced,
    effect,
  }: Extract<EffectPlan, { requests: Request[] }>,
  threads: readonly OpenedThread[],
  index: number,
  route: Route,
): CreateInput {
  const { settings } = stores;
  const { ref, blocked_by } = threads[index]!;
  const batch = {
    batch: threads.map((one) => one.ref),
    batch_ack: threads.map(({ client_id: id, ref: one }) =>
      id === undefined ? { ref: one } : { id, ref: one },
    ),
  };
  return {
    household: settings.getHousehold().id,
    ref,
    zone: settings.getZone(),
    requestor,
    channel: effect.type,
    message: { blocks: [{ type: "request", body: requests[index]! }] },
    blobs: [],
    digest: `${key} ${index}`,
    ...buildOpenedRoute(stores, route, requestor),
    ...(threads.length > 1 ? batch : {}),
    ...(blocked_by.length > 0 ? { blocked_by } : {}),
    ...(references[index]!.length > 0 ? { references: references[index]! } : {}),
    replaces: { refs: replaced, reason: effect.type },
  };
}

/** Puts the proposed executor first, capable or not: the requestor has agreed to it. */
function putProposedFirst({ members }: Stores, effect: Effect, route: Route): Route {
  const named = effect.type === "merge" ? effect.executor : undefined;
  const executor = named === undefined ? undefined : members.findExecutor(named);
  if (!executor) return route;
  const known = route.candidates.some(({ id }) => id === executor.id);
  const candidates = known
    ? route.candidates
    : [{ ...toCandidate(executor), rung: 1, reasons: [] }, ...route.candidates];
  return putFirst({ ...route, candidates }, executor.id, "named in the suggestion");
}

/** Refs of the other threads in the suggestion, which names them by ref or by the requestor's client ids. */
function listMergedRefs(stores: Stores, { envelope }: MergedThread, effect: MergeEffect): string[] {
  const found = effect.with.map((target) => {
    const resolved = resolveTarget(stores, toViewer(stores, envelope.requestor, "owner"), target);
    return splitTarget(resolved.ok ? resolved.value : target).thread;
  });
  return [...new Set(found)].filter((one) => one !== envelope.ref);
}

const isOpenThread = ({ envelope: { status } }: MergedThread): boolean =>
  status !== "partial" && !isFinal(status);

async function readThread(
  env: Pick<Env, "THREADS">,
  { settings }: Stores,
  ref: string,
): Promise<MergedThread | undefined> {
  const household = settings.getHousehold().id;
  const exchange: Principal = { household, actor: "exchange", role: "owner" };
  const read = await getThreadStub(env, household, ref).readThread(exchange);
  if (!read.ok) return undefined;
  const { envelope, messages } = read.value;
  const [block] = readBlocks(messages[0]?.MESS ?? []);
  return block?.type === "request" ? { envelope, request: block.body } : undefined;
}
