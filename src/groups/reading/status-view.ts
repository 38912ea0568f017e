/** The answers of status and pending: counts, types and times, and no contents of channels that the caller may not read. */
import type {
  GroupCaller,
  GroupMember,
  GroupMemberStatus,
  GroupStatusView,
  OpenTask,
  PendingSummary,
} from "../../contracts/groups.ts";
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { GroupStore } from "../tables/group-store.ts";
import { isOnline } from "../../mess/groups/presence.ts";
import { getLastSeen, isMemberOnline } from "../presence.ts";
import { resolveCaller, resolveReader } from "../resolve-caller.ts";
import { isExecutor, isPerson, type RosterMember } from "../tables/roster.ts";
import type { GroupTask } from "../tables/task-table.ts";
import { countUnread } from "../tables/unread-table.ts";
import { showRequest } from "./show-message.ts";

/** Tasks in one status. */
const MAX_TASKS = 100;
/** The first characters of a task. */
export const SUMMARY_CHARS = 200;

const toIso = (time: number): string => new Date(time).toISOString();

export function readPending(
  store: GroupStore,
  caller: GroupCaller,
  now: number,
): Outcome<PendingSummary> {
  const member = resolveCaller(store.roster, caller);
  if (!member.ok) return member;
  store.life.record(member.value.key, now);
  return ok(summarizePending(store, member.value));
}

function summarizePending({ unread, roster }: GroupStore, { key }: GroupMember): PendingSummary {
  const all = unread.list(key);
  const waiting = all.filter((counts) => countUnread(counts) > 0);
  const by_sender = waiting.map((counts) => {
    const { id, name } = roster.show(counts.sender);
    const { types, latest_at } = counts;
    return [id, { name, count: countUnread(counts), types, latest: toIso(latest_at) }] as const;
  });
  return {
    by_sender: Object.fromEntries(by_sender),
    total_pending: waiting.reduce((sum, counts) => sum + countUnread(counts), 0),
    needs_ack: all.reduce((sum, { acks }) => sum + acks, 0),
  };
}

export function readStatus(
  store: GroupStore,
  caller: GroupCaller,
  now: number,
): Outcome<GroupStatusView> {
  const reader = resolveReader(store.roster, caller);
  if (!reader.ok) return reader;
  const member = reader.value;
  const isOwner = caller.principal.role === "owner";
  return ok({
    ...showStatus(store, isOwner || !member ? undefined : [member.key], now),
    ...defined({ my_id: member?.id, pending: member && summarizePending(store, member) }),
  });
}

/** @param readers keys of the members whose tasks and handoff are shown; without them, all are */
export function showStatus(
  store: GroupStore,
  readers: readonly string[] | undefined,
  now: number,
): Omit<GroupStatusView, "my_id" | "pending"> {
  const { id, topic, description, status, created, members } = store.roster.get();
  return {
    group_id: id,
    topic,
    ...defined({ description }),
    status,
    created: toIso(created),
    members: [...members, ...store.roster.listExecutors()].map((each) =>
      showMember(store, each, now),
    ),
    tasks: listOpenTasks(store, readers, now),
    ...defined({ handoff: showHandoff(store, readers, now) }),
    messages: store.messages.getNewestSeq() - store.deletions.get(),
  };
}

/** Undefined without an offer that the readers are concerned with. */
function showHandoff(
  { roster }: GroupStore,
  readers: readonly string[] | undefined,
  now: number,
): GroupStatusView["handoff"] {
  const { handoff, status } = roster.get();
  if (!handoff || handoff.until <= now || status === "closed") return undefined;
  const { from, to, until } = handoff;
  const isConcerned = readers === undefined || readers.includes(from) || readers.includes(to);
  return isConcerned
    ? { from: roster.show(from).id, to: roster.show(to).id, until: toIso(until) }
    : undefined;
}

function showMember(store: GroupStore, member: RosterMember, now: number): GroupMemberStatus {
  const { key, id, name, role, active } = member;
  const seen = getLastSeen(store, member, now);
  return {
    id,
    name,
    role,
    ...(store.roster.get().primary === key ? { primary: true } : {}),
    ...(isPerson(member) ? { person: true } : {}),
    online: active && isOnline(seen, now),
    ...defined({ last_seen: seen === undefined ? undefined : toIso(seen) }),
    ...(active ? {} : { left: true }),
  };
}

/** Tasks that were given back and not assigned again, then open ones: those of the readers, or all. */
function listOpenTasks(
  store: GroupStore,
  readers: readonly string[] | undefined,
  now: number,
): OpenTask[] {
  const isVisible = ({ agent, assigner, replaced_by }: GroupTask): boolean =>
    replaced_by === null &&
    (readers === undefined || readers.includes(agent) || readers.includes(assigner));
  return (["returned", "open"] as const)
    .flatMap((status) => store.tasks.list(status).filter(isVisible))
    .slice(0, MAX_TASKS)
    .map((task) => showTask(store, task, now));
}

function isSilent(store: GroupStore, agent: string, now: number): boolean {
  const member = store.roster.find(agent);
  return member !== undefined && !isExecutor(member) && !isMemberOnline(store, member, now);
}

function showTask(store: GroupStore, task: GroupTask, now: number): OpenTask {
  const { messages, roster } = store;
  const message = messages.get(task.seq)!;
  const { id, at, content } = message;
  return {
    id,
    agent: roster.show(task.agent).id,
    assigned_by: roster.show(task.assigner).id,
    status: task.status === "open" ? "open" : "returned",
    ...(task.status === "open" && isSilent(store, task.agent, now) ? { silent: true } : {}),
    at: toIso(at),
    summary: content.slice(0, SUMMARY_CHARS),
    ...showRequest(store, message),
  };
}
