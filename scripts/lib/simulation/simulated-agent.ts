/** The agent that asks: it answers questions, confirms, wants sharper photos, and waits until the end. */
import { isFinal, STATUSES } from "../../../src/mess/status.ts";
import type { Client } from "../client.ts";
import type { Errand } from "./scenario.ts";
import { pause } from "./simulated-people.ts";
import { isBlurred } from "./photos.ts";

interface Step {
  action: string;
  at: string;
  by: string;
  note?: string;
}

interface Thread {
  envelope: { status: string; executor: string | null; history: Step[] };
  messages: { MESS: { status?: { code: string; questions?: { id: string }[] } }[] }[];
  attachments: { name: string; size: number }[];
  cursor: number;
}

/** What became of an errand. */
export interface Fate {
  errand: Errand;
  ref: string;
  status: string;
  executor: string | null;
  history: readonly Step[];
  photos: number;
  /** Milliseconds from the request to the end, or to when the agent gave up waiting. */
  took: number;
}

export const ENDS: readonly string[] = STATUSES.filter(isFinal);

/** Asks for the errand and stays with it until it ends, or `patience` milliseconds have passed. */
export async function pursue(
  agent: Client,
  errand: Errand,
  patience: number,
  signal: AbortSignal,
): Promise<Fate> {
  await pause(errand.at, signal);
  const begun = Date.now();
  const { id, intent, requires, priority } = errand;
  const request = {
    id,
    intent,
    requires: [requires],
    priority,
    needed_by: new Date(begun + patience).toISOString(),
    // Each errand is to be seen through by itself.
    coalesce: false,
  };
  const { MESS } = await agent.post<{ MESS: [{ ack: { ref: string } }] }>("/mess", {
    MESS: [{ request }],
  });
  const { ref } = MESS[0].ack;
  const said = new Set<string>();
  let thread = await agent.get<Thread>(`/mess/${ref}`);
  const late = begun + patience + 2_000;
  while (!ENDS.includes(thread.envelope.status) && Date.now() < late && !signal.aborted) {
    for (const block of repliesTo(thread, said))
      await agent.post("/mess", { re: ref, MESS: [block] }).catch(() => undefined);
    await agent.get(`/mess/${ref}/wait?cursor=${thread.cursor}&timeout=5`);
    thread = await agent.get<Thread>(`/mess/${ref}`);
  }
  // What somebody still holds is not needed any more.
  if (thread.envelope.executor !== null && !ENDS.includes(thread.envelope.status))
    await agent.post("/mess", { re: ref, MESS: [{ cancel: { reason: "too late" } }] });
  const { status, executor, history } = thread.envelope;
  const photos = thread.attachments.length;
  return { errand, ref, status, executor, history, photos, took: Date.now() - begun };
}

/** What the thread waits for from the requestor; each is said once. */
function repliesTo({ envelope, messages, attachments }: Thread, said: Set<string>): object[] {
  const first = (key: string): boolean => !said.has(key) && said.add(key) !== undefined;
  const { status } = envelope;
  const asked = messages
    .flatMap(({ MESS }) => MESS.map((block) => block.status))
    .findLast((one) => one?.code === status);
  const waits = ["needs_input", "needs_confirmation"].includes(status);
  const blurred = attachments.filter((one) => isBlurred(one) && first(`photo ${one.name}`));
  return [
    ...(waits && first(JSON.stringify(asked)) ? [{ reply: replyTo(asked?.questions) }] : []),
    ...blurred.map(() => ({ followup: { message: "It is blurred: once more, please." } })),
  ];
}

const replyTo = (questions: { id: string }[] | undefined): object =>
  questions
    ? { answers: Object.fromEntries(questions.map(({ id }) => [id, "near the sink"])) }
    : { confirm: true };
