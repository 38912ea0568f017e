/** What a member may tap in a message, the same in every channel that has buttons. */
import type { Notice } from "../channel.ts";
import { buildDetails, isForRequestor, toOneLine } from "./notice-text.ts";

export interface Button {
  readonly action: "claimed" | "declined" | "completed" | "cancel";
  readonly label: string;
}

/**
 * By the thread's own rules. News has none: the message that asked has them, and is edited. Where another holds the
 * thread they go, though stepping back would still be heard; an owner may always end it.
 */
export function buildButtons({ kind, actions, isHolder, holder }: Notice): Button[] {
  const alert = kind === "alert";
  if (kind === "news" || (!alert && holder !== null && !isHolder)) return [];
  const buttons: Button[] = [
    ...(isHolder ? [] : [{ action: "claimed" as const, label: "Claim" }]),
    { action: "completed", label: "Done" },
    { action: "declined", label: isHolder ? "Hand back" : "Decline" },
    ...(alert && !isHolder ? [{ action: "cancel" as const, label: "Call off" }] : []),
  ];
  return buttons.filter(({ action }) => actions.includes(action));
}

/** Whether the page has something to offer: an answer to give, or the whole thread to an owner and to who asked. */
export const needsPageLink = (notice: Notice): boolean =>
  notice.kind === "alert" ||
  isForRequestor(notice) ||
  buildButtons(notice).length > 0 ||
  notice.actions.includes("response");

/** What stands below the headline: what happened, the context, until when, and who asks. */
export function buildLines(notice: Notice): string[] {
  const isRequest = notice.kind !== "news" && notice.kind !== "alert";
  return [
    ...buildDetails(notice),
    ...(isRequest ? [`Asked by ${toOneLine(notice.requestor, 80)}`] : []),
  ];
}

/** Sent as news or an alert, it stays as it was said: an edit that has not its words would take them away. */
export const isFixedMessage = ({ kind, editsKind: edits }: Notice): boolean =>
  edits === "news" || (edits === "alert" && kind !== "alert");
