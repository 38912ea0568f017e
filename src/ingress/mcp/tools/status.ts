import { defined } from "../../../mess/defined.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { listThreads, readThread } from "../../../exchange/exchange.ts";
import { readQueuePosition } from "../../../exchange/queue-position.ts";
import { hasReferences, readContext, readEarlierThread } from "../../../exchange/read-context.ts";
import { ok } from "../../../mess/result.ts";
import type { Principal } from "../../../auth/principal.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { hasSeveral, findMember, findInHouseholds } from "../caller.ts";
import { targetSchema } from "../requests/compose-request.ts";
import { describeContext, describeEarlierThread } from "../text/describe-context.ts";
import { describeThread } from "../text/describe-thread.ts";
import { listOverview, PAGE_SIZE, readStatusFilter } from "../requests/list-requests.ts";
import {
  describeForYou,
  describeOverview,
  describePage,
  describeQueue,
} from "../text/describe-list.ts";
import { inlineText } from "../text/untrusted-text.ts";
import type { ListedResult } from "../text/format-lists.ts";
import {
  buildStructuredResult,
  requestsOutputSchema,
  toStructuredRequest,
} from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";

export const statusTool = defineTool({
  name: "mess_status",
  title: "Look at requests",
  description:
    "With re: status, answers and open questions of one request. Without: your requests, first those that wait for your reply.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    re: targetSchema.optional().describe("Ref, your id, last, or all"),
    status: boundedTextSchema(LIMITS.statusChars)
      .min(1)
      .optional()
      .describe("for_you, open, finished, or a status such as failed"),
    search: boundedTextSchema(200).min(1).optional().describe("List requests with this text"),
    cursor: boundedTextSchema(1_024).min(1).optional().describe("From the previous list"),
  }),
  output: requestsOutputSchema,
  async run({ re: target, status, search, cursor, exchange }, { env, caller }) {
    if (target !== undefined && target !== "all")
      return await findInHouseholds(caller, exchange, async (principal) => {
        const view = await readThread(env, principal, target);
        const where = hasSeveral(caller) ? { exchange: principal.household } : {};
        if (!view.ok) return await describeReferred(env, principal, target, view);
        const queue_position = await readQueuePosition(env, principal, view.value.envelope);
        const text = [
          ...(await describeReferences(env, principal, view.value)),
          describeThread(view.value, principal, where),
          ...describeQueue(queue_position),
        ].join("\n");
        const structured = toStructuredRequest(view.value, principal);
        return ok(buildStructuredResult(text, { ...structured, ...defined({ queue_position }) }));
      });
    const member = findMember(caller, exchange);
    if (!member.ok) return member;
    const where = hasSeveral(caller) ? ` exchange=${member.value.household}` : "";
    const all = target === "all";
    const listed = await listRequests(env, member.value, where, { status, search, cursor, all });
    if (!listed.ok) return listed;
    const { text, ...fields } = listed.value;
    const others = caller.principals.filter((one) => one !== member.value);
    const fullText =
      exchange === undefined && others.length > 0
        ? `${text}\nThis is ${member.value.household}; look at ${others.map(({ household }) => household).join(", ")} with exchange.`
        : text;
    return ok(buildStructuredResult(fullText, fields));
  },
});

async function describeReferences(
  env: ExchangeBindings,
  principal: Principal,
  { envelope: { ref }, messages }: ResourceView,
): Promise<string[]> {
  if (!hasReferences(messages)) return [];
  const context = await readContext(env, principal, ref);
  return context.ok ? describeContext(context.value) : [];
}

/** A thread that the caller sees only through an open request that refers to it. */
async function describeReferred(
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  refused: Outcome<never>,
): Promise<Outcome<CallToolResult>> {
  const earlier = await readEarlierThread(env, principal, target);
  if (!earlier.ok) return refused;
  const { ref, status } = earlier.value;
  return ok(buildStructuredResult(describeEarlierThread(earlier.value), { ref, status }));
}

interface ListParameters {
  status: string | undefined;
  search: string | undefined;
  cursor: string | undefined;
  /** True to list the requests of every status. */
  all: boolean;
}

interface RequestList {
  text: string;
  requests: object[];
  next_cursor?: string;
}

async function listRequests(
  env: ExchangeBindings,
  member: Principal,
  where: string,
  { status, search, cursor, all }: ListParameters,
): Promise<Outcome<RequestList>> {
  const filter = status === undefined ? undefined : readStatusFilter(status);
  if (filter && !filter.ok) return filter;
  if (filter?.value === "for_you" || (!filter && !all && search === undefined && !cursor)) {
    const overview = await listOverview(env, member);
    if (!overview.ok) return overview;
    const { forYou, open, finished } = overview.value;
    const requests = forYou.map((view) => toStructuredRequest(view, member));
    if (!filter)
      return ok({
        text: describeOverview(overview.value, member.actor, where),
        requests: [...requests, ...toStructuredRows(open), ...toStructuredRows(finished)],
      });
    const text = forYou.length === 0 ? "Nothing waits for you." : describeForYou(forYou, where);
    return ok({ text, requests });
  }
  const listed = await listThreads(env, member, {
    limit: PAGE_SIZE,
    ...defined({ status: filter?.value, q: search, cursor }),
  });
  if (!listed.ok) return listed;
  const same = [
    ...(status === undefined ? [] : [`status=${status}`]),
    ...(search === undefined ? [] : [`search="${inlineText(search, 200)}"`]),
    ...(all ? ["re=all"] : []),
  ].join(" ");
  const page = describePage("Requests", listed.value, member.actor, `${same}${where}`);
  return ok({
    text: page.length === 0 ? "No requests." : page.join("\n"),
    requests: toStructuredRows(listed.value),
    ...defined({ next_cursor: listed.value.next_cursor }),
  });
}

const toStructuredRows = ({ threads }: ListedResult) =>
  threads.map(({ ref, status }) => ({ ref, status }));
