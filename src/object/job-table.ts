/**
 * The table of an object's durable jobs: a transaction adds the jobs for the work that must follow its commit. Jobs in
 * the same queue run one after the other in the order in which they were added; queues are independent.
 */
import type { Job, QueueSet } from "./jobs.ts";

export interface StoredJob<Payloads extends object> extends Job<keyof Payloads & string> {
  n: number;
  payload: unknown;
  /** Increases when the payload is replaced, also while the job runs. */
  revision: number;
  /** Number of failed attempts. */
  attempts: number;
}

/**
 * Part of released migrations: change the table by a new migration only. `due` is the time of the next attempt.
 * `given_up` is the time at which the job became a dead letter; null before.
 */
export const JOBS_TABLE = `
  CREATE TABLE jobs (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    due INTEGER NOT NULL,
    given_up INTEGER
  );
  CREATE INDEX jobs_by_queue ON jobs (queue, n) WHERE given_up IS NULL;
  CREATE INDEX jobs_by_due ON jobs (due, n) WHERE given_up IS NULL;`;

/** True for the first job of its queue. The others wait for it, even when they are due. */
const IS_HEAD_SQL = `given_up IS NULL AND n = (
  SELECT min(n) FROM jobs WHERE queue = head.queue AND given_up IS NULL
)`;

type JobRow = Omit<StoredJob<object>, "kind" | "payload"> & { kind: string; payload: string };

const toJob = <Payloads extends object>({
  kind,
  payload,
  ...row
}: JobRow): StoredJob<Payloads> => ({
  ...row,
  kind: kind as keyof Payloads & string,
  payload: JSON.parse(payload) as unknown,
});

export class JobTable<Payloads extends object> {
  readonly #sql: SqlStorage;
  #addedCount = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The due time of the oldest job that should have run, and the number of dead letters. */
  summarize(now: number): { overdueSince: number | undefined; deadLetters: number } {
    const [row] = this.#sql
      .exec<{ oldest: number | null; dead: number }>(
        "SELECT min(due) FILTER (WHERE given_up IS NULL) AS oldest, count(given_up) AS dead FROM jobs",
      )
      .toArray();
    const { oldest = null, dead = 0 } = row ?? {};
    return {
      overdueSince: oldest !== null && oldest < now ? oldest : undefined,
      deadLetters: dead,
    };
  }

  /** Number of jobs that were added or replaced since the object started: if it rises, the alarm may be due earlier. */
  get addedCount(): number {
    return this.#addedCount;
  }

  /** Adds a job inside the caller's transaction. */
  add<Kind extends keyof Payloads & string>(
    kind: Kind,
    queue: string,
    payload: Payloads[Kind],
    due: number,
  ): void {
    this.#addedCount++;
    this.#sql.exec(
      "INSERT INTO jobs (queue, kind, payload, due) VALUES (?, ?, ?, ?)",
      queue,
      kind,
      JSON.stringify(payload),
      due,
    );
  }

  /** Adds a job, or replaces the payload of the pending job of this kind in the queue and resets its attempts. */
  put<Kind extends keyof Payloads & string>(
    kind: Kind,
    queue: string,
    payload: Payloads[Kind],
    due: number,
  ): void {
    const replaced = this.#sql.exec(
      `UPDATE jobs SET payload = ?, revision = revision + 1, attempts = 0, due = ?
       WHERE queue = ? AND kind = ? AND given_up IS NULL RETURNING n`,
      JSON.stringify(payload),
      due,
      queue,
      kind,
    );
    if (replaced.toArray().length === 0) this.add(kind, queue, payload, due);
    else this.#addedCount++;
  }

  /** Jobs of the kind that are not given up, counted up to `limit`. */
  countOfKind(kind: keyof Payloads & string, limit: number): number {
    return this.#sql
      .exec<{ count: number }>(
        "SELECT count(*) AS count FROM (SELECT 1 FROM jobs WHERE kind = ? AND given_up IS NULL LIMIT ?)",
        kind,
        limit,
      )
      .one().count;
  }

  isPending(queue: string): boolean {
    return this.getDue(queue) !== undefined;
  }

  /** When the first job of the queue is due, in milliseconds since 1970; undefined for an empty queue. */
  getDue(queue: string): number | undefined {
    const query = "SELECT due FROM jobs WHERE queue = ? AND given_up IS NULL ORDER BY n LIMIT 1";
    return this.#sql.exec<{ due: number }>(query, queue).toArray()[0]?.due;
  }

  /** Lists the first job of each queue if it is due, and has the kind if one is given. The longest due comes first. */
  listDue(now: number, limit: number, kind?: keyof Payloads & string): StoredJob<Payloads>[] {
    return this.#sql
      .exec<JobRow>(
        `SELECT n, queue, kind, payload, revision, attempts FROM jobs AS head
         WHERE due <= ?1 AND (?2 IS NULL OR kind = ?2) AND ${IS_HEAD_SQL} ORDER BY due, n LIMIT ?3`,
        now,
        kind ?? null,
        limit,
      )
      .toArray()
      .map((row) => toJob<Payloads>(row));
  }

  /** Returns the first job of the queue if it is due. */
  findDue(queue: string, now: number): StoredJob<Payloads> | undefined {
    const [row] = this.#sql
      .exec<JobRow & { due: number }>(
        `SELECT n, queue, kind, payload, revision, attempts, due FROM jobs
         WHERE queue = ? AND given_up IS NULL ORDER BY n LIMIT 1`,
        queue,
      )
      .toArray();
    return row && row.due <= now ? toJob(row) : undefined;
  }

  /** Returns the earliest due time in all queues but these, in milliseconds since 1970; undefined without a job. */
  getNextDue(except: QueueSet = new Set()): number | undefined {
    return this.#sql
      .exec<{ queue: string; due: number }>(
        `SELECT queue, due FROM jobs AS head WHERE ${IS_HEAD_SQL} ORDER BY due, n LIMIT ?`,
        except.size + 1,
      )
      .toArray()
      .find(({ queue }) => !except.has(queue))?.due;
  }

  /** Removes the job. A job whose payload was replaced since it was read stays, and runs again. */
  complete({ n, revision }: StoredJob<Payloads>): void {
    this.#sql.exec("DELETE FROM jobs WHERE n = ? AND revision = ?", n, revision);
  }

  /** Counts a failed attempt, and sets the time of the next one. */
  postpone({ n, revision }: StoredJob<Payloads>, due: number): void {
    this.#sql.exec(
      "UPDATE jobs SET attempts = attempts + 1, due = ? WHERE n = ? AND revision = ?",
      due,
      n,
      revision,
    );
  }

  /** Turns the job into a dead letter, together with the later jobs of its queue, since these depend on it. */
  giveUp({ n, revision, queue }: StoredJob<Payloads>, now: number): void {
    this.#sql.exec(
      `UPDATE jobs SET given_up = ? WHERE queue = ? AND given_up IS NULL
       AND EXISTS (SELECT 1 FROM jobs WHERE n = ? AND revision = ?)`,
      now,
      queue,
      n,
      revision,
    );
  }

  /** Deletes dead letters that were given up before the instant. */
  dropGivenUpBefore(instant: number): void {
    this.#sql.exec("DELETE FROM jobs WHERE given_up < ?", instant);
  }
}
