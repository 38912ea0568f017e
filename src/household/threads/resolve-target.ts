/** Resolves the target of a message to a thread (decisions 3 and 4). */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { splitTarget } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import type { ThreadCatalogRow } from "./thread-catalog.ts";
import type { Stores } from "../stores.ts";

const MAX_CANDIDATES = 10;

const refuseUnknownThread = () =>
  refuse(
    "not_found",
    "thread not found",
    "Use the ref from the ack, the id that you gave the request, or last.",
  );

/** The threads that the actor may see. Before a thread's first summary, only its requestor may see it. */
function filterVisible(
  { credentials }: Stores,
  actor: string,
  rows: ThreadCatalogRow[],
): ThreadCatalogRow[] {
  if (credentials.isOwner(actor)) return rows;
  return rows.filter(({ participants }) => (JSON.parse(participants) as string[]).includes(actor));
}

function resolveThread(stores: Stores, actor: string, name: string): Outcome<string> {
  const { threadCatalog, clientIds } = stores;
  if (name === "last") {
    const newest = threadCatalog.findNewest(actor, Date.now());
    return newest === undefined ? refuseUnknownThread() : ok(newest);
  }
  const exact = threadCatalog.get(name);
  if (exact && filterVisible(stores, actor, [exact]).length > 0) return ok(name);
  const own = clientIds.findNewest(actor, name);
  if (own !== undefined) return ok(own);

  // An executor answers with the name that it was shown: the requestor's id (decision 73).
  const offered = filterVisible(stores, actor, threadCatalog.findOpenByClientId(name));
  const candidates =
    offered.length > 0 ? offered : filterVisible(stores, actor, threadCatalog.findByShortRef(name));
  if (candidates.length === 0) return refuseUnknownThread();
  if (candidates.length === 1) return ok(candidates[0]!.ref);
  return refuse("ambiguous_ref", "several threads match this name", "Use one of the full refs.", {
    valid: candidates.slice(0, MAX_CANDIDATES).map(({ ref }) => ref),
  });
}

/** Resolves `{thread}` or `{thread}/{message}` to the full ref of the thread; the message part is unchanged. */
export function resolveTarget(stores: Stores, actor: string, target: string): Outcome<string> {
  const { thread, message } = splitTarget(target);
  const found = resolveThread(stores, actor, thread);
  if (!found.ok || message === undefined) return found;
  return ok(`${found.value}/${message}`);
}

/** Like `resolveTarget`. With the key of a call, returns the result of that call's first attempt. */
export function resolveForCall(
  stores: Stores,
  actor: string,
  target: string,
  key: string | undefined,
): Outcome<string> {
  if (key === undefined) return resolveTarget(stores, actor, target);
  const earlier = stores.idempotentCalls.findResolved(actor, key, target);
  if (earlier !== undefined) return ok(earlier);
  const found = resolveTarget(stores, actor, target);
  if (found.ok && found.value !== target) {
    stores.idempotentCalls.recordResolved(actor, key, target, found.value);
  }
  return found;
}
