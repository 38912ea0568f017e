/**
 * The statements behind a list. Each reads one range of one index in the list's own order, whatever the size of
 * the household: a range for each wanted status, since no index can be in order over several.
 */
import { getPartition, type Partition, type Status, STATUSES } from "../mess/status.ts";
import type { ListPosition } from "./cursor.ts";

/** Which threads are wanted: those for which everything given is true. */
export interface ListConditions {
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
  after?: ListPosition;
  /** Rows that are read. */
  count: number;
}

type SqlPart = readonly [sql: string, ...values: unknown[]];

const LISTED_COLUMNS = [
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
export const MAX_SEARCH_MATCHES = 1_000;

/** The statuses that lie in both `state` and `status`. */
export const listStatuses = ({
  state,
  status,
}: Pick<ListConditions, "state" | "status">): Status[] =>
  STATUSES.filter(
    (one) =>
      (state === undefined || getPartition(one) === state) &&
      (status === undefined || status.includes(one)),
  );

/** The list's threads of one status, at most `count`, newest change first. */
export function buildListStatement(
  db: D1Database,
  conditions: ListConditions,
  status: Status,
): D1PreparedStatement {
  const { from, alias, parts } = chooseIndex(conditions);
  return buildStatement(
    db,
    `SELECT ${LISTED_COLUMNS} FROM ${from}`,
    [
      [`${alias}.household = ?`, conditions.household],
      ...parts,
      [`${alias}.status = ?`, status],
      ...buildRangeConditions(alias, conditions),
    ],
    [`ORDER BY ${alias}.updated DESC, ${alias}.ref DESC LIMIT ?`, conditions.count],
  );
}

/**
 * The list's threads that match, at most `count`, newest change first. Of more than `MAX_SEARCH_MATCHES` matches the ones
 * that came into the index last are looked at, so that a word that stands in every thread costs no more.
 */
export function buildSearchStatement(
  db: D1Database,
  conditions: ListConditions,
  match: string,
  statuses: readonly Status[],
): D1PreparedStatement {
  const { after, since, ...otherConditions } = conditions;
  const inner = composeSql("SELECT t.* FROM search CROSS JOIN threads t ON t.id = search.rowid", [
    ["search MATCH ?", match],
    ["t.household = ?", conditions.household],
    ["t.status IN (SELECT value FROM json_each(?))", JSON.stringify(statuses)],
    ...buildActorConditions(otherConditions),
    ...buildRangeConditions("t", since === undefined ? {} : { since }),
  ]);
  return buildStatement(
    db,
    [
      `SELECT ${LISTED_COLUMNS} FROM (${inner[0]} ORDER BY search.rowid DESC LIMIT ${MAX_SEARCH_MATCHES}) t`,
      ...inner.slice(1),
    ],
    buildRangeConditions("t", after === undefined ? {} : { after }),
    ["ORDER BY t.updated DESC, t.ref DESC LIMIT ?", conditions.count],
  );
}

/** The index to walk, and what it does not answer by itself. */
function chooseIndex(conditions: ListConditions): {
  from: string;
  alias: "t" | "p";
  parts: SqlPart[];
} {
  const { executor, requestor, participant, holders } = conditions;
  const parts = buildActorConditions(holders ? { holders } : {});
  if (executor !== undefined || requestor !== undefined) {
    const index = executor === undefined ? "threads_by_requestor" : "threads_by_executor";
    return {
      from: `threads t INDEXED BY ${index}`,
      alias: "t",
      parts: buildActorConditions(conditions),
    };
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
function buildActorConditions({
  executor,
  requestor,
  participant,
  holders,
}: Partial<ListConditions>): SqlPart[] {
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

const buildRangeConditions = (
  alias: "t" | "p",
  { since, after }: Pick<ListConditions, "since" | "after">,
): SqlPart[] => [
  ...(since === undefined ? [] : [[`${alias}.updated >= ?`, since] as const]),
  ...(after === undefined
    ? []
    : [[`(${alias}.updated, ${alias}.ref) < (?, ?)`, ...after] as const]),
];

function composeSql(
  head: string | SqlPart,
  conditions: readonly SqlPart[],
  tail: SqlPart = [""],
): SqlPart {
  const start: SqlPart = typeof head === "string" ? [head] : head;
  const where = conditions.map(([sql]) => sql).join(" AND ");
  return [
    [start[0], ...(where === "" ? [] : [`WHERE ${where}`]), tail[0]].join(" "),
    ...start.slice(1),
    ...conditions.flatMap(([, ...values]) => values),
    ...tail.slice(1),
  ];
}

function buildStatement(
  db: D1Database,
  ...parts: Parameters<typeof composeSql>
): D1PreparedStatement {
  const [sql, ...values] = composeSql(...parts);
  return db.prepare(sql).bind(...values);
}
