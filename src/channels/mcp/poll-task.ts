/**
 * A task that a robot is at work on by itself: looked at from time to time, while the thread is the robot's. What is to
 * be remembered from one look to the next is the delivery's handle.
 */
import { isFinal, type Status } from "../../mess/status.ts";
import type { Notice, Sender, Sent } from "../channel.ts";
import { failure, resultSaid, stillAtWork } from "./result-messages.ts";
import { askTask, type NewTask } from "./task.ts";
import { type McpServer, unreached } from "./http-client.ts";

const MINUTE = 60_000;
/** Its lease is renewed by what it says: within it, something is said for it though it has no new words. */
const LEAST_OFTEN = 5 * MINUTE;
/** New words are passed on at most so often. */
const MOST_OFTEN = MINUTE;
/** Seconds between two looks, where the robot does not say, and the bounds of what it may say. */
const PAUSE = { usual: 30, least: 10, most: 300 };
/** Milliseconds for one look. */
const LOOK = 15_000;
/** In these it is the robot's turn. */
const AT_WORK: readonly string[] = ["claimed", "in_progress"];

interface Followed {
  id: string;
  /** When something was last said for it, in milliseconds, and its words. */
  told: number;
  words: string;
}

const handleOf = ({ id, told, words }: Followed): string => JSON.stringify([id, told, words]);

function followed(handle: string): Followed {
  const [id, told, words] = JSON.parse(handle) as [string, number, string];
  return { id, told, words };
}

const pauseOf = (poll: number | undefined): number =>
  Math.min(PAUSE.most, Math.max(PAUSE.least, Math.round(poll ?? PAUSE.usual)));

/** The call was answered with a task. */
export const taskBegun = ({ id, poll }: NewTask): Sent => ({
  ok: true,
  handle: handleOf({ id, told: 0, words: "" }),
  again: pauseOf(poll),
});

/** One look at the task; the end of it where it is not to be done any more. */
export async function followTask(
  { egress, now, say }: Pick<Sender<object>, "egress" | "now" | "say">,
  server: McpServer,
  handle: string,
  { mine, status, ref }: Pick<Notice, "mine" | "status" | "ref">,
): Promise<Sent> {
  const task = followed(handle);
  const ask = (method: "tasks/get" | "tasks/cancel") =>
    askTask(egress, server, method, task.id, AbortSignal.timeout(LOOK));
  const stop = async (): Promise<Sent> => {
    const told = await ask("tasks/cancel");
    return told.ok
      ? { ok: true, note: "stopped: the task is no longer to be done" }
      : unreached(told, now);
  };
  if (!mine || isFinal(status as Status)) return await stop();
  const answer = await ask("tasks/get");
  if (!answer.ok) return unreached(answer, now);
  const { state } = answer;
  if (state.status === "completed") return { ok: true, ...resultSaid(state.result, ref) };
  if (state.status === "ended") return { ok: true, said: failure(state.reason) };
  const words = state.message ?? task.words;
  const pause = words === task.words ? LEAST_OFTEN : MOST_OFTEN;
  const tells = AT_WORK.includes(status) && now - task.told >= pause;
  if (tells && say && !(await say(stillAtWork(words, now)))) return await stop();
  const next = tells ? { ...task, told: now, words } : task;
  return { ok: true, handle: handleOf(next), again: pauseOf(state.poll) };
}
