/**
 * Whether a request can join a thread that asks for the same observation already. The household only proposes it: the
 * thread itself lets the other in, or not.
 */
import { isMap } from "../../mess/json.ts";
import {
  getJoinableSeconds,
  type Observation,
  readObservation,
} from "../../mess/routing/observations.ts";
import type { Request } from "../../mess/wire/schema.ts";
import { isFinal } from "../../mess/status.ts";
import type { Stores } from "../stores.ts";
import type { OpenedThread } from "../../contracts/household.ts";

/** `settings.coalesce`: with whom a request may be put together. */
const COALESCING_SCOPES = ["household", "own", "off"] as const;
type CoalescingScope = (typeof COALESCING_SCOPES)[number];

export const isCoalescingScope = (value: unknown): value is CoalescingScope =>
  COALESCING_SCOPES.some((scope) => scope === value);

interface StoredObservation extends Observation {
  requestor: string;
}

/** A request of a call, with the ref of its thread. */
export interface OpenedRequest {
  ref: string;
  request: Request;
  /** Digest of what is asked, where it may be put together with others. */
  observationDigest?: string;
}

export class Observations {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The newest thread that asks for it. @param observationDigest digest of what is asked */
  get(observationDigest: string): { ref: string; asked: StoredObservation } | undefined {
    const [row] = this.#sql
      .exec<{ ref: string; asked: string }>(
        "SELECT ref, asked FROM observations WHERE asks = ?",
        observationDigest,
      )
      .toArray();
    return row && { ref: row.ref, asked: JSON.parse(row.asked) as StoredObservation };
  }

  put(observationDigest: string, ref: string, observation: StoredObservation): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO observations (asks, ref, asked) VALUES (?, ?, ?)",
      observationDigest,
      ref,
      JSON.stringify(observation),
    );
  }

  /** The thread that `ref` joined, or was to join. */
  findJoined(ref: string): string | undefined {
    return this.#sql
      .exec<{ joined: string }>("SELECT joined FROM joins WHERE ref = ?", ref)
      .toArray()[0]?.joined;
  }

  /** As `OpenedThread` has it. */
  getJoin(ref: string): Pick<OpenedThread, "joins"> {
    const [row] = this.#sql
      .exec<{ joined: string; within: number }>(
        "SELECT joined, within FROM joins WHERE ref = ?",
        ref,
      )
      .toArray();
    return row ? { joins: { ref: row.joined, within: row.within } } : {};
  }

  join(ref: string, joined: string, within: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO joins (ref, joined, within, told) VALUES (?, ?, ?, 0)",
      ref,
      joined,
      within,
    );
  }

  unjoin(ref: string): void {
    this.#sql.exec("DELETE FROM joins WHERE ref = ?", ref);
  }

  /** Takes those that joined the thread and were not told of its end; they count as told from now on. */
  takeUnnotified(joined: string): string[] {
    return this.#sql
      .exec<{ ref: string }>(
        "UPDATE joins SET told = 1 WHERE joined = ? AND told = 0 RETURNING ref",
        joined,
      )
      .toArray()
      .map(({ ref }) => ref);
  }
}

/**
 * Settles for the new requests of a call whether they join a thread or may be joined. Those of one call are not put
 * together with each other.
 */
export function coalesce(
  stores: Stores,
  actor: string,
  fresh: readonly OpenedRequest[],
  now: number,
): void {
  const found = fresh.map((opened) => ({
    asked: opened,
    joins: findJoinable(stores, actor, opened, now),
  }));
  for (const { asked: opened, joins } of found) {
    if (joins) stores.observations.join(opened.ref, joins.ref, joins.within);
    else recordObservation(stores, actor, opened, now);
  }
}

/** The thread that the request may join, with the seconds for which its answer would hold. */
function findJoinable(
  stores: Stores,
  actor: string,
  { request, observationDigest }: OpenedRequest,
  now: number,
): { ref: string; within: number } | undefined {
  const { observations, threadCatalog, settings } = stores;
  const known = observationDigest === undefined ? undefined : observations.get(observationDigest);
  const own = readObservation(request, now, settings.getZone());
  const scope = getScope(stores);
  if (!known || scope === "off") return undefined;
  if (scope === "own" && known.asked.requestor !== actor) return undefined;
  const within = getJoinableSeconds(known.asked, own);
  const thread = threadCatalog.get(known.ref);
  if (within === undefined || !thread || thread.status === "partial") return undefined;
  // Of one that was completed nothing is heard but afterthoughts: if it was heard before that, it is too old for sure.
  const holds = thread.status === "completed" && thread.heard + within * 1_000 >= now;
  return holds || !isFinal(thread.status) ? { ref: known.ref, within } : undefined;
}

/** From now on it is this thread that others may join. */
export function recordObservation(
  { observations, settings }: Stores,
  actor: string,
  { ref, request, observationDigest }: OpenedRequest,
  now: number,
): void {
  if (observationDigest === undefined) return;
  const own = readObservation(request, now, settings.getZone());
  observations.put(observationDigest, ref, { ...own, requestor: actor });
}

function getScope({ settings }: Stores): CoalescingScope {
  const { settings: own } = settings.get("other") ?? {};
  const scope = isMap(own) ? own["coalesce"] : undefined;
  return isCoalescingScope(scope) ? scope : "household";
}
