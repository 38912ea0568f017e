/**
 * RPC surface of GroupObject, the record of one AI group or pool: its messages, read cursors and signs of life. The
 * household decides who is a member and sends the object the whole list after each change. Types only.
 */
import type { CredentialId, Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type {
  GroupExecutorRole,
  GroupMessageType,
  GroupRole,
  Importance,
} from "../mess/groups/vocabulary.ts";
import type { RequestNews } from "../mess/groups/request-news.ts";
import type { ArchivedGroupMessage } from "../mess/groups/write-archive.ts";
import type { Status } from "../mess/status.ts";
import type { TaskOrigin } from "../mess/thread/state.ts";
import type { MessageInput } from "../mess/wire/schema.ts";

/** A member as the household knows it. */
export interface GroupMember {
  /** The first id of the member, which never changes. Messages are stored under it. */
  key: string;
  /** The present id: `o_…` or `a_…`; an id that a handoff gave differs from `key`. */
  id: string;
  /** Former ids, which still work. */
  aliases: string[];
  name: string;
  role: GroupRole;
  /** Member of the household that the credential belongs to. */
  actor: string;
  /** The key or grant that joined; only its holder may act as this member. */
  credential: CredentialId;
  /** False once the member was removed: its channels stay readable for the other side. */
  active: boolean;
  /** The credential has ended: its waits end at once. Messages to the member are kept for when it rejoins. */
  ended?: true;
  /** Milliseconds since 1970. */
  joined: number;
  /** The member is a person: its messages come first. A member that joined from a browser always is. */
  person?: true;
  /** Epoch of the claim by which an agent of a pool works here. Tasks that it gets are given back with that claim. */
  epoch?: number;
}

/** The offer of the primary ops to hand the group over. */
interface HandoffOffer<Time> {
  from: string;
  to: string;
  /** An offer that was not accepted by then ends. */
  until: Time;
}

/** The state of a group that the household sends to its object. A lower `revision` than the stored one is ignored. */
export interface GroupRecord {
  household: string;
  id: string;
  topic: string;
  description?: string;
  status: "open" | "closed";
  /** Rises with every change. */
  revision: number;
  created: number;
  members: GroupMember[];
  /** `key` of the primary ops; absent in a pool. */
  primary?: string;
  /** With the keys of both, in milliseconds since 1970. */
  handoff?: HandoffOffer<number>;
}

/** A person or robot of the household to whom a message is sent. */
export interface GroupExecutor {
  /** Id in the household, which is its id in the group, too. */
  id: string;
  name: string;
  role: GroupExecutorRole;
}

/** A receiver that is no member of the group, as the household knows it. */
export interface ReceiverLookup {
  executor?: GroupExecutor;
  /** Executors to suggest, where the receiver is none. */
  others?: readonly string[];
}

/** A change of a request that a task has opened. */
export interface RequestChange {
  task: string;
  ref: string;
  /** Rises with every change of the request. */
  seq: number;
  status: Status;
  /** Messages since the last change that the group has. */
  news: readonly RequestNews[];
  /** A further call follows with the messages that did not fit. */
  more?: true;
}

/**
 * Sends a message of a member to the exchange: a request to the executor, or a message about a request.
 * @returns the ref of the thread
 */
export type PostForMember = (
  principal: Principal,
  message: MessageInput,
  options: {
    /** Idempotency key. */
    key: string;
    /** For a request. */
    opens?: { origin: TaskOrigin; executor: string };
  },
) => Promise<Outcome<string>>;

/** The caller, and the member in whose name it calls. Without `as`, the only member with the caller's credential is taken. */
export interface GroupCaller {
  principal: Principal;
  /** A present or former id of the member. */
  as?: string;
}

export interface NewGroupMessage {
  to: string;
  content: string;
  type: GroupMessageType;
  importance?: Importance;
  /** The receiver must acknowledge: by a reply, or by marking this message as read by its id. */
  needs_ack?: boolean;
  /** Id of an earlier message of the same channel. */
  reply_to?: string;
  tool_usage?: string[];
  files_modified?: string[];
  /** Idempotency key of the call. */
  key?: string;
}

/** A message as readers get it; times are ISO 8601 in UTC. */
export interface GroupMessage extends ArchivedGroupMessage {
  /** Position in the group; cursors are positions. */
  seq: number;
  importance?: Exclude<Importance, "normal">;
  needs_ack?: true;
  acknowledged?: true;
  /** For a task: whether it is open, done, or was given back because its agent was silent or released. */
  task_status?: "open" | "done" | "returned";
  /** For a task that was sent to a person or robot, and messages about it: the request that it opened. */
  ref?: string;
  /** For such a task: the status of the request. */
  request_status?: Status;
  /** For a task that was given back: id of the task that another agent got instead. */
  reassigned_as?: string;
  /** Whether the reader had read it before this call; absent for messages of the reader's own. */
  read?: boolean;
}

export interface SentGroupMessage {
  id: string;
  seq: number;
  at: string;
  /** Id of the receiver: differs from the given id after a handoff. */
  to: string;
  /** The same message was sent before with this key, or a moment ago: nothing was sent again. */
  repeated?: true;
  /** For a report: id of the task that it completes. */
  completes?: string;
  /** For a report: the sender no longer holds the task. */
  late?: true;
  /** For a report that completes nothing: open tasks of the sender that it could be about. */
  open_tasks?: string[];
  /** Whether the receiver had a sign of life within five minutes. */
  receiver_online: boolean;
  /** For a message to a person or robot: the request, if it was opened already. */
  ref?: string;
}

/** Counts by sender, without contents. */
export interface PendingSummary {
  by_sender: Record<
    string,
    {
      name: string;
      count: number;
      types: Partial<Record<GroupMessageType, number>>;
      latest: string;
    }
  >;
  total_pending: number;
  /** Messages that wait for this member's acknowledgment. */
  needs_ack: number;
}

export interface ReadQuery {
  /** The other member of the channel; without it, all channels of the caller. */
  other?: string;
  limit?: number;
  /** Unread messages, oldest first; otherwise the history, newest first. */
  unread_only?: boolean;
  /** Leave the messages unread. */
  peek?: boolean;
  /** Only messages before this position. For the history. */
  before?: number;
  /** For an owner: the channel between these two members, which is never marked. */
  between?: readonly [string, string];
  /** For an owner: all channels of the group, newest first and never marked. Default for an owner who is no member. */
  all?: boolean;
}

export interface GroupPage {
  messages: GroupMessage[];
  /** More messages match than were returned. */
  more: boolean;
  /** Unread messages of the caller after this read. */
  total_pending: number;
}

export interface ReceivedMessages {
  messages: GroupMessage[];
  /** For the next wait: the position of the last message returned; without one, where to continue. */
  cursor: number;
  /** Key of the member that received them. */
  member: string;
  /** Messages after the cursor that did not fit. */
  more: boolean;
  total_pending: number;
  /** The group was closed: no more messages of members will come. */
  closed?: true;
  /** The wait was cancelled: no messages are returned. */
  cancelled?: true;
}

export interface GroupMemberStatus {
  id: string;
  name: string;
  role: GroupRole | GroupExecutorRole;
  primary?: true;
  person?: true;
  online: boolean;
  /** ISO 8601; absent before the first sign of life. */
  last_seen?: string;
  left?: true;
}

/** A task of the group that is not done. */
export interface OpenTask {
  id: string;
  agent: string;
  assigned_by: string;
  status: "open" | "returned";
  /** Its agent has given no sign of life for five minutes. */
  silent?: true;
  at: string;
  /** The first characters of the task. */
  summary: string;
  /** For a task of a person or robot: the request that it opened, and its status. */
  ref?: string;
  request_status?: Status;
}

export interface GroupStatusView {
  group_id: string;
  topic: string;
  description?: string;
  status: "open" | "closed";
  created: string;
  /** Absent for an owner who is no member. */
  my_id?: string;
  members: GroupMemberStatus[];
  tasks: OpenTask[];
  /** For both sides and owners: with the ids of both. */
  handoff?: HandoffOffer<string>;
  messages: number;
  /** Absent for an owner who is no member. */
  pending?: PendingSummary;
}

/** A group as a signed-in person sees it: without their role in it, and with a page of messages, newest first. */
export interface ViewedGroup extends Omit<GroupStatusView, "my_id" | "pending"> {
  page: { messages: GroupMessage[]; more: boolean };
}

/** A message of an owner to all active members of a group. */
export interface Announcement {
  content: string;
  /** Display name of the owner. */
  from_name: string;
  /** Idempotency key: those who have the message do not get it again. */
  key: string;
}

/** A message of the exchange itself, posted once for each id. */
export interface GroupNotice {
  /** Id of the message, which the household chooses, so that it is known before the notice is posted. */
  id: string;
  /** Id of the member in whose name it is sent; the exchange itself where it is absent. */
  from?: string;
  to: string;
  type: GroupMessageType;
  /** The id of a task that was given back stands for its content, and assigns it again. */
  content: string;
  importance?: Importance;
  /** For a task that came with a claim: the epoch of the claim. */
  epoch?: number;
  /** For an agent of the pool: ref of the request that the message is about. A task is opened for it. */
  request?: string;
}

/** The end of an agent's claim: its open tasks are given back to those who assigned them. */
export interface AssignmentEnd {
  key: string;
  agent: string;
  epoch: number;
  /** After `ended` nobody needs the tasks any more. */
  reason: "silent" | "released" | "ended";
}

export interface GroupRpc {
  /**
   * Takes over the household's record. Idempotent. A new primary takes over the open tasks of the former one. Ends the
   * waits of members that are inactive, that have another credential than the wait, or whose credential has ended.
   */
  sync(record: GroupRecord): Promise<void>;
  /** Posts notices, each once. @returns the ids of the messages, in order */
  post(notices: GroupNotice[]): Promise<string[]>;
  endAssignment(end: AssignmentEnd): Promise<void>;
  /** Marks the messages of the exchange to the member as read. */
  markNotices(member: string): Promise<void>;
  /** @param lookup where the receiver is no id of a member: what the household knows about it */
  send(
    caller: GroupCaller,
    message: NewGroupMessage,
    lookup?: ReceiverLookup,
  ): Promise<Outcome<SentGroupMessage>>;
  /** Posts what a request reports, each message once. For the thread of the request. */
  takeRequestChange(change: RequestChange): Promise<void>;
  read(caller: GroupCaller, query: ReadQuery): Promise<Outcome<GroupPage>>;
  /** Marks all messages of a sender, one message (which also acknowledges it), or without either all. */
  markRead(
    caller: GroupCaller,
    which: { other?: string; message?: string },
  ): Promise<Outcome<{ marked: number; total_pending: number }>>;
  pending(caller: GroupCaller): Promise<Outcome<PendingSummary>>;
  /** For members, and owners of the household. */
  status(caller: GroupCaller): Promise<Outcome<GroupStatusView>>;
  /**
   * The messages after the cursor; does not mark them as read. Without a cursor: those after the last that such a call
   * returned before, without those that the member has read since.
   * @param wait id of the task for which the client polls
   */
  receive(caller: GroupCaller, cursor?: number, wait?: string): Promise<Outcome<ReceivedMessages>>;
  /** Later calls of `receive` with this id return no messages. */
  cancelWait(caller: GroupCaller, wait: string): Promise<Outcome<true>>;
  /**
   * For people in a browser: owners see everything; others what the members see that joined with their keys. Marks
   * nothing as read.
   */
  view(viewer: Principal, query: { before?: number }): Promise<Outcome<ViewedGroup>>;
  /** Sends the message to every active member, as an urgent one of a person. Owners only. @returns how many have it */
  announce(owner: Principal, announcement: Announcement): Promise<Outcome<{ members: number }>>;
  /** Records a sign of life. */
  heartbeat(caller: GroupCaller): Promise<Outcome<{ at: string }>>;
  /**
   * The last sign of life of each member, by `key`, in milliseconds since 1970; now for a member that waits. For the
   * household.
   */
  listSeen(): Promise<Record<string, number>>;
  /** Pages through all messages, oldest first. For owners: export and rebuild. */
  listMessages(after: number, limit: number): Promise<{ messages: GroupMessage[]; more: boolean }>;
  /** About the size of this group in an export, and at least half of it. */
  estimateExportBytes(): Promise<number>;
  /**
   * Deletes a part of the messages before the instant (milliseconds since 1970), also from the index. Tasks that are
   * not done stay.
   */
  deleteOlder(before: number): Promise<{ deleted: number; more: boolean }>;
  /** Writes all messages to the index again, where it has lost them. */
  reindex(): Promise<void>;
  /**
   * Opens a WebSocket. `/wait?credential=&as=&after=` gets the position of the next message for this member, or
   * `closed`, then is closed. `/watch?viewer=&after=` (a Principal as JSON) gets every message in channels that the
   * viewer may read, as the JSON of a GroupMessage; with `after` also those after the position.
   */
  fetch(request: Request): Promise<Response>;
}
