/**
 * The tables of a source. Only `save` creates them, so that a look-up of an unknown source stores nothing. The first read
 * of a source that exists adds the tables of a newer version.
 */
import type { SourceRecord } from "../../contracts/sources.ts";
import { hasTable, runMigrations } from "../../object/migrations.ts";
import { JobTable } from "../../object/job-table.ts";
import type { SourceJobs } from "../source-jobs.ts";
import { ClassifierState } from "./classifier-state.ts";
import { MessageChanges } from "./message-changes.ts";
import { SourceMessageTable } from "./message-table.ts";
import { DraftTable } from "./draft-table.ts";
import { PollRow } from "./poll-row.ts";
import { ProblemTable } from "./problem-table.ts";
import { OwnerRequestTable } from "./owner-request-table.ts";
import { MIGRATIONS } from "./schema.ts";
import { StateRow } from "./state-row.ts";
import { UnindexedTable } from "./unindexed-table.ts";

export class SourceStore {
  readonly #sql: SqlStorage;
  #record: SourceRecord | undefined;
  readonly jobs: JobTable<SourceJobs>;
  /** Counters, and the state of the kind. */
  readonly state: StateRow;
  readonly problems: ProblemTable;
  readonly polls: PollRow;
  readonly unindexed: UnindexedTable;
  readonly classifier: ClassifierState;
  readonly messages: SourceMessageTable;
  /** Changes of messages. */
  readonly changes: MessageChanges;
  readonly drafts: DraftTable;
  /** Requests to owners about messages and drafts. */
  readonly requests: OwnerRequestTable;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.jobs = new JobTable<SourceJobs>(sql);
    this.state = new StateRow(sql);
    this.problems = new ProblemTable(sql);
    this.polls = new PollRow(sql);
    this.unindexed = new UnindexedTable(sql);
    this.classifier = new ClassifierState(sql);
    this.messages = new SourceMessageTable(sql, this.state, this.unindexed);
    this.changes = new MessageChanges(sql, this.state, this.unindexed);
    this.drafts = new DraftTable(sql);
    this.requests = new OwnerRequestTable(sql);
  }

  /** Call this when a transaction was rolled back. */
  clearCache(): void {
    this.#record = undefined;
  }

  /** Undefined before the household sent the record. */
  read(): SourceRecord | undefined {
    if (this.#record === undefined && hasTable(this.#sql, "record")) {
      runMigrations(this.#sql, MIGRATIONS);
      const [row] = this.#sql.exec<{ record: string }>("SELECT record FROM record").toArray();
      if (row) this.#record = JSON.parse(row.record) as SourceRecord;
    }
    return this.#record;
  }

  /** The record of a source that is known to exist. */
  get(): SourceRecord {
    const record = this.read();
    if (!record)
      throw new Error("the household has not sent the record of this source: sync first");
    return record;
  }

  /** Stores the record inside the caller's transaction; an older one than the stored is ignored. */
  save(record: SourceRecord, _now: number): boolean {
    const stored = this.read();
    if (stored && record.revision <= stored.revision) return false;
    runMigrations(this.#sql, MIGRATIONS);
    this.#sql.exec(
      "INSERT INTO record (one, record) VALUES (1, ?) ON CONFLICT DO UPDATE SET record = excluded.record",
      JSON.stringify(record),
    );
    this.#record = record;
    return true;
  }
}
