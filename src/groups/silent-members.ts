/**
 * Notifies those who assigned tasks that the member who has them gives no sign of life. Claims of silent agents are ended
 * by the household; a member without a claim keeps its tasks, since it may only be slow to report.
 */
import { EXCHANGE_SENDER } from "../mess/groups/ids.ts";
import { isOnline } from "../mess/groups/presence.ts";
import { OFFLINE_AFTER_MS } from "../mess/groups/vocabulary.ts";
import { getLastSeen } from "./presence.ts";
import { appendMessage } from "./sending/append-message.ts";
import type { GroupStore } from "./tables/group-store.ts";
import type { StoredMessage } from "./tables/message-table.ts";
import { putSilenceCheck } from "./tables/group-job-table.ts";
import { isExecutor } from "./tables/roster.ts";
import { listTaskLines } from "./task-lines.ts";

/** Between two checks of a silent member. They become rarer the longer it is silent. */
const MAX_CHECK_INTERVAL_MS = 86_400_000;

/** Checks a member that has tasks, and sets its next check. @returns the messages, one for each silence and new task */
export function notifyOfSilence(store: GroupStore, agent: string, now: number): StoredMessage[] {
  const { roster, tasks, messages, jobs } = store;
  const member = roster.find(agent);
  const open = tasks.list("open", agent).filter(({ epoch }) => epoch === null);
  const isOver = open.length === 0 || roster.get().status === "closed";
  if (!member || isExecutor(member) || isOver) return [];
  const lastSeen = getLastSeen(store, member, now) ?? 0;
  const isSilent = !isOnline(lastSeen, now);
  const due = isSilent
    ? now + Math.min(now - lastSeen, MAX_CHECK_INTERVAL_MS)
    : lastSeen + OFFLINE_AFTER_MS;
  putSilenceCheck(jobs, agent, due);
  if (!isSilent) return [];
  return [...Map.groupBy(open, ({ assigner }) => assigner)].flatMap(([assigner, own]) => {
    const key = `silent/${agent}/${lastSeen}/${assigner}/${own.at(-1)!.seq}`;
    if (messages.findByKey(key)) return [];
    const content = [
      `${member.name} (${member.id}) has given no sign of life for five minutes, with these tasks of yours open:`,
      ...listTaskLines(store, own),
      "It keeps them and can still report. To give one to another agent instead, call pool_claim, where task is the id of the task.",
    ].join("\n");
    return appendMessage(store, {
      receiver: assigner,
      sender: EXCHANGE_SENDER,
      type: "message",
      at: now,
      key,
      content,
      details: { importance: "high" },
    });
  });
}
