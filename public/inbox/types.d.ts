/** Types shared by the modules of the inbox; ambient, nothing exists at run time. */

type InboxGroup = "mine" | "open" | "waiting" | "done";

interface InboxThread {
  ref: string;
  session: string;
  group: InboxGroup;
  /** Id of the member whose session lists the thread. */
  me: string;
  intent: string;
  status: string;
  priority: string;
  created: string;
  updated: string;
  expires?: string;
  requestor: { id: string; name: string };
  executor: { id: string; name: string } | null;
}

/** A household in which the person is signed in. */
interface InboxHousehold {
  session: string;
  name: string;
  me: string;
  /** Display name of `me`. */
  my_name?: string;
  /** Missing in lists that were stored by an earlier version. */
  availability?: InboxAvailability;
}

/** When the person wants to be contacted. */
interface InboxAvailability {
  state: "here" | "away" | "snoozed";
  until?: string;
  /** `22:00-07:00`, or null; absent for members that are offered nothing. */
  quiet_hours?: string | null;
}

/** `GET /inbox/threads` */
interface InboxResponse {
  households: InboxHousehold[];
  threads: InboxThread[];
  /** Threads that ended, whose links no longer work; the device may have stored them. */
  ended: { ref: string; session: string; status: string }[];
  next: { [group in InboxGroup]?: string };
  complete: boolean;
}

/** The list in the device's storage. */
interface StoredInbox {
  answer: InboxResponse;
  /** Milliseconds since 1970, by the device's clock. */
  at: number;
}

/** Current filter of the list. */
interface InboxFilter {
  group: InboxGroup | "all";
  session: string;
  newOnly: boolean;
  sort: "urgent" | "due";
  q: string;
}

/** Files and texts that the person shared from another app. */
interface Shared {
  /** Milliseconds since 1970. */
  at: number;
  text: string;
  files: File[];
  /** `name` is empty for `limit`, which counts for all files at once. */
  refused: { name: string; reason: "empty" | "large" | "type" | "limit" }[];
  /** `member@session` of the accounts that the device knew then; for others the share does not exist. */
  accounts: string[];
  /** Key of the request that the person chose. */
  chosen?: string;
}

/** Payload of a push message. */
type PushPayload = import("../../src/channels/push/payload.ts").PushPayload;

interface BeforeInstallPromptEvent extends Event {
  prompt(): Promise<void>;
  readonly userChoice: Promise<{ outcome: "accepted" | "dismissed" }>;
}
interface WindowEventMap {
  beforeinstallprompt: BeforeInstallPromptEvent;
}

/** A message and a group of agents as the server sends them. */
type GroupMessage = import("../../src/contracts/groups.ts").GroupMessage;
type ViewedGroup = Omit<import("../../src/contracts/groups.ts").ViewedGroup, "page"> & {
  may_announce: boolean;
};

/** A row of `GET /inbox/groups`. */
interface ListedGroup {
  session: string;
  /** Display name of the household. */
  household: string;
  group_id: string;
  topic: string;
  status: "open" | "closed";
  created: string;
  members: number;
  may_announce: boolean;
}

/** `GET /inbox/groups/{group}`: the messages are newest first. */
interface GroupResponse {
  group: ViewedGroup;
  messages: GroupMessage[];
  more: boolean;
}

/** A message source as its owner sees it. */
type MessageSource = import("../../src/contracts/sources.ts").SourceStatus;

/** A household of `GET /inbox/messages`. */
interface MessageHousehold {
  session: string;
  name: string;
  /** Id of the owner. */
  me: string;
  sources: MessageSource[];
}

type MessageTier = import("../../src/mess/sources/vocabulary.ts").Tier;
type MessageMark = import("../../src/mess/sources/vocabulary.ts").MessageMark;
type MessageDraft = import("../../src/contracts/sources.ts").DraftView & { session: string };
type MessageFields = import("../../src/contracts/sources.ts").SourceMessageSummary;
/** A row of the list; search results lack some fields. */
type ListedMessage = Partial<MessageFields> &
  Pick<MessageFields, "id" | "source" | "sender" | "excerpt" | "received" | "status"> & {
    session: string;
  };

/** `GET /inbox/messages/{source}/{id}` */
interface MessageResponse {
  message: import("../../src/contracts/sources.ts").SourceMessageView;
  drafts: import("../../src/contracts/sources.ts").DraftView[];
  can_send: boolean;
}

interface MessageFilter {
  view: "all" | "approve" | "unseen" | "flagged" | MessageTier;
  /** `{session}/{source}`, or empty for all. */
  source: string;
  q: string;
}
