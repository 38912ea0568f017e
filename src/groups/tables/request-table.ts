/** The requests that tasks for people and robots have opened. */
import type { Status } from "../../mess/status.ts";
import type { GroupTables } from "./schema.ts";

export interface GroupRequest {
  /** Position of the task's message. */
  task: number;
  ref: string;
  status: Status;
  /** The `seq` of the request's thread that the group has. */
  seq: number;
  /** The last message of it that was posted here. */
  serial: number;
}

export class RequestTable {
  readonly #tables: GroupTables;

  constructor(tables: GroupTables) {
    this.#tables = tables;
  }

  find(task: number): GroupRequest | undefined {
    const query = "SELECT * FROM requests WHERE task = ?";
    return this.#tables.run<GroupRequest & Record<string, SqlStorageValue>>(
      "requests",
      query,
      task,
    )[0];
  }

  save({ task, ref, status, seq, serial }: GroupRequest): void {
    this.#tables.insert(
      "requests",
      "INSERT OR REPLACE INTO requests (task, ref, status, seq, serial) VALUES (?, ?, ?, ?, ?)",
      task,
      ref,
      status,
      seq,
      serial,
    );
  }
}
