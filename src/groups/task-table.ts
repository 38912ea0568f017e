/** The tasks of the group. An agent's tasks by status are adjacent rows, so that done ones cost nothing later. */
import type { GroupTables } from "./tables.ts";

export type GroupTaskStatus = "open" | "returned" | "done";

export interface GroupTask {
  status: GroupTaskStatus;
  /** Key of the member that is to do it. */
  agent: string;
  /** Position of its message. */
  seq: number;
  /** Key of the member that gets the report. */
  assigner: string;
  /** Keys of those who assigned it before a handoff. */
  former_assigners: string[];
  /** The claim that it came with; null for an agent that nobody claimed. */
  epoch: number | null;
  /** Id of the task that another agent got instead. */
  replaced_by: string | null;
}

type TaskRow = Omit<GroupTask, "former_assigners"> & { former_assigners: string };

const STATUSES: readonly GroupTaskStatus[] = ["open", "returned", "done"];

export class TaskTable {
  readonly #tables: GroupTables;

  constructor(tables: GroupTables) {
    this.#tables = tables;
  }

  insert(task: GroupTask): void {
    const { status, agent, seq, assigner, former_assigners, epoch, replaced_by } = task;
    this.#tables.insert(
      "tasks",
      `INSERT INTO tasks (status, agent, seq, assigner, former_assigners, epoch, replaced_by)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      status,
      agent,
      seq,
      assigner,
      JSON.stringify(former_assigners),
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

  update(task: GroupTask, change: Partial<Omit<GroupTask, "agent" | "seq">>): void {
    const { status, assigner, former_assigners, replaced_by } = { ...task, ...change };
    this.#tables.run(
      "tasks",
      `UPDATE tasks SET status = ?, assigner = ?, former_assigners = ?, replaced_by = ?
       WHERE status = ? AND agent = ? AND seq = ?`,
      status,
      assigner,
      JSON.stringify(former_assigners),
      replaced_by,
      task.status,
      task.agent,
      task.seq,
    );
  }

  #select(condition: string, ...values: SqlStorageValue[]): GroupTask[] {
    return this.#tables
      .run<TaskRow & Record<string, SqlStorageValue>>(
        "tasks",
        `SELECT * FROM tasks WHERE ${condition} ORDER BY seq`,
        ...values,
      )
      .map(({ former_assigners, ...row }) => ({
        ...row,
        former_assigners: JSON.parse(former_assigners) as string[],
      }));
  }
}
