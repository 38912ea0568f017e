/** The buttons of a message, the same in every channel with buttons. */
import type { Notice } from "../channel.ts";
import { buildDetails, isForRequestor, toOneLine } from "./notice-text.ts";
import { isolate } from "./text-direction.ts";

export interface Button {
  readonly action: "claimed" | "declined" | "completed" | "cancel";
  readonly label: string;
}

/**
 * Buttons for the actions that the thread allows. News has none, because the message with the offer has them and is
 * edited. They disappear when another member holds the thread; an owner can always cancel it.
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

/** True if the page is useful: to answer, or to see the complete thread for owners and the requestor. */
export const needsPageLink = (notice: Notice): boolean =>
  notice.kind === "alert" ||
  isForRequestor(notice) ||
  buildButtons(notice).length > 0 ||
  notice.actions.includes("response");

/** The lines below the headline: the event, the context, the deadline, and the requestor. */
export function buildLines(notice: Notice): string[] {
  const isRequest = notice.kind !== "news" && notice.kind !== "alert";
  return [
    ...buildDetails(notice),
    ...(isRequest ? [`Requested by ${isolate(toOneLine(notice.requestor, 80))}`] : []),
  ];
}

/** Messages of these kinds keep their text when they are edited. */
export const isFixedMessage = ({ kind, editsKind: edits }: Notice): boolean =>
  edits === "news" || (edits === "alert" && kind !== "alert");
