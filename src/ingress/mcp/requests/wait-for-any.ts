/** Waits until any of several requests needs the agent. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Principal } from "../../../auth/principal.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { listThreads } from "../../../exchange/exchange.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { fail, ok } from "../../../mess/result.ts";
import { listStatusesIn } from "../../../mess/status.ts";
import { findInHouseholds, findMember, hasSeveral, type McpCaller } from "../caller.ts";
import { buildStructuredResult, toStructuredRequest } from "../results/structured-result.ts";
import { canReply, describeThread } from "../text/describe-thread.ts";
import { askUser, getEnd, type ResumedCall } from "./ask-user.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { createProgressReporter, hasAnswer, waitForAnswer } from "./wait-for-answer.ts";

interface WaitTarget {
  ref: string;
  exchange?: string;
}

const OPEN_STATUSES = listStatusesIn("received", "executing");

/** The open requests of the caller in all of its households, or in one. */
export async function listOpenTargets(
  env: ExchangeBindings,
  caller: McpCaller,
  exchange: string | undefined,
  limit: number,
): Promise<Outcome<WaitTarget[]>> {
  const member = findMember(caller, exchange);
  if (!member.ok) return member;
  const members = exchange === undefined ? caller.principals : [member.value];
  const targets: WaitTarget[] = [];
  for (const principal of members) {
    const listed = await listThreads(env, principal, { status: OPEN_STATUSES, limit });
    if (!listed.ok) return listed;
    const own = listed.value.threads.filter((row) => canReply(row, principal));
    targets.push(...own.map(({ ref }) => ({ ref, exchange: principal.household })));
  }
  return ok(targets.slice(0, limit));
}

interface WaitedRequest {
  view: ResourceView;
  principal: Principal;
}

/** Waits for all targets at once, and returns when the first needs the agent; describes those that do. */
export async function waitForAny(
  call: ToolContext,
  targets: readonly WaitTarget[],
  getCursor: (ref: string) => number | undefined,
  maxSeconds: number,
  resumed?: ResumedCall,
): Promise<Outcome<ToolOutput>> {
  const { env, caller, mcp, log } = call;
  if (targets.length === 0)
    return ok(buildStructuredResult("You have no open requests.", { requests: [] }));
  const finished = new AbortController();
  const until = getEnd(maxSeconds, resumed);
  const seconds = Math.max(0, (until - Date.now()) / 1_000);
  const shared = {
    progress: createProgressReporter(mcp, seconds),
    signal: AbortSignal.any([mcp.mcpReq.signal, finished.signal]),
  };
  const waited = await Promise.all(
    targets.map(async ({ ref, exchange }): Promise<Outcome<WaitedRequest>> => {
      const found = await findInHouseholds(caller, exchange, async (principal) => {
        const options = { cursor: getCursor(ref), seconds, shared };
        const view = await waitForAnswer(env, principal, ref, options, mcp, log);
        return view.ok ? ok({ view: view.value, principal }) : view;
      });
      if (!found.ok || hasAnswer(found.value.view, found.value.principal)) finished.abort();
      return found;
    }),
  );
  const requests: WaitedRequest[] = [];
  for (const [index, one] of waited.entries()) {
    if (!one.ok)
      return fail({ ...one.error, message: `${targets[index]!.ref}: ${one.error.message}` });
    requests.push(one.value);
  }
  // The user is asked about one request at a time, and only if no other has an answer.
  const waiting = requests.filter(({ view, principal }) => hasAnswer(view, principal));
  const [only] = waiting;
  const asked =
    only && waiting.length === 1 && !resumed?.isClosed && maxSeconds > 0
      ? askUser(call, only.principal, only.view, {
          since: getCursor(only.view.envelope.ref),
          until,
        })
      : undefined;
  if (asked) return ok(asked);
  return ok(describeRequests(requests, caller));
}

function describeRequests(requests: readonly WaitedRequest[], caller: McpCaller): CallToolResult {
  const answered = requests.filter(({ view, principal }) => hasAnswer(view, principal));
  const texts = answered.map(({ view, principal }) =>
    describeThread(view, principal, hasSeveral(caller) ? { exchange: principal.household } : {}),
  );
  const others = requests.filter((one) => !answered.includes(one));
  const cursors = others.map(({ view: { envelope, cursor } }) => `"${envelope.ref}": ${cursor}`);
  if (others.length > 0)
    texts.push(
      `No answer yet: ${others.map(({ view: { envelope } }) => `${envelope.ref} (${envelope.status})`).join(", ")}. Next: mess_wait re=[${others.map(({ view }) => `"${view.envelope.ref}"`).join(", ")}] cursor={${cursors.join(", ")}}.`,
    );
  return buildStructuredResult(texts.join("\n\n"), {
    requests: [...answered, ...others].map(({ view, principal }) => ({
      ...toStructuredRequest(view, principal),
      ...(hasSeveral(caller) ? { exchange: principal.household } : {}),
    })),
  });
}
