/** Resolves the target of a message to a thread (decisions 3, 4 and 74). */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { parseThreadRef, splitTarget } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import type { ResolveOptions } from "../../contracts/household-threads.ts";
import type { ThreadCatalogRow } from "./thread-catalog.ts";
import { resolveSuggestion } from "./resolve-suggestion.ts";
import type { Stores } from "../stores.ts";
import { mayReadThreadsOf, type Viewer } from "../identity/effective-role.ts";

const MAX_CANDIDATES = 10;

const refuseUnknownThread = () =>
  refuse(
    "not_found",
    "thread not found",
    "Use the ref from the ack, the id that you gave the request, or last.",
  );

/** The threads that the actor may see. Before a thread's first summary, only its requestor may see it. */
function filterVisible(
  stores: Stores,
  { actor, role }: Viewer,
  rows: ThreadCatalogRow[],
): ThreadCatalogRow[] {
  return rows.filter(
    ({ requestor, participants }) =>
      mayReadThreadsOf(stores, role, requestor) ||
      (JSON.parse(participants) as string[]).includes(actor),
  );
}

function resolveThread(stores: Stores, viewer: Viewer, name: string): Outcome<string> {
  const { actor } = viewer;
  const { threadCatalog, clientIds } = stores;
  if (name === "last") {
    const newest = threadCatalog.findNewest(actor, Date.now());
    return newest === undefined ? refuseUnknownThread() : ok(newest);
  }
  const exact = threadCatalog.get(name);
  if (exact && filterVisible(stores, viewer, [exact]).length > 0) return ok(name);
  const own = clientIds.findNewest(actor, name);
  if (own !== undefined) return ok(own);

  // An executor answers with the name that it was shown: the requestor's id (decision 73).
  const offered = filterVisible(stores, viewer, threadCatalog.findOpenByClientId(name));
  const candidates =
    offered.length > 0
      ? offered
      : filterVisible(stores, viewer, threadCatalog.findByShortRef(name));
  if (candidates.length === 0) return refuseUnknownThread();
  if (candidates.length === 1) return ok(candidates[0]!.ref);
  return refuse("ambiguous_ref", "several threads match this name", "Use one of the full refs.", {
    valid: candidates.slice(0, MAX_CANDIDATES).map(({ ref }) => ref),
  });
}

/** Resolves `{thread}` or `{thread}/{message}` to the full ref of the thread; the message part is unchanged. */
export function resolveTarget(stores: Stores, viewer: Viewer, target: string): Outcome<string> {
  const { thread, message } = splitTarget(target);
  const found = resolveThread(stores, viewer, thread);
  if (!found.ok || message === undefined) return found;
  return ok(`${found.value}/${message}`);
}

/** Like `resolveTarget`. The target of a reply may also be the id of a suggestion, where no thread has that name. */
function resolveReplyTarget(stores: Stores, viewer: Viewer, target: string): Outcome<string> {
  const found = resolveTarget(stores, viewer, target);
  const isThread = target.includes("/") || target === "last" || parseThreadRef(target);
  if (found.ok || found.error.code !== "not_found" || isThread) return found;
  return resolveSuggestion(stores, viewer, target);
}

/** Like `resolveTarget`. With the key of a call, returns the result of that call's first attempt. */
export function resolveForCall(
  stores: Stores,
  viewer: Viewer & ResolveOptions,
  target: string,
): Outcome<string> {
  const { actor, key, isReply } = viewer;
  const resolve = isReply ? resolveReplyTarget : resolveTarget;
  if (key === undefined) return resolve(stores, viewer, target);
  const earlier = stores.idempotentCalls.findResolved(actor, key, target);
  if (earlier !== undefined) return ok(earlier);
  const found = resolve(stores, viewer, target);
  if (found.ok && found.value !== target) {
    stores.idempotentCalls.recordResolved(actor, key, target, found.value);
  }
  return found;
}
