/**
 * Carrying out what a thread's requestor has accepted: threads are merged into one, or one is split. The new threads
 * are opened in one transaction together with the errands that make them and end the old ones, so that a crash
 * anywhere leaves neither too many nor too few.
 */
import { threadStub } from "../../stubs.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Envelope } from "../../mess/envelope.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { blocksOf } from "../../mess/wire/message.ts";
import { splitTarget } from "../../mess/refs.ts";
import { candidateOf, type Route } from "../../mess/routing/routing.ts";
import type { Request } from "../../mess/wire/schema.ts";
import { isFinal } from "../../mess/status.ts";
import type { Effect, MergeEffect } from "../../mess/thread/effects.ts";
import { type Asked, partOf, unite } from "../../mess/routing/merge-requests.ts";
import { putFirst } from "../schedules/rotation.ts";
import type { CreateInput } from "../../contracts/thread.ts";
import { openThreads, routed } from "./open-threads.ts";
import { resolveTarget } from "./resolve-target.ts";
import { standingOf } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { Opened } from "../../contracts/household.ts";

interface Thread extends Asked {
  envelope: Envelope;
}

/** What is to be made in place of which threads; or why nothing can be. */
export type Plan =
  | { key: string; requestor: string; requests: Request[]; replaced: string[]; effect: Effect }
  | { key: string; impossible: string };

/**
 * Reads the threads that the effect concerns, and says what is to be done. Nothing is stored.
 * @param ref the thread in which it was accepted
 */
export async function planEffect(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  ref: string,
  effect: Effect,
): Promise<Plan> {
  const key = keyOf(ref, effect);
  const own = await readThread(env, stores, ref);
  if (!own || !isOpen(own)) return { key, impossible: `${ref} has ended by now` };
  const { requestor } = own.envelope;
  if (effect.type === "split") {
    const requests = effect.requests.map((part) => partOf(own, part));
    return { key, requestor, requests, replaced: [ref], effect };
  }
  const refs = mergedRefs(stores, own, effect);
  const threads = await Promise.all(refs.map((one) => readThread(env, stores, one)));
  const isOwner = standingOf(stores, effect.by) === "owner";
  const merged: Thread[] = [own];
  for (const thread of threads) {
    if (!thread || (thread.envelope.requestor !== requestor && !isOwner))
      return { key, impossible: "not all of the threads are the requestor's" };
    if (isOpen(thread)) merged.push(thread);
  }
  if (merged.length < 2) return { key, impossible: "the other threads have ended by now" };
  const request = unite(merged, effect.combined_intent);
  if (JSON.stringify(request).length > LIMITS.text)
    return { key, impossible: "together they are too large" };
  const replaced = merged.map(({ envelope }) => envelope.ref);
  return { key, requestor, requests: [request], replaced, effect };
}

/** To be run in one transaction; done once for each key. */
export function carryOut(stores: Stores, ref: string, plan: Plan, now: number): void {
  const { errands, calls, dependencies } = stores;
  if (calls.get(EXCHANGE, plan.key)) return;
  if ("impossible" in plan) {
    calls.add(EXCHANGE, plan.key, []);
    const message = `What was accepted cannot be carried out: ${plan.impossible}.`;
    errands.add(`${ref} ${plan.key}`, ref, { do: "say", told: { key: plan.key, message } }, now);
    return;
  }
  const { key, replaced, effect } = plan;
  const opened = fault(stores, plan) ?? openNew(stores, plan, now);
  if (!opened.ok) {
    carryOut(stores, ref, { key, impossible: opened.error.message }, now);
    return;
  }
  const threads = opened.value;
  for (const done of [key, ...replaced.map(replacedKey)])
    calls.add(EXCHANGE, done, threads.map(callOf));
  const [first, ...others] = threads.map((thread) => thread.ref);
  const bundle = first!;
  for (const old of replaced) {
    for (const waiting of dependencies.repoint(old, [first!, ...others]))
      errands.add(bundle, waiting, { do: "await", of: old, instead: [first!, ...others] }, now);
  }
  for (const [index, thread] of threads.entries()) {
    const route = proposedRoute(stores, effect, thread.route);
    const input = birth(stores, plan, threads, index, route);
    errands.add(bundle, thread.ref, { do: "create", input }, now);
  }
  const reason = effect.type;
  for (const old of replaced) {
    const by = { superseded_by: first!, reason, ...(others.length > 0 ? { others } : {}) };
    errands.add(bundle, old, { do: "supersede", by }, now);
  }
}

