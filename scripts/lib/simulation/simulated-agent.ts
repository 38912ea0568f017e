/** The agent that sends the requests: it answers questions, gives approval, asks for sharper photos, and waits. */
import { isFinal, STATUSES } from "../../../src/mess/status.ts";
import type { Client } from "../client.ts";
import type { SimulatedTask } from "./scenario.ts";
import { sleepFor } from "./simulated-people.ts";
import { isBlurred } from "./photos.ts";
import type { ThreadMessage } from "./describe-messages.ts";

interface Step {
  action: string;
  at: string;
  by: string;
  note?: string;
}

interface Thread {
  envelope: { status: string; executor: string | null; history: Step[] };
  messages: ThreadMessage[];
  attachments: { name: string; size: number }[];
  cursor: number;
}

/** Final state of a request. */
export interface TaskResult {
  task: SimulatedTask;
  ref: string;
  status: string;
  executor: string | null;
  history: readonly Step[];
  messages: readonly ThreadMessage[];
  photos: number;
  /** Milliseconds from the request until it ended or the agent stopped waiting. */
  took: number;
}

export const FINAL_STATUSES: readonly string[] = STATUSES.filter(isFinal);

/** Sends the request and follows its thread until it ends, or `maxMs` milliseconds have passed. */
export async function runTask(
  agent: Client,
  task: SimulatedTask,
  maxMs: number,
  signal: AbortSignal,
): Promise<TaskResult> {
  await sleepFor(task.at, signal);
  const begun = Date.now();
  const { id, intent, requires, priority } = task;
  const request = {
    id,
    intent,
    requires: [requires],
    priority,
    needed_by: new Date(begun + maxMs).toISOString(),
    // No merging: the report shows every request separately.
    coalesce: false,
  };
  const { MESS } = await agent.post<{ MESS: [{ ack: { ref: string } }] }>("/mess", {
    MESS: [{ request }],
  });
  const { ref } = MESS[0].ack;
  const answeredKeys = new Set<string>();
  let thread = await agent.get<Thread>(`/mess/${ref}`);
  const late = begun + maxMs + 2_000;
  while (!FINAL_STATUSES.includes(thread.envelope.status) && Date.now() < late && !signal.aborted) {
    for (const block of buildReplies(thread, task.reply, answeredKeys))
      await agent.post("/mess", { re: ref, MESS: [block] }).catch(() => undefined);
    await agent.get(`/mess/${ref}/wait?cursor=${thread.cursor}&timeout=5`);
    thread = await agent.get<Thread>(`/mess/${ref}`);
  }
  // A request that is still claimed is cancelled, so that its executor stops.
  if (thread.envelope.executor !== null && !FINAL_STATUSES.includes(thread.envelope.status))
    await agent.post("/mess", { re: ref, MESS: [{ cancel: { reason: "too late" } }] });
  const { status, executor, history } = thread.envelope;
  const { messages } = thread;
  const photos = thread.attachments.length;
  return { task, ref, status, executor, history, messages, photos, took: Date.now() - begun };
}

/** The replies that the thread waits for from the requestor; each is sent once. */
function buildReplies(
  { envelope, messages, attachments }: Thread,
  words: string,
  answeredKeys: Set<string>,
): object[] {
  const isFirstAnswer = (key: string): boolean =>
    !answeredKeys.has(key) && answeredKeys.add(key) !== undefined;
  const { status } = envelope;
  const openQuestions = messages
    .flatMap(({ MESS }) => MESS.map((block) => block["status"]))
    .findLast((one) => one?.["code"] === status);
  const isWaiting = ["needs_input", "needs_confirmation"].includes(status);
  const suggested = messages
    .flatMap(({ MESS }) => MESS.filter((block) => block["suggestion"] !== undefined))
    .filter((block) => isFirstAnswer(JSON.stringify(block)));
  const blurred = attachments.filter((one) => isBlurred(one) && isFirstAnswer(`photo ${one.name}`));
  return [
    ...(isWaiting && isFirstAnswer(JSON.stringify(openQuestions))
      ? [{ reply: buildReply(openQuestions?.["questions"] as { id: string }[] | undefined, words) }]
      : []),
    ...suggested.map(() => ({ reply: { accept: true } })),
    ...blurred.map(() => ({
      followup: { message: "The photo is blurred. Please send another one." },
    })),
  ];
}

const buildReply = (questions: { id: string }[] | undefined, words: string): object =>
  questions
    ? { answers: Object.fromEntries(questions.map(({ id }) => [id, words])) }
    : { confirm: true };
