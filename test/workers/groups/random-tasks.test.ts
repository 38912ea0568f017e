/** Random courses of tasks, reports, ended claims and handoffs, compared with a model of who holds which task. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { buildId, buildNoticeId, createGroup, type TestGroup } from "./support.ts";

const OPS = ["boss", "deputy"] as const;
const AGENTS = ["indy", "rocky"] as const;
type Ops = (typeof OPS)[number];
type Agent = (typeof AGENTS)[number];

interface ModelTask {
  id: string;
  agent: Agent;
  /** Ops that get the report; after a handoff the new primary. */
  assigner: Ops;
  epoch: number;
  status: "open" | "returned" | "done";
  reassigned: boolean;
}

const ops = fc.constantFrom(...OPS);
const agent = fc.constantFrom(...AGENTS);
const pick = fc.double({ min: 0, max: 0.999, noNaN: true });
const step = fc.oneof(
  fc.record({ call: fc.constant("assign" as const), from: ops, to: agent }),
  fc.record({ call: fc.constant("report" as const), task: pick }),
  fc.record({ call: fc.constant("reportUnnamed" as const), from: agent, to: ops }),
  fc.record({ call: fc.constant("endClaim" as const), agent }),
  fc.record({ call: fc.constant("reassign" as const), task: pick, to: agent }),
  fc.record({ call: fc.constant("handOver" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

class TaskCourse {
  readonly #group: TestGroup;
  readonly #tasks: ModelTask[] = [];
  readonly #epochs = new Map<Agent, number>(AGENTS.map((name) => [name, 1]));
  #primary: Ops = "boss";
  #count = 0;

  constructor(group: TestGroup) {
    this.#group = group;
  }

  async run(each: Step): Promise<void> {
    switch (each.call) {
      case "assign": {
        const content = `task ${this.#count++}`;
        const { id } = await this.#group.send(each.from, each.to, { type: "task", content });
        return this.#add(id, each.to, each.from);
      }
      case "report": {
        const task = this.#pick(each.task);
        if (task) await this.#report(task);
        return;
      }
      case "reportUnnamed":
        return await this.#reportUnnamed(each.from, each.to);
      case "endClaim":
        return await this.#endClaim(each.agent);
      case "reassign": {
        const task = this.#pick(each.task);
        if (task?.status === "returned" && !task.reassigned) await this.#reassign(task, each.to);
        return;
      }
      case "handOver":
        return await this.#handOver();
    }
  }

  /** Status lists the tasks that somebody must still care for. */
  async check(): Promise<void> {
    const status = await this.#group.rpc.status(this.#group.asOwner());
    const listed = status.ok ? status.value.tasks : [];
    expect(new Set(listed.map((task) => [task.id, task.status, task.assigned_by].join()))).toEqual(
      new Set(
        this.#tasks
          .filter((task) => task.status !== "done" && !task.reassigned)
          .map((task) => [task.id, task.status, buildId(task.assigner)].join()),
      ),
    );
  }

  /** In the end, each task that is done was completed by one report of its holder. */
  async checkAll(): Promise<void> {
    const all = await this.#group.listAll();
    const completed = all.flatMap(({ completes, from }) =>
      completes ? [`${completes} ${from}`] : [],
    );
    const done = this.#tasks.filter(({ status }) => status === "done");
    expect(completed.toSorted()).toEqual(
      done.map((task) => `${task.id} ${buildId(task.agent)}`).toSorted(),
    );
  }

  #add(id: string, to: Agent, assigner: Ops): void {
    const epoch = this.#epochs.get(to)!;
    this.#tasks.push({ id, agent: to, assigner, epoch, status: "open", reassigned: false });
  }

  async #report(task: ModelTask): Promise<void> {
    const report = await this.#group.send(task.agent, task.assigner, {
      type: "report",
      content: `report ${this.#count++}`,
      reply_to: task.id,
    });
    expect(report.late).toBe(task.status === "returned" ? true : undefined);
    expect(report.completes).toBe(task.status === "open" ? task.id : undefined);
    if (task.status === "open") task.status = "done";
  }

  async #reportUnnamed(from: Agent, to: Ops): Promise<void> {
    const report = await this.#group.send(from, to, {
      type: "report",
      content: `report ${this.#count++}`,
    });
    const task = this.#tasks.find(({ id }) => id === report.completes);
    if (!task) return;
    expect([task.agent, task.status, buildId(task.assigner)]).toEqual([from, "open", report.to]);
    task.status = "done";
  }

  async #endClaim(name: Agent): Promise<void> {
    const epoch = this.#epochs.get(name)!;
    await this.#group.rpc.endAssignment({
      key: `end ${name} ${epoch}`,
      agent: buildId(name),
      epoch,
      reason: "silent",
    });
    for (const task of this.#tasks)
      if (task.agent === name && task.epoch <= epoch && task.status === "open")
        task.status = "returned";
    this.#epochs.set(name, epoch + 1);
    await this.#group.changeMember(name, { epoch: epoch + 1 });
  }

  async #reassign(task: ModelTask, to: Agent): Promise<void> {
    const id = buildNoticeId(++this.#count);
    const from = buildId(task.assigner);
    const notice = { id, from, to: buildId(to), type: "task" as const, content: task.id };
    await this.#group.rpc.post([{ ...notice, epoch: this.#epochs.get(to)! }]);
    task.reassigned = true;
    this.#add(id, to, task.assigner);
  }

  async #handOver(): Promise<void> {
    const former = this.#primary;
    this.#primary = former === "boss" ? "deputy" : "boss";
    await this.#group.change({ primary: buildId(this.#primary) });
    for (const task of this.#tasks) if (task.assigner === former) task.assigner = this.#primary;
  }

  #pick = (share: number): ModelTask | undefined =>
    this.#tasks[Math.floor(share * this.#tasks.length)];
}

it("in any course of claims, reports and handoffs, a task is completed once, by its holder", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 50, size: "max" }),
      async (steps) => {
        const group = await createGroup();
        for (const name of AGENTS) await group.changeMember(name, { epoch: 1 });
        const course = new TaskCourse(group);
        for (const each of steps) {
          await course.run(each);
          await course.check();
        }
        await course.checkAll();
      },
    ),
    { numRuns: 25 },
  );
});
