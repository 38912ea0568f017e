/** The tasks of the group. An agent's tasks by status are adjacent rows, so that done ones cost nothing later. */
import type { Handoffs } from "./handoffs.ts";
import type { GroupTables } from "./schema.ts";

export type GroupTaskStatus = "open" | "returned" | "done";

export interface GroupTask {
  status: GroupTaskStatus;
  /** Key of the member that is to do it. */
  agent: string;
  /** Position of its message. */
  seq: number;
  /** Key of the member that gets the report: after a handoff the new primary ops. */
  assigner: string;
  /** Keys of those who got it before a handoff. */
  former_assigners: string[];
  /** The claim that it came with; null for an agent that nobody claimed. */
  epoch: number | null;
  /** Id of the task that another agent got instead. */
  replaced_by: string | null;
}

type TaskRow = Omit<GroupTask, "former_assigners">;

const STATUSES: readonly GroupTaskStatus[] = ["open", "returned", "done"];

export class TaskTable {
  readonly #tables: GroupTables;
  readonly #handoffs: Handoffs;

  constructor(tables: GroupTables, handoffs: Handoffs) {
    this.#tables = tables;
    this.#handoffs = handoffs;
  }

  insert({ status, agent, seq, assigner, epoch, replaced_by }: TaskRow): void {
    this.#tables.insert(
      "tasks",
      `INSERT INTO tasks (status, agent, seq, assigner, epoch, replaced_by)
       VALUES (?, ?, ?, ?, ?, ?)`,
      status,
      agent,
      seq,
      assigner,
      epoch,
      replaced_by,
    );
  }

  /** The task of the agent with that message. */
  find(agent: string, seq: number): GroupTask | undefined {
    for (const status of STATUSES) {
      const [task] = this.#select("status = ? AND agent = ? AND seq = ?", status, agent, seq);
      if (task) return task;
    }
    return undefined;
  }

  /** The agent's tasks with the status, or those of all agents; the oldest of an agent first. */
  list(status: GroupTaskStatus, agent?: string): GroupTask[] {
    return agent === undefined
      ? this.#select("status = ?", status)
      : this.#select("status = ? AND agent = ?", status, agent);
  }

  update(task: GroupTask, change: Partial<Pick<GroupTask, "status" | "replaced_by">>): void {
    const { status, replaced_by } = { ...task, ...change };
    this.#tables.run(
      "tasks",
      "UPDATE tasks SET status = ?, replaced_by = ? WHERE status = ? AND agent = ? AND seq = ?",
      status,
      replaced_by,
      task.status,
      task.agent,
      task.seq,
    );
  }

  delete(agent: string, seq: number): void {
    for (const status of STATUSES)
      this.#tables.run(
        "tasks",
        "DELETE FROM tasks WHERE status = ? AND agent = ? AND seq = ?",
        status,
        agent,
        seq,
      );
  }

  #select(condition: string, ...values: SqlStorageValue[]): GroupTask[] {
    return this.#tables
      .run<TaskRow & Record<string, SqlStorageValue>>(
        "tasks",
        `SELECT * FROM tasks WHERE ${condition} ORDER BY seq`,
        ...values,
      )
      .map((row) => {
        const assigners = this.#handoffs.follow(row.assigner, row.seq);
        return {
          ...row,
          assigner: assigners.at(-1)!,
          former_assigners: assigners.slice(0, -1),
        };
      });
  }
}
