/**
 * Builds the requests by which a source shows an owner an urgent message, or asks for an approval. Pure. Texts of
 * strangers are shown as quotations in lines of their own.
 */
import type { Priority } from "../envelope.ts";
import { cutLine, toOneLine } from "../one-line.ts";
import type { MessageInput } from "../wire/schema.ts";
import { cutText } from "./cut-message.ts";
import type { DraftContent } from "./draft-content.ts";
import { type DescribedMessage, describeSourceMessage } from "./describe-message.ts";
import { AUTOMATIC_AUTHOR, type SourceKindName, type Urgency } from "./vocabulary.ts";

/** Lines of notices are cut at 300 characters, so longer ones are wrapped before. */
const LINE_CHARS = 250;
const SUBJECT_CHARS = 120;
/** A longer draft is not shown in full in channels, so that it can be approved on the page only. */
const SHOWN_DRAFT_CHARS = 1_000;
/** Every channel with buttons shows this many lines. */
const SHOWN_DRAFT_LINES = 40;

/** A message as it is shown to the owner. */
export interface ReportedMessage extends DescribedMessage {
  kind: SourceKindName;
  sender_name?: string | undefined;
  reason?: string | undefined;
  urgency: Urgency;
}

export interface OwnerRequest {
  message: MessageInput;
  /** How much of the draft it shows. */
  shows: "all" | "part" | "none";
}

const toLine = (text: string, maxChars: number): string => cutLine(toOneLine(text), maxChars);

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Quiet hours delay everything below urgent. */
const PRIORITY_BY_URGENCY: Readonly<Record<Urgency, Priority>> = {
  0: "elevated",
  1: "normal",
  2: "elevated",
  3: "urgent",
};

/** The interruption by a message of the tier NOTIFY. Channels say by its priority that it is urgent. */
export function buildInterruption(
  message: ReportedMessage,
  draft: DraftContent | undefined,
): OwnerRequest {
  const priority = PRIORITY_BY_URGENCY[message.urgency];
  return buildRequest(capitalize(describeSourceMessage(message)), priority, message, draft);
}

/** The request to approve a draft. @param note of a failed attempt to send it */
export function buildApprovalRequest(
  draft: DraftContent,
  message: ReportedMessage | undefined,
  author: string,
  note: string | undefined,
): OwnerRequest {
  const to = toLine(draft.to.join(", "), SUBJECT_CHARS);
  const about = draft.subject === undefined ? "" : `: ${toLine(draft.subject, SUBJECT_CHARS)}`;
  const writer = author === AUTOMATIC_AUTHOR ? "Drafted automatically." : `Written by ${author}.`;
  const more = [writer, ...(note === undefined ? [] : [`Before: ${note}`])];
  return buildRequest(`May this be sent to ${to}${about}?`, "normal", message, draft, more);
}

function buildRequest(
  intent: string,
  priority: Priority,
  message: ReportedMessage | undefined,
  draft: DraftContent | undefined,
  more: readonly string[] = [],
): OwnerRequest {
  const shown = draft && listDraftLines(draft);
  const shows = measure(shown);
  const context = [
    ...(shown === undefined ? [] : shows === "part" ? listPartLines(shown) : shown),
    ...(message ? listMessageLines(message) : []),
    ...more,
    ...(shows === "all" ? [ACTION_LINE] : []),
  ];
  const body = { intent, context: context.flatMap(wrap), priority, coalesce: false };
  return { message: { blocks: [{ type: "request", body }] }, shows };
}

/** Every channel and page names the two actions in one of these ways. */
const ACTION_LINE =
  "“Send it” (Done) sends exactly this draft. “Don't send” (Decline) leaves it unsent.";
const PAGE_LINE = "This draft is too long to approve here: read and approve it under Messages.";

function measure(lines: readonly string[] | undefined): OwnerRequest["shows"] {
  if (!lines) return "none";
  const chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return chars > SHOWN_DRAFT_CHARS || lines.length > SHOWN_DRAFT_LINES ? "part" : "all";
}

const listPartLines = (lines: readonly string[]): string[] => [
  PAGE_LINE,
  `${cutText(lines.join(" "), LINE_CHARS - 1)}…`,
];

/** Everything that is sent. */
const listDraftLines = ({ to, subject, body, attachments }: DraftContent): string[] => [
  `Draft to ${to.join(", ")}`,
  ...(subject === undefined ? [] : [`Subject: ${subject}`]),
  ...body.split("\n").filter((line) => line.trim() !== ""),
  ...(attachments.length === 0 ? [] : [`Files: ${attachments.map(({ name }) => name).join(", ")}`]),
];

const listMessageLines = ({
  sender,
  sender_name: name,
  excerpt,
  reason,
}: ReportedMessage): string[] => [
  `${name === undefined ? sender : `${name} <${sender}>`} wrote: “${toLine(excerpt, LINE_CHARS)}”`,
  ...(reason === undefined || reason === "" ? [] : [`Why: ${toLine(reason, LINE_CHARS)}`]),
];

/** Lines of at most LINE_CHARS characters. */
function wrap(line: string): string[] {
  const lines: string[] = [];
  for (let rest = line; rest !== "";) {
    const part = cutText(rest, LINE_CHARS);
    const space = part.length < rest.length ? part.lastIndexOf(" ") : -1;
    const end = space > 0 ? space : part.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return lines;
}