/** What is done already is remembered as calls of the exchange itself. */
const EXCHANGE = "exchange";
const replacedKey = (ref: string): string => `replaced ${ref}`;
const callOf = ({ ref }: Opened) => ({ digest: "", ref });

/** Why it cannot be, as things have become since it was planned. */
function fault(
  { calls, dependencies }: Stores,
  { replaced, requests }: Extract<Plan, { requests: Request[] }>,
) {
  const gone = replaced.find((old) => calls.get(EXCHANGE, replacedKey(old)));
  if (gone !== undefined)
    return refuse("thread_finished", `${gone} is replaced already`, "Look at what replaces it.");
  const waiting = dependencies.waitingFor(replaced);
  const circle = requests
    .flatMap(({ constraints }) => constraints?.depends_on ?? [])
    .find((ref) => waiting.has(ref));
  return circle === undefined
    ? undefined
    : refuse("dependency_cycle", `it would wait for ${circle}, and that for it`, "Ask anew.");
}

const keyOf = (ref: string, effect: Effect): string => `${effect.type} ${ref} ${effect.made_in}`;

const openNew = (
  stores: Stores,
  { key, requestor, requests }: Extract<Plan, { requests: Request[] }>,
  now: number,
): Outcome<Opened[]> =>
  openThreads(
    stores,
    {
      actor: requestor,
      requests: requests.map((request, index) => ({ request, digest: `${key} ${index}` })),
    },
    now,
  );

/** What makes the thread of one of the requests. */
function birth(
  stores: Stores,
  { key, requestor, requests, replaced, effect }: Extract<Plan, { requests: Request[] }>,
  threads: readonly Opened[],
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
    household: settings.household().id,
    ref,
    zone: settings.zone(),
    requestor,
    channel: effect.type,
    message: { blocks: [{ type: "request", body: requests[index]! }] },
    blobs: [],
    digest: `${key} ${index}`,
    ...routed(stores, route, requestor),
    ...(threads.length > 1 ? batch : {}),
    ...(blocked_by.length > 0 ? { blocked_by } : {}),
    replaces: { refs: replaced, reason: effect.type },
  };
}

/** Whom the suggestion named is asked first, capable or not: the requestor has agreed to it. */
function proposedRoute({ members }: Stores, effect: Effect, route: Route): Route {
  const named = effect.type === "merge" ? effect.executor : undefined;
  const executor = named === undefined ? undefined : members.executor(named);
  if (!executor) return route;
  const known = route.candidates.some(({ id }) => id === executor.id);
  const candidates = known
    ? route.candidates
    : [{ ...candidateOf(executor), rung: 1, reasons: [] }, ...route.candidates];
  return putFirst({ ...route, candidates }, executor.id, "named in the suggestion");
}

/** The other threads that the suggestion names: by ref, or by ids of the requestor. */
function mergedRefs(stores: Stores, { envelope }: Thread, effect: MergeEffect): string[] {
  const found = effect.with.map((target) => {
    const resolved = resolveTarget(stores, envelope.requestor, target);
    return splitTarget(resolved.ok ? resolved.value : target).thread;
  });
  return [...new Set(found)].filter((one) => one !== envelope.ref);
}

const isOpen = ({ envelope: { status } }: Thread): boolean =>
  status !== "partial" && !isFinal(status);

async function readThread(
  env: Pick<Env, "THREADS">,
  { settings }: Stores,
  ref: string,
): Promise<Thread | undefined> {
  const household = settings.household().id;
  const exchange: Principal = { household, actor: "exchange", role: "owner" };
  const read = await threadStub(env, household, ref).read(exchange);
  if (!read.ok) return undefined;
  const { envelope, messages } = read.value;
  const [block] = blocksOf(messages[0]?.MESS ?? []);
  return block?.type === "request" ? { envelope, request: block.body } : undefined;
}
