/**
 * Builds the SQL statements of a list. Each reads one range of one index in the order of the list, so that its cost
 * does not grow with the household. There is one range for each status, and for each role of an actor, since no index
 * is ordered over several.
 */
import { defined } from "../mess/defined.ts";
import { buildSourceRequestorSql } from "../mess/sources/request-origin.ts";
import { getPartition, type Partition, type Status, STATUSES } from "../mess/status.ts";
import type { ListPosition } from "./cursor.ts";

/** Conditions of a list; a thread must meet all that are given. */
export interface ListConditions {
  household: string;
  /** The actor is the requestor, the holder or a candidate that was offered the thread. */
  participant?: string;
  /** Requests of message sources are listed only where this actor is a participant. */
  reader?: string;
  state?: Partition;
  status?: readonly Status[];
  executor?: string;
  /** One of them is the holder. Checked for each row, so rows are skipped where they hold few threads. */
  holders?: readonly string[];
  requestor?: string;
  /** `updated` at or after this instant, in milliseconds. */
  since?: number;
  /** Only threads after this position of the list. */
  after?: ListPosition;
  /** Maximum number of rows to read. */
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

/** Matches of a search that are sorted; the newest in the index. */
export const MAX_SEARCH_MATCHES = 1_000;

/** Lists the statuses that are in both `state` and `status`. */
export const listStatuses = ({
  state,
  status,
}: Pick<ListConditions, "state" | "status">): Status[] =>
  STATUSES.filter(
    (one) =>
      (state === undefined || getPartition(one) === state) &&
      (status === undefined || status.includes(one)),
  );

/**
 * Builds the statements for the threads of one status: one for each range of the index that has some. Each returns at
 * most `count`, newest change first.
 */
export function buildListStatements(
  db: D1Database,
  conditions: ListConditions,
  status: Status,
): D1PreparedStatement[] {
  return chooseRanges(conditions).map(({ from, alias, parts }) =>
    buildStatement(
      db,
      `SELECT ${LISTED_COLUMNS} FROM ${from}`,
      [
        [`${alias}.household = ?`, conditions.household],
        ...parts,
        [`${alias}.status = ?`, status],
        ...buildRangeConditions(alias, conditions),
      ],
      [`ORDER BY ${alias}.updated DESC, ${alias}.ref DESC LIMIT ?`, conditions.count],
    ),
  );
}

/**
 * Builds the statement for matching threads: at most `count`, newest change first. Of more than
 * `MAX_SEARCH_MATCHES` matches only the last indexed ones are read, so that a word of every thread is not slow.
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

type Role = "requestor" | "holder" | "both" | "other";
const ROLES: readonly Role[] = ["requestor", "holder", "both", "other"];

/** Chooses the ranges of an index to read, and the conditions that they do not cover. */
function chooseRanges(conditions: ListConditions): {
  from: string;
  alias: "t" | "p";
  parts: SqlPart[];
}[] {
  const { executor, requestor, participant, reader, holders } = conditions;
  const buildRanges = (actor: string, roles: readonly Role[], rest: Partial<ListConditions>) =>
    roles.map((role) => ({
      from: "participants p CROSS JOIN threads t ON t.id = p.thread",
      alias: "p" as const,
      parts: [
        ["p.actor = ?", actor] as const,
        ["p.role = ?", role] as const,
        ...buildActorConditions(rest),
      ],
    }));
  if (executor !== undefined) return buildRanges(executor, ["holder", "both"], conditions);
  if (requestor !== undefined) return buildRanges(requestor, ["requestor", "both"], conditions);
  const rest = defined({ holders, reader });
  if (participant !== undefined) return buildRanges(participant, ROLES, rest);
  return [
    {
      from: "threads t INDEXED BY threads_by_status",
      alias: "t",
      parts: buildActorConditions(rest),
    },
  ];
}

/** Builds the conditions on actors. The requestor and the holder are always participants. */
function buildActorConditions({
  executor,
  requestor,
  participant,
  reader,
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
    ...(reader === undefined
      ? []
      : [
          [
            `(NOT ${buildSourceRequestorSql("t.requestor")} OR ? IN (SELECT value FROM json_each(t.participants)))`,
            reader,
          ] as const,
        ]),
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
