/** Maps threads to MCP tasks: the ref is the task id, questions are input requests, the answer is the result. */
import type { Principal } from "../../../auth/principal.ts";
import { readThread, sendMessages } from "../../../exchange/exchange.ts";
import { followSuperseded } from "../../../exchange/follow-superseded.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { ok } from "../../../mess/result.ts";
import type { BlockInput } from "../../../mess/wire/schema.ts";
import { isFinal } from "../../../mess/status.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { type McpCaller, hasSeveral } from "../caller.ts";
import {
  describeThread,
  isFailure,
  canReply,
  listOthersMessages,
} from "../text/describe-thread.ts";
import { formatWarnings, listRequestWarnings } from "../text/ack-warnings.ts";
import { buildStructuredResult, toStructuredRequest } from "../results/structured-result.ts";
import { buildForms } from "../results/elicitation-forms.ts";
import { readReplies } from "./read-replies.ts";
import { readCapabilities, type McpTask, type TaskSource } from "./protocol.ts";

/** Poll interval in milliseconds: people take minutes. */
const POLL_INTERVAL_MS = 5_000;

/** The ref, prefixed with the household if the caller has several, since refs are unique per household only. */
export const buildTaskId = (caller: McpCaller, { household }: Principal, ref: string): string =>
  hasSeveral(caller) ? `${household}/${ref}` : ref;

/** Whether the thread has an answer, even if the exchange still waits for more answers (decision 28). */
const isAnswered = (view: ResourceView): boolean =>
  view.messages.some(({ MESS }) => MESS.some((item) => "response" in item));

export function toTask(
  view: ResourceView,
  caller: McpCaller,
  principal: Principal,
  canElicit: boolean,
  /** The task's original thread, if another thread replaces it. */
  own: ResourceView = view,
): McpTask {
  const { envelope } = view;
  const { status, ref } = envelope;
  const warnings = listRequestWarnings(own);
  const state = `Request ${ref}: ${status}${envelope.executor ? `, with ${envelope.executor}` : ""}.`;
  const fields = {
    taskId: buildTaskId(caller, principal, own.envelope.ref),
    createdAt: envelope.created,
    lastUpdatedAt: envelope.updated,
    statusMessage: [state, ...formatWarnings(warnings)].join(" "),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
  if (status === "cancelled") return { ...fields, status: "cancelled" };
  const inputRequests = canReply(envelope, principal) ? buildForms(view) : {};
  const awaits = Object.keys(inputRequests).length > 0;
  if (awaits && canElicit) return { ...fields, status: "input_required", inputRequests };
  // A client without elicitation gets the question as the result, and its model answers with mess_reply.
  if (!awaits && !isFinal(status) && status !== "partial" && !isAnswered(view))
    return { ...fields, status: "working" };
  const exchange = hasSeveral(caller) ? { exchange: principal.household } : {};
  return {
    ...fields,
    status: "completed",
    result: {
      // The extension's own client rejects a result without this field.
      resultType: "complete",
      ...buildStructuredResult(
        [...formatWarnings(warnings), describeThread(view, principal, exchange)].join("\n"),
        { ...toStructuredRequest(view, principal), ...(warnings.length > 0 ? { warnings } : {}) },
      ),
      ...(isFailure(status) && listOthersMessages(view, principal).length === 0
        ? { isError: true }
        : {}),
    },
  };
}

/** Parses an id into household and ref; undefined if the caller is not a member of that household. */
function parseTaskId(
  caller: McpCaller,
  taskId: string,
): { principal: Principal; ref: string } | undefined {
  if (!hasSeveral(caller)) return { principal: caller.principals[0], ref: taskId };
  const slash = taskId.indexOf("/");
  const principal = caller.principals.find(({ household }) => household === taskId.slice(0, slash));
  return principal && { principal, ref: taskId.slice(slash + 1) };
}

export function createThreadTasks(env: ExchangeBindings, caller: McpCaller): TaskSource {
  const find = async (taskId: string) => {
    const task = parseTaskId(caller, taskId);
    const view = task && (await readThread(env, task.principal, task.ref));
    // Only the ref is a valid task id, not other names of the thread.
    if (!task || !view?.ok || view.value.envelope.ref !== task.ref) return undefined;
    const other = await followSuperseded(env, task.principal, view.value);
    return { ...task, view: other ?? view.value, own: view.value };
  };
  const post = (principal: Principal, ref: string, block: BlockInput, key: string) =>
    sendMessages(env, principal, {
      messages: [{ re: ref, blocks: [block] }],
      channel: "mcp",
      key: `task ${key}`,
    });

  return {
    async get(taskId, ctx) {
      const found = await find(taskId);
      if (!found) return undefined;
      const canElicit = readCapabilities(ctx).elicitation !== undefined;
      return toTask(found.view, caller, found.principal, canElicit, found.own);
    },
    async update(taskId, responses) {
      const found = await find(taskId);
      if (!found) return ok(false);
      const { principal, view } = found;
      const replies = readReplies(view, responses);
      if (!replies.ok) return replies;
      for (const { key, body } of replies.value) {
        const posted = await post(principal, view.envelope.ref, { type: "reply", body }, key);
        if (!posted.ok) return posted;
      }
      return ok(true);
    },
    async cancel(taskId) {
      const found = await find(taskId);
      if (!found) return false;
      await post(
        found.principal,
        found.ref,
        { type: "cancel", body: { reason: "the task was cancelled" } },
        "cancel",
      );
      return true;
    },
  };
}
