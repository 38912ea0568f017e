/** Tasks whose state depends on the clock and on received input, since a Worker runs nothing between requests. */
import { inputRequired, inputResponse, type InputRequests } from "@modelcontextprotocol/server";
import { ok } from "../../../src/mess/result.ts";
import type { McpTask, TaskSource } from "../../../src/ingress/mcp/tasks/protocol.ts";

type Ending = { result: Record<string, unknown> } | { error: { code: number; message: string } };

interface Job {
  created: number;
  /** Milliseconds of work. */
  takes: number;
  inputs: InputRequests;
  cancelled: boolean;
  ending: (answers: Record<string, unknown>) => Ending;
  answers: Record<string, unknown>;
}

export interface FixtureTasks {
  source: TaskSource;
  start(job: Pick<Job, "takes" | "ending"> & Partial<Pick<Job, "inputs">>): McpTask;
}

/** Kept as long as the isolate lives, which covers a run of the suite. */
const jobs = new Map<string, Job>();

const TTL_MS = 300_000;

function buildTask(taskId: string, job: Job): McpTask {
  const fields = {
    taskId,
    createdAt: new Date(job.created).toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: TTL_MS,
    pollIntervalMs: 200,
  };
  if (job.cancelled) return { ...fields, status: "cancelled" };
  if (Object.keys(job.inputs).length > 0)
    return { ...fields, status: "input_required", inputRequests: job.inputs };
  if (Date.now() < job.created + job.takes) return { ...fields, status: "working" };
  const ending = job.ending(job.answers);
  return "error" in ending
    ? { ...fields, status: "failed", ...ending, statusMessage: ending.error.message }
    : { ...fields, status: "completed", ...ending };
}

export const buildElicitation = (message: string): InputRequests[string] =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean" } },
      required: ["confirm"],
    },
  });

export function createFixtureTasks(): FixtureTasks {
  const find = async (taskId: string) => jobs.get(taskId);
  return {
    start({ takes, ending, inputs = {} }) {
      const id = crypto.randomUUID();
      const job = { created: Date.now(), takes, inputs, cancelled: false, ending, answers: {} };
      jobs.set(id, job);
      return buildTask(id, job);
    },
    source: {
      async get(taskId) {
        const job = await find(taskId);
        return job && buildTask(taskId, job);
      },
      async update(taskId, responses) {
        const job = await find(taskId);
        if (!job) return ok(false);
        const open = Object.entries(job.inputs);
        for (const [key] of open) {
          const view = inputResponse(responses, key);
          if (view.kind === "elicit") job.answers[key] = view.content ?? {};
        }
        job.inputs = Object.fromEntries(open.filter(([key]) => !(key in job.answers)));
        return ok(true);
      },
      async cancel(taskId) {
        const job = await find(taskId);
        if (!job) return false;
        const { status } = buildTask(taskId, job);
        if (status === "working" || status === "input_required") job.cancelled = true;
        return true;
      },
    },
  };
}
