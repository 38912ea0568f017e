/** The buttons of a message, the same in every channel with buttons. */
import type { Notice } from "../channel.ts";
import { buildDetails, isForRequestor, toNoticeLine } from "./notice-text.ts";
import { isolate } from "./text-direction.ts";

export interface Button {
  readonly action: "claimed" | "declined" | "completed" | "cancel";
  readonly label: string;
}

/** Nobody needs to claim what only an owner can decide. */
const DECISION_BUTTONS: Readonly<Record<NonNullable<Notice["decision"]>, readonly Button[]>> = {
  send: [
    { action: "completed", label: "Send it" },
    { action: "declined", label: "Don't send" },
  ],
  read: [{ action: "completed", label: "Got it" }],
};

/**
 * Buttons for the actions that the thread allows. News has none, because the message with the offer has them and is
 * edited. They disappear when another member holds the thread; an owner can always cancel it.
 */
export function buildButtons(notice: Notice): Button[] {
  const { kind, actions, isHolder, holder, decision } = notice;
  const alert = kind === "alert";
  if (kind === "news" || (!alert && holder !== null && !isHolder)) return [];
  if (decision && !alert)
    return DECISION_BUTTONS[decision].filter(({ action }) => actions.includes(action));
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
    ...(isRequest ? [`Requested by ${isolate(toNoticeLine(notice.requestor, 80))}`] : []),
  ];
}

/** Messages of these kinds keep their text when they are edited. */
export const isFixedMessage = ({ kind, editsKind: edits }: Notice): boolean =>
  edits === "news" || (edits === "alert" && kind !== "alert");
