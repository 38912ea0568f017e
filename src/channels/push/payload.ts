/** The content of a push message for the service worker; `public/inbox/types.d.ts` imports it. Types only. */

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
  urgent: boolean;
}
