/** The state of a group, and the list of groups. */
import * as z from "zod";
import type { Principal } from "../../../../auth/principal.ts";
import type { GroupStatusView } from "../../../../contracts/groups.ts";
import type { GroupListing } from "../../../../contracts/household-groups.ts";
import { listGroups } from "../../../../exchange/group-calls/group-memberships.ts";
import { readGroupStatus } from "../../../../exchange/group-calls/group-messages.ts";
import type { ExchangeBindings } from "../../../../exchange/with-thread.ts";
import { defined } from "../../../../mess/defined.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import { memberNameSchema } from "../../../../mess/groups/fields.ts";
import { isMemberId } from "../../../../mess/groups/ids.ts";
import { findNamed } from "../../../../mess/groups/names.ts";
import { ok } from "../../../../mess/result.ts";
import { hasSeveral } from "../../caller.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import {
  describePending,
  formatName,
  formatRequest,
  toStructuredPending,
} from "../../text/describe-group.ts";
import { cleanDeep, inlineText } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { findByIds } from "./find-by-ids.ts";
import { READS } from "../tool-hints.ts";
import { groupOutputSchema, groupIdSchema } from "./group-tool.ts";

/** Open groups come first, and the newest among them: a member may have hundreds of closed ones. */
const MAX_LISTED_GROUPS = 50;

const formatTopic = (topic: string): string => `"${inlineText(topic, 200)}"`;

function describeStatus(view: GroupStatusView, toolName: ToolNamer): string {
  const { group_id, topic, status, my_id, members, tasks, handoff, messages, pending } = view;
  return [
    `Group ${group_id} ${formatTopic(topic)}: ${status}, ${messages} messages.${my_id === undefined ? "" : ` You are ${my_id}.`}`,
    ...members.map(({ id, name, role, primary, online, last_seen, left }) => {
      if (!isMemberId(id)) return `${role} ${id} ${formatName(name)}`;
      const state = left ? "left" : online ? "online" : "offline";
      const seen = last_seen === undefined ? "never seen" : `last seen ${last_seen}`;
      return `${primary ? "primary " : ""}${role} ${id} ${formatName(name)}: ${state}, ${seen}`;
    }),
    ...tasks.map(
      ({ id, agent, assigned_by, status: state, silent, at, summary, ...request }) =>
        `task ${id} of ${assigned_by} to ${agent}: ${[state, ...(silent ? ["its agent is silent"] : []), at, ...formatRequest(request)].join(", ")}, "${inlineText(summary, 120)}"`,
    ),
    ...(handoff
      ? [
          `handoff of ${handoff.from} to ${handoff.to} offered until ${handoff.until}: ${handoff.to} accepts it with ${toolName("transfer_ops")}`,
        ]
      : []),
    ...(pending ? [describePending(pending)] : []),
  ].join("\n");
}

const toStructuredStatus = ({ pending, ...view }: GroupStatusView) => ({
  ...cleanDeep(view),
  tasks: view.tasks.map(({ summary, ...task }) => ({ ...task, summary: inlineText(summary, 120) })),
  ...(pending ? { pending: toStructuredPending(pending) } : {}),
});

const describeListing = ({ group_id, topic, status, members, my_ids }: GroupListing): string => {
  const own = my_ids.length > 0 ? `you are ${my_ids.join(", ")}` : "you are no member";
  return `${group_id} ${formatTopic(topic)}: ${status}, ${members} members, ${own}`;
};

/** The status as the member with this name, where the caller's credential has several memberships in the group. */
async function readStatusAs(
  env: ExchangeBindings,
  principal: Principal,
  group_id: string,
  name: string | undefined,
): Promise<Outcome<GroupStatusView>> {
  const view = await readGroupStatus(env, principal, { group_id });
  const ids = view.ok ? undefined : view.error.valid;
  if (name === undefined || view.ok || view.error.code !== "several_memberships" || !ids?.[0])
    return view;
  const first = await readGroupStatus(env, principal, { group_id, my_id: ids[0] });
  if (!first.ok) return first;
  const own = first.value.members.filter(({ id }) => ids.includes(id));
  const named = findNamed(own, name);
  if (!named) return view;
  return named.id === ids[0]
    ? first
    : await readGroupStatus(env, principal, { group_id, my_id: named.id });
}

export const buildStatusTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("status"),
    title: "Look at a group",
    description: "Members, open tasks and unread counts of a group; without group_id, your groups",
    hints: READS,
    input: z.strictObject({
      group_id: groupIdSchema.describe("The group"),
      my_name: memberNameSchema.optional().describe("Your name, if you have several"),
    }),
    output: groupOutputSchema,
    takesExchange: false,
    async run({ group_id, my_name }, { env, caller }) {
      if (group_id !== undefined)
        return await findByIds(caller, group_id, async (principal) => {
          const view = await readStatusAs(env, principal, group_id, my_name);
          return view.ok
            ? ok(
                buildStructuredResult(
                  describeStatus(view.value, toolName),
                  toStructuredStatus(view.value),
                ),
              )
            : view;
        });
      const groups: (GroupListing & { exchange?: string })[] = [];
      for (const principal of caller.principals) {
        const listed = await listGroups(env, principal);
        if (!listed.ok) return listed;
        const household = hasSeveral(caller) ? principal.household : undefined;
        groups.push(
          ...listed.value.map((one) => ({ ...one, ...defined({ exchange: household }) })),
        );
      }
      const shown = groups.slice(0, MAX_LISTED_GROUPS);
      const left = groups.length - shown.length;
      const text =
        groups.length === 0
          ? `No groups. Create one with ${toolName("initiate")}.`
          : [...shown.map(describeListing), ...(left > 0 ? [`${left} more.`] : [])].join("\n");
      return ok(buildStructuredResult(text, { groups: cleanDeep(shown), more: left > 0 }));
    },
  });
