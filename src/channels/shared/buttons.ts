/** What a member may tap in a message, the same in every channel that has buttons. */
import type { Notice } from "../channel.ts";
import { details, isForAsker, oneLine } from "./notice-text.ts";

export interface Button {
  readonly act: "claimed" | "declined" | "completed" | "cancel";
  readonly label: string;
}

/**
 * By the thread's own rules. News has none: the message that asked has them, and is edited. Where another holds the
 * thread they go, though stepping back would still be heard; an owner may always end it.
 */
export function buttonsOf({ kind, actions, mine, holder }: Notice): Button[] {
  const alert = kind === "alert";
  if (kind === "news" || (!alert && holder !== null && !mine)) return [];
  const buttons: Button[] = [
    ...(mine ? [] : [{ act: "claimed" as const, label: "Claim" }]),
    { act: "completed", label: "Done" },
    { act: "declined", label: mine ? "Hand back" : "Decline" },
    ...(alert && !mine ? [{ act: "cancel" as const, label: "Call off" }] : []),
  ];
  return buttons.filter(({ act }) => actions.includes(act));
}

/** Whether the page has something to offer: an answer to give, or the whole thread to an owner and to who asked. */
export const leadsToPage = (notice: Notice): boolean =>
  notice.kind === "alert" ||
  isForAsker(notice) ||
  buttonsOf(notice).length > 0 ||
  notice.actions.includes("response");

/** What stands below the headline: what happened, the context, until when, and who asks. */
export function lines(notice: Notice): string[] {
  const asks = notice.kind !== "news" && notice.kind !== "alert";
  return [...details(notice), ...(asks ? [`Asked by ${oneLine(notice.requestor, 80)}`] : [])];
}

/** Sent as news or an alert, it stays as it was said: an edit that has not its words would take them away. */
export const staysAsSaid = ({ kind, edits }: Notice): boolean =>
  edits === "news" || (edits === "alert" && kind !== "alert");
