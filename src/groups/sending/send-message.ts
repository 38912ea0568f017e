/** Checks a member's message, finds out whether it was sent before, and stores it. */
import type {
  GroupCaller,
  GroupMember,
  NewGroupMessage,
  ReceiverLookup,
  SentGroupMessage,
} from "../../contracts/groups.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { checkGroupMessage } from "../../mess/groups/check-message.ts";
import { EXCHANGE_SENDER } from "../../mess/groups/ids.ts";
import {
  refuseGroupClosed,
  refuseGroupFull,
  refuseUnknownReceiver,
} from "../../mess/groups/refusals.ts";
import { GROUP_LIMITS, isPoolId } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import { appendMessage, buildDetails } from "./append-message.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import { isMemberOnline } from "../presence.ts";
import { completeTask, listReportable, matchTask, type ReportedTask } from "./reported-task.ts";
import { findRepeated } from "./repeated-message.ts";
import { enqueuePost } from "../tables/group-job-table.ts";
import { EXCHANGE_RECEIVER, matchExchangeTask } from "../requests/agent-requests.ts";
import { isAboutOwnTask, matchRequest } from "../requests/match-request.ts";
import { resolveCaller } from "../resolve-caller.ts";
import { isExecutor, isPerson, type RosterMember, toExecutorMember } from "../tables/roster.ts";
import { showRequest } from "../reading/show-message.ts";

/** @param lookup what the household knows about a receiver that is no member */
export function sendMessage(
  store: GroupStore,
  caller: GroupCaller,
  message: NewGroupMessage,
  lookup: ReceiverLookup,
  now: number,
): Outcome<SentGroupMessage> {
  const found = resolveCaller(store.roster, caller);
  if (!found.ok) return found;
  const sender = found.value;
  store.life.record(sender.key, now);
  const announcer = findAnnouncer(store, sender, message, lookup);
  const receiver = announcer ? ok(announcer) : findReceiver(store, sender, message.to, lookup, now);
  if (!receiver.ok) return receiver;
  const repeated = findRepeated(store, sender, receiver.value, message, now);
  if (!repeated.ok) return repeated;
  if (repeated.value) return ok({ ...toSentMessage(store, repeated.value, now), repeated: true });
  if (store.roster.get().status === "closed") return refuseGroupClosed();
  const error = checkGroupMessage(message);
  if (error) return error;
  const isToExchange = receiver.value === EXCHANGE_RECEIVER;
  const given = isToExchange ? matchExchangeTask(store, sender, message) : undefined;
  if (given && !given.ok) return given;
  const about = given ? { reply_to: given.value.id } : message;
  const task =
    message.type === "report" ? matchTask(store, sender, receiver.value, about) : undefined;
  const isKnown =
    task !== undefined ||
    isInChannel(store, sender, receiver.value, message.reply_to) ||
    isAboutOwnTask(store, sender, receiver.value, message.reply_to);
  if (!isKnown) return refuseReplyTo();
  if (store.messages.getNewestSeq() >= GROUP_LIMITS.messagesPerGroup) return refuseGroupFull();
  const request =
    isExecutor(receiver.value) && !announcer
      ? matchRequest(store, sender, receiver.value, message)
      : ok(given?.value.id);
  if (!request.ok) return request;
  const stored = storeMessage(store, sender, receiver.value, message, task, request.value, now);
  if (lookup.executor && !announcer) {
    store.roster.addExecutor(lookup.executor, now);
    enqueuePost(store, caller.principal, stored, now);
  }
  if (isToExchange && !stored.details.late) enqueuePost(store, caller.principal, stored, now);
  const { completes, late } = stored.details;
  const isUnmatched = message.type === "report" && completes === undefined && !late;
  const open = isUnmatched ? listReportable(store, sender, receiver.value) : [];
  const open_tasks = open.length > 0 ? open : undefined;
  return ok({ ...toSentMessage(store, stored, now), ...defined({ open_tasks }) });
}

/**
 * The owner whose announcement is answered: the message with the id in `reply_to`, or the newest one where the owner
 * executes nothing in the household. The answer stays in the group: no request is opened or written to.
 */
