/** Which thread a sender means (decisions 3 and 4). */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { splitTarget } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import type { CatalogueRow } from "./thread-catalog.ts";
import type { Stores } from "../stores.ts";

const MOST_CANDIDATES = 10;

const unknown = () =>
  refuse(
    "not_found",
    "no such thread",
    "Give the ref from the ack, your own id of the request, or last.",
  );

/** Those that the actor may see; until a thread has told of itself, only its requestor may. */
function seen({ credentials }: Stores, actor: string, rows: CatalogueRow[]): CatalogueRow[] {
  if (credentials.isOwner(actor)) return rows;
  return rows.filter(({ participants }) => (JSON.parse(participants) as string[]).includes(actor));
}

function resolveThread(stores: Stores, actor: string, name: string): Outcome<string> {
  const { catalogue, clientIds } = stores;
  if (name === "last") {
    const newest = catalogue.newest(actor);
    return newest === undefined ? unknown() : ok(newest);
  }
  const exact = catalogue.get(name);
  if (exact && seen(stores, actor, [exact]).length > 0) return ok(name);
  const own = clientIds.newest(actor, name);
  if (own !== undefined) return ok(own);

  const meant = seen(stores, actor, catalogue.withShort(name));
  if (meant.length === 0) return unknown();
  if (meant.length === 1) return ok(meant[0]!.ref);
  return refuse("ambiguous_ref", "several threads go by this ref", "Give one of them in full.", {
    valid: meant.slice(0, MOST_CANDIDATES).map(({ ref }) => ref),
  });
}

/** `{thread}` or `{thread}/{message}` with the thread's full ref; the message's name is left as it is. */
export function resolveTarget(stores: Stores, actor: string, target: string): Outcome<string> {
  const { thread, message } = splitTarget(target);
  const found = resolveThread(stores, actor, thread);
  if (!found.ok || message === undefined) return found;
  return ok(`${found.value}/${message}`);
}

/** As `resolveTarget`; with the key of a call, what the target meant when that call came first. */
export function resolveForCall(
  stores: Stores,
  actor: string,
  target: string,
  key: string | undefined,
): Outcome<string> {
  if (key === undefined) return resolveTarget(stores, actor, target);
  const meant = stores.calls.meant(actor, key, target);
  if (meant !== undefined) return ok(meant);
  const found = resolveTarget(stores, actor, target);
  if (found.ok && found.value !== target) {
    stores.calls.remember(actor, key, target, found.value);
  }
  return found;
}
