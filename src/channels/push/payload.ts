/** What the browser's service worker is told; `public/inbox/types.d.ts` takes it from here. Types only. */

export interface PushPayload {
  /** The notice's own id: what is done from it is done once. */
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