function findAnnouncer(
  { messages, roster }: GroupStore,
  sender: GroupMember,
  { to, type, reply_to }: NewGroupMessage,
  { executor }: ReceiverLookup,
): RosterMember | undefined {
  const announcer = type === "task" ? undefined : roster.find(to);
  if (!announcer || !isExecutor(announcer)) return undefined;
  const [newest] = messages.listSeqs({ receiver: sender.key, sender: to }, "newest", 1);
  const assumed = executor || newest === undefined ? undefined : messages.get(newest);
  const answered = reply_to === undefined ? assumed : messages.find(reply_to);
  const isAnnouncement =
    answered?.sender === to &&
    answered.receiver === sender.key &&
    answered.details.person === true &&
    answered.details.request === undefined;
  return isAnnouncement ? announcer : undefined;
}

function findReceiver(
  { roster }: GroupStore,
  sender: GroupMember,
  to: string,
  { executor, others = [] }: ReceiverLookup,
  now: number,
): Outcome<RosterMember> {
  if (to === EXCHANGE_SENDER) return ok(EXCHANGE_RECEIVER);
  if (executor?.id === sender.actor) return refuseOwnTask();
  const receiver = executor ? toExecutorMember(executor, now) : roster.find(to);
  // An executor that the household does not have any more gets nothing.
  const isReached = executor !== undefined || (receiver && !isExecutor(receiver));
  if (isReached && isBetweenWaiting(roster, sender, receiver)) return refuseInPool();
  if (receiver?.active && receiver !== sender && isReached) return ok(receiver);
  return refuseUnknownReceiver([...new Set([...roster.listReceivers(sender), ...others])]);
}

/** Nobody reads along in the pool: an agent could give others assignments of its own there. */
const isBetweenWaiting = (
  roster: GroupStore["roster"],
  sender: GroupMember,
  receiver: RosterMember | undefined,
): boolean => isPoolId(roster.get().id) && sender.role === "agent" && receiver?.role === "agent";

/** True without a `reply_to`, or if it names a message between these two. */
function isInChannel(
  { messages }: GroupStore,
  sender: GroupMember,
  receiver: RosterMember,
  replyTo: string | undefined,
): boolean {
  if (replyTo === undefined) return true;
  const replied = messages.find(replyTo);
  const pair = [sender.key, receiver.key];
  return replied !== undefined && pair.includes(replied.sender) && pair.includes(replied.receiver);
}

function storeMessage(
  store: GroupStore,
  sender: GroupMember,
  receiver: RosterMember,
  message: NewGroupMessage,
  reported: ReportedTask | undefined,
  request: string | undefined,
  now: number,
): StoredMessage {
  const { content, type, importance, needs_ack, reply_to, tool_usage, files_modified } = message;
  const to = reported?.task.assigner ?? receiver.key;
  return appendMessage(store, {
    receiver: to,
    sender: sender.key,
    type,
    at: now,
    content,
    needs_ack,
    key: message.key === undefined ? undefined : `${sender.key}/${message.key}`,
    epoch: receiver.epoch,
    details: buildDetails({
      importance: importance === "normal" ? undefined : importance,
      person: isPerson(sender) ? true : undefined,
      reply_to,
      tool_usage,
      files_modified,
      ...(reported ? completeTask(store, reported) : {}),
      addressed: to === receiver.key ? undefined : receiver.key,
      request,
    }),
  });
}

function toSentMessage(store: GroupStore, message: StoredMessage, now: number): SentGroupMessage {
  const { roster } = store;
  const { id, seq, at, receiver, details } = message;
  const member = roster.find(receiver);
  const { completes, late } = details;
  const { ref } = showRequest(store, message);
  return {
    id,
    seq,
    at: new Date(at).toISOString(),
    to: roster.show(receiver).id,
    ...(completes === undefined ? {} : { completes }),
    ...(late ? { late } : {}),
    receiver_online:
      receiver === EXCHANGE_SENDER || (member !== undefined && isMemberOnline(store, member, now)),
    ...(ref === undefined ? {} : { ref }),
  };
}

const refuseOwnTask = () =>
  refuse(
    "bad_field",
    "to_id: this is the member of the household that your key belongs to",
    "Send it to somebody else: nobody is asked to do their own request.",
  );

const refuseInPool = () =>
  refuse(
    "wrong_role",
    "to_id: agents that wait in the pool cannot write to each other",
    "Wait for your assignment, then write to the members of that group.",
  );

const refuseReplyTo = () =>
  refuse(
    "unknown_reference",
    "reply_to: no such message between you and this member",
    "Give the id of a message that you received from this member or sent to it.",
  );
