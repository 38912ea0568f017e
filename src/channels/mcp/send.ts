/**
 * Robots and services that are MCP servers: the offer calls their tool, and the call lasts as long as the work, while
 * something is heard of it and up to a bound. One that answers with a task is asked later how far it is. Progress and
 * result are said in the robot's name. One that can do neither calls back with the token that came with the call.
 */
import type { JsonMap } from "../../mess/json.ts";
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import { connect, type Progress } from "./tool-call.ts";
import { followTask, taskBegun } from "./poll-task.ts";
import { patience, type Patience } from "./call-timeout.ts";
import { failure, mess, percentOf, progressStatus, resultSaid } from "./result-messages.ts";
import { type McpServer, unreached } from "./http-client.ts";
import { CHANNEL_SCHEMAS, type McpAddress } from "../schemas.ts";
import { EVENTS } from "../webhook/body.ts";

const TOOL = "execute_task";
/** Milliseconds without a word of a call, and of the whole call. */
const SILENCE = 45_000;
const LONGEST = 600_000;
/** How often one call may tell of its progress, and percent between two tellings without words. */
const MOST_TOLD = 20;
const STEP = 5;

export const mcp: Channel<object, McpAddress> = {
  ...CHANNEL_SCHEMAS.mcp,
  kind: "mcp",
  // The call, and saying what came of it.
  carries: { edits: false, updates: false, buttons: false, seconds: LONGEST / 1_000 + 10 },
  send,
  update: async (sender, address, task, notice) =>
    await followTask(sender, serverOf(address), task, notice),
};

async function send(sender: Sender<object>, address: McpAddress, notice: Notice): Promise<Sent> {
  if (!isWork(notice)) return { ok: true };
  if (!notice.actions.includes("completed")) return { ok: true, said: askFirst(notice) };
  const bound = patience(SILENCE, LONGEST);
  try {
    return await call(sender, address, notice, bound);
  } finally {
    bound.end();
  }
}

async function call(
  { egress, now, say }: Sender<object>,
  address: McpAddress,
  notice: Notice,
  { signal, renew }: Patience,
): Promise<Sent> {
  const connected = await connect(egress, serverOf(address), signal);
  if (!connected.ok) return unreached(connected, now);
  const { session } = connected;
  // Who is called begins at once, so it must hold the task before.
  if (!notice.mine && say && !(await say(mess({ status: { code: "claimed" } })))) {
    await session.close();
    return { ok: true, note: "not called: somebody else has it" };
  }
  const called = await session.call({
    tool: (typeof address === "string" ? undefined : address.tool) ?? TOOL,
    arguments: argumentsOf(notice),
    progressToken: notice.id,
    heard: renew,
    progress: teller(say),
  });
  // Without an answer it may be at work: its lease tells when it is not, its callback when it is done.
  if (called.outcome === "unanswered") return { ok: true, note: called.reason };
  await session.close();
  switch (called.outcome) {
    case "task":
      return taskBegun(called.task);
    case "stopped":
      return { ok: true, note: "stopped: the task is no longer to be done" };
    case "refused":
      return { ok: true, said: failure(called.reason) };
    case "result":
      return { ok: true, ...resultSaid(called.result, notice.ref) };
    default:
      return called satisfies never;
  }
}

/** A call is work to be done: news of an answer is, news of a cancel is not. */
function isWork({ kind, mine, actions }: Notice): boolean {
  if (kind === "news") return mine && actions.includes("completed");
  return (kind === "offer" || kind === "reminder") && !mine && actions.includes("claimed");
}

/** Nobody is called to do what the requestor wants to confirm before (decision 21); its reply is news. */
const askFirst = ({ intent }: Notice): string =>
  mess({ status: { code: "claimed" } }, { status: { code: "needs_confirmation", action: intent } });

function serverOf(address: McpAddress): McpServer {
  if (typeof address === "string") return { url: address };
  const { url, token } = address;
  return token === undefined ? { url } : { url, token };
}

function argumentsOf(notice: Notice): JsonMap {
  const { intent, ref, request, context, callback, kind, news } = notice;
  return {
    intent,
    ref,
    request,
    context: [...context],
    event: EVENTS[kind],
    ...(news === undefined ? {} : { news }),
    ...(callback === undefined ? {} : { callback: { ...callback } }),
  };
}

/** Passes on what is new: words, or a step of some percent. */
function teller(say: Sender<object>["say"]): (progress: Progress) => Promise<boolean> {
  let told = 0;
  let percent = -STEP;
  let words: string | undefined;
  return async (progress) => {
    const at = percentOf(progress) ?? percent;
    const isNew = at >= percent + STEP || (progress.message ?? words) !== words;
    if (!say || !isNew || told >= MOST_TOLD) return true;
    told += 1;
    percent = at;
    words = progress.message ?? words;
    return await say(progressStatus(progress));
  };
}
