/**
 * Gives a request to an agent of the pool as a task: reserves the agent, posts the task, and claims the request in the
 * agent's name. The claim is last, because an offer of a claimed request is not sent again after a crash.
 */
import type { GroupsRpc, RequestAssignment } from "../../contracts/household-groups.ts";
import {
  buildClaim,
  buildDecline,
  writeAgentTask,
  writeRequestNews,
} from "../../mess/groups/agent-task.ts";
import { isMemberId } from "../../mess/groups/ids.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import { groupConfig } from "./config.ts";

export const group: Channel<object, string> = {
  ...groupConfig,
  features: { edits: false, updates: false, buttons: false },
  send: async (sender, _address, notice) => {
    if (!isMemberId(notice.executor)) return NOT_IN_POOL;
    const { groups } = getHouseholdStub(sender.env, notice.household);
    const assignment = { agent: notice.executor, ref: notice.ref };
    const isOffer = notice.kind === "offer" || (notice.kind === "reminder" && !notice.isHolder);
    return isOffer
      ? await offer(sender, groups, assignment, notice)
      : await report(groups, assignment, notice);
  },
};

const NOT_IN_POOL = {
  ok: false,
  reason: "only agents of the pool get tasks in this channel",
  isPermanent: true,
} as const satisfies SendResult;

async function offer(
  { postReply }: SendContext<object>,
  groups: GroupsRpc,
  assignment: RequestAssignment,
  notice: Notice,
): Promise<SendResult> {
  const { ref, id } = notice;
  const state = await groups.assignRequest(assignment);
  if (state === "unknown") return { ok: false, reason: "the pool of agents did not answer" };
  if (state === "unavailable") {
    await postReply?.([buildDecline(ref, "the agent is busy or offline")]);
    return { ok: true, note: "the agent was not available" };
  }
  await groups.postAboutRequest(assignment, { id, type: "task", content: writeAgentTask(notice) });
  if (await postReply?.([buildClaim(ref)])) return { ok: true };
  // Another was faster, or the agent has reported already.
  const lost = writeRequestNews({ status: "taken", isLost: true });
  await groups.postAboutRequest(assignment, { id: `${id} lost`, type: "message", content: lost });
  await groups.withdrawRequest(assignment);
  return { ok: true, note: "the claim in the agent's name was refused" };
}

/** News about a request that the agent holds, or has just lost. */
async function report(
  groups: GroupsRpc,
  assignment: RequestAssignment,
  notice: Notice,
): Promise<SendResult> {
  const isLost = !notice.isHolder || isFinal(notice.status as Status);
  const content = writeRequestNews({ ...notice, isLost });
  await groups.postAboutRequest(assignment, { id: notice.id, type: "message", content });
  if (isLost) await groups.withdrawRequest(assignment);
  return { ok: true };
}
