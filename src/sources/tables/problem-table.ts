/** The last failures of a source: of receiving or polling, of asking owners, and of sending. They end at different times. */

/** `kind` is receiving, asking or sending. */
export const PROBLEMS_TABLE = `
  CREATE TABLE problems (
    kind TEXT PRIMARY KEY,
    problem TEXT NOT NULL,
    since INTEGER NOT NULL
  ) WITHOUT ROWID;`;

export type ProblemKind = "receiving" | "asking" | "sending";

export class ProblemTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Records a failure in one line, which contains no secret. The time of the first one in a row is kept. */
  set(kind: ProblemKind, problem: string, now: number): void {
    this.#sql.exec(
      `INSERT INTO problems (kind, problem, since) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET problem = excluded.problem WHERE problem <> excluded.problem`,
      kind,
      problem,
      now,
    );
  }

  clear(kind: ProblemKind): void {
    this.#sql.exec("DELETE FROM problems WHERE kind = ?", kind);
  }

  /** All in one line, and the time of the first one. */
  read(): { problem: string; since: number } | undefined {
    const found = this.#sql
      .exec<{ problem: string; since: number }>("SELECT problem, since FROM problems ORDER BY kind")
      .toArray();
    if (found.length === 0) return undefined;
    return {
      problem: found.map(({ problem }) => problem).join("; "),
      since: Math.min(...found.map(({ since }) => since)),
    };
  }
}
