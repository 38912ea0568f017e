/**
 * Whether a request can join a thread that asks for the same observation already. The household only proposes it: the
 * thread itself lets the other in, or not.
 */
import { isMap } from "../../mess/json.ts";
import { mayJoin, type Observation, observationIn } from "../../mess/routing/observations.ts";
import type { Request } from "../../mess/wire/schema.ts";
import { isFinal } from "../../mess/status.ts";
import type { Stores } from "../stores.ts";
import type { Opened } from "../../contracts/household.ts";

/** `settings.coalesce`: with whom a request may be put together. */
const SCOPES = ["household", "own", "off"] as const;
type Scope = (typeof SCOPES)[number];

export const isCoalescing = (value: unknown): value is Scope =>
  SCOPES.some((scope) => scope === value);

interface Known extends Observation {
  requestor: string;
}

/** A request of a call, with the ref of its thread. */
export interface Asked {
  ref: string;
  request: Request;
  /** Digest of what is asked, where it may be put together with others. */
  asks?: string;
}

export class Observations {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The newest thread that asks for it. @param asks digest of what is asked */
  get(asks: string): { ref: string; asked: Known } | undefined {
    const [row] = this.#sql
      .exec<{ ref: string; asked: string }>(
        "SELECT ref, asked FROM observations WHERE asks = ?",
        asks,
      )
      .toArray();
    return row && { ref: row.ref, asked: JSON.parse(row.asked) as Known };
  }

  put(asks: string, ref: string, asked: Known): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO observations (asks, ref, asked) VALUES (?, ?, ?)",
      asks,
      ref,
      JSON.stringify(asked),
    );
  }

  /** The thread that `ref` joined, or was to join. */
  joinedBy(ref: string): string | undefined {
    return this.#sql
      .exec<{ joined: string }>("SELECT joined FROM joins WHERE ref = ?", ref)
      .toArray()[0]?.joined;
  }

  /** As `Opened` has it. */
  joinOf(ref: string): Pick<Opened, "joins"> {
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
  takeUntold(joined: string): string[] {
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
  fresh: readonly Asked[],
  now: number,
): void {
  const found = fresh.map((asked) => ({ asked, joins: joinable(stores, actor, asked, now) }));
  for (const { asked, joins } of found) {
    if (joins) stores.observations.join(asked.ref, joins.ref, joins.within);
    else observe(stores, actor, asked, now);
  }
}

/** The thread that the request may join, with the seconds for which its answer would hold. */
function joinable(
  stores: Stores,
  actor: string,
  { request, asks }: Asked,
  now: number,
): { ref: string; within: number } | undefined {
  const { observations, catalogue, settings } = stores;
  const known = asks === undefined ? undefined : observations.get(asks);
  const own = observationIn(request, now, settings.zone());
  const scope = scopeOf(stores);
  if (!known || scope === "off") return undefined;
  if (scope === "own" && known.asked.requestor !== actor) return undefined;
  const within = mayJoin(known.asked, own);
  const thread = catalogue.get(known.ref);
  if (within === undefined || !thread || thread.status === "partial") return undefined;
  // Of one that was completed nothing is heard but afterthoughts: if it was heard before that, it is too old for sure.
  const holds = thread.status === "completed" && thread.heard + within * 1_000 >= now;
  return holds || !isFinal(thread.status) ? { ref: known.ref, within } : undefined;
}

/** From now on it is this thread that others may join. */
export function observe(
  { observations, settings }: Stores,
  actor: string,
  { ref, request, asks }: Asked,
  now: number,
): void {
  if (asks === undefined) return;
  const own = observationIn(request, now, settings.zone());
  observations.put(asks, ref, { ...own, requestor: actor });
}

function scopeOf({ settings }: Stores): Scope {
  const { settings: own } = settings.get("other") ?? {};
  const said = isMap(own) ? own["coalesce"] : undefined;
  return isCoalescing(said) ? said : "household";
}
