/** Creates a request and returns a task, an answer that came in time, or the ref. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { readThread, sendMessages } from "../../../exchange/exchange.ts";
import { followSuperseded } from "../../../exchange/follow-superseded.ts";
import { readQueuePosition } from "../../../exchange/queue-position.ts";
import { withThread } from "../../../exchange/with-thread.ts";
import type { Principal } from "../../../auth/principal.ts";
import { defined } from "../../../mess/defined.ts";
import type { Outcome } from "../../../mess/errors.ts";
import type { MessageInput } from "../../../mess/wire/schema.ts";
import { ok } from "../../../mess/result.ts";
import { isFinal } from "../../../mess/status.ts";
import type { Route } from "../../../mess/routing/routing.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { hasSeveral, findMember, type McpCaller } from "../caller.ts";
import { listOffered } from "./offered-to.ts";
import { buildStructuredResult, toStructuredRequest } from "../results/structured-result.ts";
import { describeThread } from "../text/describe-thread.ts";
import { describeQueue } from "../text/describe-list.ts";
import { formatInlineList } from "../text/format-lists.ts";
import { formatWarnings, listRequestWarnings, listWarnings } from "../text/ack-warnings.ts";
import { readCapabilities, toHandle } from "../tasks/protocol.ts";
import { toTask } from "../tasks/thread-tasks.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { type ResumedCall, resumeCall, waitOrAsk } from "./ask-user.ts";
import { MAX_WAIT_SECONDS } from "../../../mess/wait-limits.ts";

export interface RequestInput {
  request: MessageInput;
  exchange?: string | undefined;
  wait_seconds?: number | undefined;
}

export async function createRequest(
  { request, exchange, wait_seconds }: RequestInput,
  call: ToolContext,
): Promise<Outcome<ToolOutput>> {
  const { env, caller, mcp } = call;
  const resumed = await resumeCall(call);
  if (!resumed.ok) return resumed;
  if (resumed.value) return await continueRequest(call, resumed.value, wait_seconds);
  const member = findMember(caller, exchange);
  if (!member.ok) return member;
  const principal = member.value;
  const messages = [request];
  const refuseReusedIds = true;
  const posted = await sendMessages(env, principal, { messages, channel: "mcp", refuseReusedIds });
  if (!posted.ok) return posted;
  const [entry] = posted.value.entries;
  const ack = entry && "ack" in entry ? entry.ack : {};
  const { ref } = ack;
  if (typeof ref !== "string") throw new Error("a request was acked without its ref");

  const first = await readThread(env, principal, ref);
  if (!first.ok) return first;
  const isRepeated = posted.value.repeated.includes(ref);
  const { status, superseded_by } = first.value.envelope;
  const hasEnded = isRepeated && isFinal(status) && superseded_by === undefined;
  // A caller that does not want to wait, or that repeats an earlier call, gets the ref at once instead of a task.
  if (call.takesTasks && wait_seconds !== 0 && !hasEnded) {
    const canElicit = readCapabilities(mcp).elicitation !== undefined;
    const view = (await followSuperseded(env, principal, first.value)) ?? first.value;
    return ok(toHandle(toTask(view, caller, principal, canElicit, first.value)));
  }
  const explanation = isNotOffered(first.value)
    ? await explainNobody(call, principal, ref)
    : undefined;
  const seconds = explanation === undefined ? (wait_seconds ?? MAX_WAIT_SECONDS) : 0;
  const warnings = isRepeated ? [] : listWarnings(ack);
  const options = { seconds, first: first.value, warnings };
  const waited = await waitOrAsk(call, principal, ref, options);
  if (!waited.ok) return waited;
  if ("asked" in waited.value) return ok(waited.value.asked);
  const { view } = waited.value;
  const where = hasSeveral(caller) ? { exchange: principal.household } : {};
  const queue_position = await readQueuePosition(env, principal, view.envelope);
  const joined = !isRepeated && ack["superseded_by"] !== undefined;
  const text = [
    ...(isRepeated ? [describeRepetition(view)] : []),
    ...(joined ? ["An equal request exists: yours joined it and gets its answer."] : []),
    // The explanation says more than its warning.
    ...formatWarnings(
      warnings.filter((text) => explanation === undefined || !text.startsWith("nobody ")),
    ),
    describeThread(view, principal, where),
    ...describeQueue(queue_position),
    ...(explanation === undefined ? [] : [explanation]),
  ].join("\n");
  return ok(
    buildStructuredResult(text, {
      ...toStructuredRequest(view, principal),
      ...defined({ queue_position }),
      ...(joined ? { joined_by: ref } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    }),
  );
}

/** Waits on after the user answered a question. The call creates no second request. */
async function continueRequest(
  call: ToolContext,
  resumed: ResumedCall,
  seconds = MAX_WAIT_SECONDS,
): Promise<Outcome<ToolOutput>> {
  const { principal, ref, cursor } = resumed;
  const waited = await waitOrAsk(call, principal, ref, { cursor, seconds }, resumed);
  if (!waited.ok) return waited;
  if ("asked" in waited.value) return ok(waited.value.asked);
  // The view has the messages since the form only.
  const whole = await readThread(call.env, principal, ref);
  const warnings = whole.ok ? listRequestWarnings(whole.value) : [];
  return ok(describeWaited(waited.value.view, principal, call.caller, warnings));
}

/** The result of a wait for one request. */
export function describeWaited(
  view: ResourceView,
  principal: Principal,
  caller: McpCaller,
  warnings: readonly string[] = [],
): CallToolResult {
  const where = hasSeveral(caller) ? { exchange: principal.household } : {};
  const text = [...formatWarnings(warnings), describeThread(view, principal, where)].join("\n");
  return buildStructuredResult(text, {
    ...toStructuredRequest(view, principal),
    ...(warnings.length > 0 ? { warnings } : {}),
  });
}

/** Says that the call made no request, since an earlier one with its id did. */
const describeRepetition = ({ envelope: { status } }: ResourceView): string =>
  isFinal(status)
    ? `Nothing new was asked: this id names the request below, which ended as ${status}. To ask again, use another id.`
    : "Nothing new was asked: this id names the request below, which is still open.";

const isNotOffered = ({ envelope }: ResourceView): boolean =>
  envelope.status === "pending" &&
  envelope.blocked_by === undefined &&
  listOffered(envelope) === undefined;

/** The reason why no executor can get the request; undefined if one will get it later. */
async function explainNobody(
  { env }: ToolContext,
  principal: Principal,
  ref: string,
): Promise<string | undefined> {
  const route = await withThread(env, principal, ref, undefined, ({ stub }) =>
    stub.getRoute(principal),
  );
  return route.ok && route.value.by === "nobody" ? buildNobodyText(route.value) : undefined;
}

const buildNobodyText = ({ passed_over }: Route): string =>
  passed_over.length === 0
    ? "Nobody here can be asked at all: an owner must add an executor. It stays open until then."
    : `Nobody here can do it: ${formatInlineList(
        passed_over.map(({ id, reason }) => `${id} ${reason}`),
        6,
      )}. See mess_capabilities; then mess_cancel it and ask for what is possible.`;
