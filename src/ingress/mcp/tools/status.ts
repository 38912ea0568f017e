import { defined } from "../../../mess/defined.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { listThreads, readThread } from "../../../exchange/exchange.ts";
import { ok } from "../../../mess/result.ts";
import { listStatusesIn } from "../../../mess/status.ts";
import { hasSeveral, findMember, findInHouseholds } from "../caller.ts";
import { targetSchema } from "../compose-request.ts";
import { describeThread } from "../text/describe-thread.ts";
import { formatThreadLines } from "../format-lists.ts";
import { defineTool } from "../tool.ts";

const PAGE_SIZE = 10;

const OPEN_STATUSES = listStatusesIn("received", "executing");

export const statusTool = defineTool({
  name: "mess_status",
  title: "Look at requests",
  description:
    "With re: status, answers and open questions of one request. Without: your open requests, newest first.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    re: targetSchema.optional().describe("Ref, your id, last, or all"),
    finished: z.boolean().optional().describe("List finished ones too"),
    search: boundedTextSchema(200).min(1).optional().describe("List requests with this text"),
    cursor: boundedTextSchema(1_024).min(1).optional().describe("From the previous list"),
  }),
  async run({ re: target, finished, search, cursor, exchange }, { env, caller }) {
    if (target !== undefined && target !== "all")
      return await findInHouseholds(caller, exchange, async (principal) => {
        const view = await readThread(env, principal, target);
        const where = hasSeveral(caller) ? { exchange: principal.household } : {};
        return view.ok ? ok(describeThread(view.value, principal, where)) : view;
      });
    const member = findMember(caller, exchange);
    if (!member.ok) return member;
    const everything = finished === true || search !== undefined || target === "all";
    const listed = await listThreads(env, member.value, {
      limit: PAGE_SIZE,
      ...(everything ? {} : { status: OPEN_STATUSES }),
      ...defined({ q: search, cursor }),
    });
    if (!listed.ok) return listed;
    const lines = formatThreadLines(listed.value, member.value.actor);
    const { next_cursor } = listed.value;
    const others = caller.principals.filter((one) => one !== member.value);
    return ok(
      [
        ...(lines.length === 0 ? [`No ${everything ? "" : "open "}requests.`] : lines),
        ...(next_cursor === undefined ? [] : [`There are more: cursor=${next_cursor}`]),
        ...(exchange === undefined && others.length > 0
          ? [
              `This is ${member.value.household}; look at ${others.map(({ household }) => household).join(", ")} with exchange.`,
            ]
          : []),
      ].join("\n"),
    );
  },
});
