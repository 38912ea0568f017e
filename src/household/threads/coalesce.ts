/**
 * Coalesces requests: decides whether a request can join a thread that asks for the same observation. The household
 * only proposes this; the joined thread accepts or refuses.
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
import type { OpenedThread } from "../../contracts/household-threads.ts";

/** `settings.coalesce`: whose requests may be coalesced. */
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
  /** Digest of the observation that is requested; absent if the request cannot be coalesced. */
  observationDigest?: string;
}

export class Observations {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * The newest thread that requests the observation.
   * @param observationDigest digest of the observation
   */
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

  /** The thread that `ref` joined, or proposed to join. */
  findJoined(ref: string): string | undefined {
    return this.#sql
      .exec<{ joined: string }>("SELECT joined FROM joins WHERE ref = ?", ref)
      .toArray()[0]?.joined;
  }

  /** The join in the form that `OpenedThread` has. */
  getJoin(ref: string): Pick<OpenedThread, "joins"> {
    const [row] = this.#sql
      .exec<{ joined: string; within: number }>(
        "SELECT joined, within FROM joins WHERE ref = ?",
        ref,
      )
      .toArray();
    return row ? { joins: { ref: row.joined, within: row.within } } : {};
  }

  join(ref: string, joined: string, joinableSeconds: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO joins (ref, joined, within, told) VALUES (?, ?, ?, 0)",
      ref,
      joined,
      joinableSeconds,
    );
  }

  unjoin(ref: string): void {
    this.#sql.exec("DELETE FROM joins WHERE ref = ?", ref);
  }

  /** Takes the threads that joined `joined` and were not notified of its end, and marks them as notified. */
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
 * Decides for each new request of a call whether it joins a thread or may be joined. Requests of one call are not
 * coalesced with each other.
 */
export function coalesce(
  stores: Stores,
  actor: string,
  fresh: readonly OpenedRequest[],
  now: number,
): void {
  const found = fresh.map((opened) => ({
    opened,
    joins: findJoinable(stores, actor, opened, now),
  }));
  for (const { opened, joins } of found) {
    if (joins) stores.observations.join(opened.ref, joins.ref, joins.within);
    else recordObservation(stores, actor, opened, now);
  }
}

/** The thread that the request may join, and the maximum age in seconds of an answer that it accepts. */
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
  const joinableSeconds = getJoinableSeconds(known.asked, own);
  const thread = threadCatalog.get(known.ref);
  if (joinableSeconds === undefined || !thread || thread.status === "partial") return undefined;
  // The last summary (`heard`) came at the completion or later: if it is too old, so is the answer. The thread checks
  // the rest.
  const isStillValid =
    thread.status === "completed" && thread.heard + joinableSeconds * 1_000 >= now;
  return isStillValid || !isFinal(thread.status)
    ? { ref: known.ref, within: joinableSeconds }
    : undefined;
}

/** Records the thread as the one that later requests for the observation may join. */
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
