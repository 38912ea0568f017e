/**
 * The statements behind a list. Each reads one range of one index in the list's own order, whatever the size of
 * the household: a range for each wanted status, since no index can be in order over several.
 */
import { partitionOf, type Partition, type Status, STATUSES } from "../mess/status.ts";
import type { Place } from "./cursor.ts";

/** Which threads are wanted: those for which everything given is true. */
export interface Wanted {
  household: string;
  /** The actor takes part: as requestor, as holder, or as one to whom it was offered. */
  participant?: string;
  state?: Partition;
  status?: readonly Status[];
  executor?: string;
  /** Any of them holds it. Read off each row: where they hold few threads, many are passed over. */
  holders?: readonly string[];
  requestor?: string;
  /** `updated` at or after, in milliseconds. */
  since?: number;
  /** Only what comes after it in the list. */
  after?: Place;
  /** Rows that are read. */
  count: number;
}

type Part = readonly [sql: string, ...values: unknown[]];

const SHOWN = [
  "ref",
  "client_id",
  "requestor",
  "executor",
  "status",
  "partition",
  "created",
  "updated",
  "expires",
  "zone",
  "intent",
  "priority",
]
  .map((column) => `t.${column}`)
  .join(", ");

/** Newest matches of a search that are put in order. */
export const MOST_FOUND = 1_000;

/** The statuses that lie in both `state` and `status`. */
export const wantedStatuses = ({ state, status }: Pick<Wanted, "state" | "status">): Status[] =>
  STATUSES.filter(
    (one) =>
      (state === undefined || partitionOf(one) === state) &&
      (status === undefined || status.includes(one)),
  );

/** The list's threads of one status, at most `count`, newest change first. */
export function listStatement(db: D1Database, wanted: Wanted, status: Status): D1PreparedStatement {
  const { from, alias, parts } = driver(wanted);
  return statement(
    db,
    `SELECT ${SHOWN} FROM ${from}`,
    [
      [`${alias}.household = ?`, wanted.household],
      ...parts,
      [`${alias}.status = ?`, status],
      ...range(alias, wanted),
    ],
    [`ORDER BY ${alias}.updated DESC, ${alias}.ref DESC LIMIT ?`, wanted.count],
  );
}

/**
 * The list's threads that match, at most `count`, newest change first. Of more than `MOST_FOUND` matches the ones
 * that came into the index last are looked at, so that a word that stands in every thread costs no more.
 */
export function searchStatement(
  db: D1Database,
  wanted: Wanted,
  match: string,
  statuses: readonly Status[],
): D1PreparedStatement {
  const { after, since, ...rest } = wanted;
  const inner = compose("SELECT t.* FROM search CROSS JOIN threads t ON t.id = search.rowid", [
    ["search MATCH ?", match],
    ["t.household = ?", wanted.household],
    ["t.status IN (SELECT value FROM json_each(?))", JSON.stringify(statuses)],
    ...actors(rest),
    ...range("t", since === undefined ? {} : { since }),
  ]);
  return statement(
    db,
    [
      `SELECT ${SHOWN} FROM (${inner[0]} ORDER BY search.rowid DESC LIMIT ${MOST_FOUND}) t`,
      ...inner.slice(1),
    ],
    range("t", after === undefined ? {} : { after }),
    ["ORDER BY t.updated DESC, t.ref DESC LIMIT ?", wanted.count],
  );
}

/** The index to walk, and what it does not answer by itself. */
function driver(wanted: Wanted): { from: string; alias: "t" | "p"; parts: Part[] } {
  const { executor, requestor, participant, holders } = wanted;
  const parts = actors(holders ? { holders } : {});
  if (executor !== undefined || requestor !== undefined) {
    const index = executor === undefined ? "threads_by_requestor" : "threads_by_executor";
    return { from: `threads t INDEXED BY ${index}`, alias: "t", parts: actors(wanted) };
  }
  if (participant !== undefined)
    return {
      from: "participants p CROSS JOIN threads t ON t.id = p.thread",
      alias: "p",
      parts: [["p.actor = ?", participant], ...parts],
    };
  return { from: "threads t INDEXED BY threads_by_status", alias: "t", parts };
}

/** Conditions on actors, as a row answers them. Requestor and holder always take part. */
function actors({ executor, requestor, participant, holders }: Partial<Wanted>): Part[] {
  const implied = participant === executor || participant === requestor;
  return [
    ...(executor === undefined ? [] : [["t.executor = ?", executor] as const]),
    ...(holders
      ? [["t.executor IN (SELECT value FROM json_each(?))", JSON.stringify(holders)] as const]
      : []),
    ...(requestor === undefined ? [] : [["t.requestor = ?", requestor] as const]),
    ...(participant === undefined || implied
      ? []
      : [["? IN (SELECT value FROM json_each(t.participants))", participant] as const]),
  ];
}

const range = (alias: "t" | "p", { since, after }: Pick<Wanted, "since" | "after">): Part[] => [
  ...(since === undefined ? [] : [[`${alias}.updated >= ?`, since] as const]),
  ...(after === undefined
    ? []
    : [[`(${alias}.updated, ${alias}.ref) < (?, ?)`, ...after] as const]),
];

function compose(head: string | Part, conditions: readonly Part[], tail: Part = [""]): Part {
  const start: Part = typeof head === "string" ? [head] : head;
  const where = conditions.map(([sql]) => sql).join(" AND ");
  return [
    [start[0], ...(where === "" ? [] : [`WHERE ${where}`]), tail[0]].join(" "),
    ...start.slice(1),
    ...conditions.flatMap(([, ...values]) => values),
    ...tail.slice(1),
  ];
}

function statement(db: D1Database, ...parts: Parameters<typeof compose>): D1PreparedStatement {
  const [sql, ...values] = compose(...parts);
  return db.prepare(sql).bind(...values);
}
