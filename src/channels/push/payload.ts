/** The content of a push message for the service worker; `public/inbox/types.d.ts` imports it. Types only. */

import type { JsonMap } from "../../mess/json.ts";

/** A reply as a button of the notification. */
export interface QuickReply {
  /** `yes` and `no` are translated by the browser. */
  label: { text: string } | "yes" | "no";
  /** The entry of the response. */
  entry: JsonMap;
}

export interface PushPayload {
  /** Id of the notice: makes an action from the notification idempotent. */
  id: string;
  kind: "offer" | "reminder" | "news" | "alert" | "over";
  ref: string;
  intent: string;
  requestor: string;
  lines: string[];
  holder: string | null;
  mine: boolean;
  actions: ("claim" | "decline")[];
  /** Replies that complete the thread, in place of the actions. */
  replies?: QuickReply[];
  urgent: boolean;
}
