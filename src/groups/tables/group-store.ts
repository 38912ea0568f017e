/** The tables of a group, as its calls use them. */
import { CancelledWaits } from "./cancelled-waits.ts";
import { DeletionCount } from "./deletion-count.ts";
import { Handoffs } from "./handoffs.ts";
import { MessageTable } from "./message-table.ts";
import { GroupJobTable } from "./group-job-table.ts";
import { RequestTable } from "./request-table.ts";
import { Roster } from "./roster.ts";
import { SignsOfLife } from "./signs-of-life.ts";
import { createGroupTables, type GroupTables } from "./schema.ts";
import { TaskTable } from "./task-table.ts";
import { UnreadTable } from "./unread-table.ts";

export class GroupStore {
  readonly #tables: GroupTables;
  readonly roster: Roster;
  readonly messages: MessageTable;
  readonly deletions: DeletionCount;
  readonly unread: UnreadTable;
  readonly life: SignsOfLife;
  readonly handoffs: Handoffs;
  readonly tasks: TaskTable;
  readonly requests: RequestTable;
  readonly cancelledWaits: CancelledWaits;
  readonly jobs: GroupJobTable;

  /** @param isWaiting whether the member has an open wait */
  constructor(sql: SqlStorage, isWaiting: (member: string) => boolean) {
    this.#tables = createGroupTables(sql);
    this.roster = new Roster(sql, this.#tables);
    this.messages = new MessageTable(sql);
    this.deletions = new DeletionCount(this.#tables);
    this.unread = new UnreadTable(sql);
    this.life = new SignsOfLife(sql, isWaiting);
    this.handoffs = new Handoffs(this.#tables);
    this.tasks = new TaskTable(this.#tables, this.handoffs);
    this.requests = new RequestTable(this.#tables);
    this.cancelledWaits = new CancelledWaits(this.#tables);
    this.jobs = new GroupJobTable(sql, this.#tables);
  }

  /** Call this when a transaction was rolled back. */
  clearCache(): void {
    this.#tables.clearCache();
    this.roster.clearCache();
    this.life.clearCache();
    this.handoffs.clearCache();
  }
}
