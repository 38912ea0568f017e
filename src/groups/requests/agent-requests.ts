/** Requests that agents of the pool carry out: their tasks come from the exchange, and their messages go to it. */
import type { Principal } from "../../auth/principal.ts";
import type { GroupMember, NewGroupMessage, PostForMember } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { buildAgentMessage, buildDecline } from "../../mess/groups/agent-task.ts";
import { EXCHANGE_SENDER } from "../../mess/groups/ids.ts";
import { ok } from "../../mess/result.ts";
import type { JobOutcome } from "../../object/stored-jobs.ts";
import type { ReportedTask } from "../sending/reported-task.ts";
import type { GroupJobs } from "../tables/group-job-table.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import type { RosterMember } from "../tables/roster.ts";
import type { GroupTask } from "../tables/task-table.ts";

/** The exchange as a receiver. It is no member: nobody can act as it, and no list shows it. */
export const EXCHANGE_RECEIVER: RosterMember = {
  key: EXCHANGE_SENDER,
  id: EXCHANGE_SENDER,
  aliases: [],
  name: EXCHANGE_SENDER,
  role: "ops",
  actor: EXCHANGE_SENDER,
  credential: "none",
  active: true,
  joined: 0,
};

/** The task of the exchange that the agent's message is about: the one that it names, else the only open one. */
export function matchExchangeTask(
  { messages, tasks }: GroupStore,
  sender: GroupMember,
  { type, reply_to }: Pick<NewGroupMessage, "type" | "reply_to">,
): Outcome<ReportedTask> {
  const named = reply_to === undefined ? undefined : messages.find(reply_to);
  const about = named?.details.request ?? named?.id;
  const message = about === undefined ? undefined : messages.find(about);
  const [open, ...others] = tasks
    .list("open", sender.key)
    .filter(({ assigner }) => assigner === EXCHANGE_SENDER);
  const task = reply_to === undefined ? open : message && tasks.find(sender.key, message.seq);
  const isUnclear = reply_to === undefined && others.length > 0;
  // A report about a task that was given back is kept, though it reaches nobody.
  const isLost = task?.status === "returned" && type !== "report";
  if (type === "task" || !task || isUnclear || isLost || task.assigner !== EXCHANGE_SENDER)
    return refuseWithoutTask();
  return ok({ id: messages.get(task.seq)!.id, task });
}

const refuseWithoutTask = () =>
  refuse(
    "unknown_reference",
    `${EXCHANGE_SENDER} has given you no such task`,
    "Give the id of a task from the exchange in reply_to, and send a report, a question or a message.",
  );

/** Sends the agent's message to the request, as the executor with the agent's id and under the agent's credential. */
export async function postForAgent(
  store: GroupStore,
  { id, type, content, sender, details }: StoredMessage,
  principal: Principal,
  postForMember: PostForMember,
): Promise<Outcome<string>> {
  const task = store.messages.find(details.request ?? "");
  const request = task && store.requests.find(task.seq);
  if (!request) return refuseWithoutTask();
  const { ref } = request;
  const posted = await postForMember(
    { ...principal, actor: sender, role: "executor" },
    buildAgentMessage(type, content, ref, details.files_modified),
    { key: id },
  );
  if (posted.ok && type === "report") store.requests.save({ ...request, status: "completed" });
  return posted;
}

/** Runs inside the caller's transaction. Messages about the task that are on their way are sent first. */
export function enqueueDecline(
  { jobs, messages, requests }: GroupStore,
  { agent, seq }: GroupTask,
  reason: string,
  now: number,
): void {
  const { id: task } = messages.get(seq)!;
  const { ref } = requests.find(seq)!;
  jobs.add("decline", task, { task, ref, agent, reason }, now);
}

/** The exchange refuses it where the request has ended or another holds it, which is as good. */
export async function declineRequest(
  { roster }: GroupStore,
  { task, ref, agent, reason }: GroupJobs["decline"],
  postForMember: PostForMember,
): Promise<JobOutcome> {
  const { household } = roster.get();
  const posted = await postForMember(
    { household, actor: agent, role: "executor" },
    buildDecline(ref, reason),
    { key: `decline ${task}` },
  );
  return !posted.ok && posted.error.retry_after !== undefined ? "retry" : "done";
}
