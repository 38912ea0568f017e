/** What the inbox's modules hand to one another. Ambient: nothing here exists at run time. */

type InboxGroup = "mine" | "open" | "waiting" | "done";

interface InboxThread {
  ref: string;
  session: string;
  group: InboxGroup;
  /** The member as whom this browser sees it. */
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
}

/** `GET /inbox/threads` */
interface InboxAnswer {
  households: InboxHousehold[];
  threads: InboxThread[];
  /** Links that died with their threads: the device may know what these were. */
  ended: { ref: string; session: string; status: string }[];
  next: { [group in InboxGroup]?: string };
  complete: boolean;
}

/** What the device keeps of it. */
interface StoredInbox {
  answer: InboxAnswer;
  /** Milliseconds since 1970, by the device. */
  at: number;
}

/** Which of the threads are shown. */
interface InboxFilter {
  group: InboxGroup | "all";
  session: string;
  newOnly: boolean;
  q: string;
}

/** A push message, as the exchange writes it. */
type PushPayload = import("../../src/channels/push/payload.ts").PushPayload;

interface BeforeInstallPromptEvent extends Event {
  prompt(): Promise<void>;
  readonly userChoice: Promise<{ outcome: "accepted" | "dismissed" }>;
}
interface WindowEventMap {
  beforeinstallprompt: BeforeInstallPromptEvent;
}
