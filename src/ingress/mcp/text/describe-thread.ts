/**
 * Formats a thread as a tool result: new messages first, then the status, then the next call to make. The text is
 * short; the whole thread is a resource.
 */
import type { Principal } from "../../../auth/principal.ts";
import type { Envelope, MessageDocument } from "../../../mess/envelope.ts";
import { isMap } from "../../../mess/json.ts";
import { listSplitParts } from "../../../exchange/follow-superseded.ts";
import { isFinal, type Status, listStatusesIn } from "../../../mess/status.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { formatInlineList } from "./format-lists.ts";
import { listOffered } from "../requests/offered-to.ts";
import { attributeText, describeMessage, type FileLink } from "./describe-message.ts";
import { inlineText } from "./untrusted-text.ts";

/** Maximum characters of quoted messages in one result; a model can read the rest as a resource. */
const MAX_TEXT_CHARS = 12_000;
const MAX_MESSAGES = 5;
const MAX_FILES = 10;
const MAX_PARTS = 50;

export interface DescribeOptions {
  /** The household, if the caller has several and must name one in later calls. */
  exchange?: string;
}

const isAck = ({ from, MESS }: MessageDocument): boolean =>
  from === "exchange" && MESS.every((item) => "ack" in item);

/** Messages by anyone but the viewer, oldest first. */
export const listOthersMessages = (view: ResourceView, viewer: Principal): MessageDocument[] =>
  view.messages.filter((document) => document.from !== viewer.actor && !isAck(document));

/** Progress reports that a later message replaces. */
const PROGRESS_STATUSES = listStatusesIn("executing");

const isProgressReport = ({ MESS }: MessageDocument): boolean =>
  MESS.every((item) =>
    Object.entries(item).every(
      ([type, body]) =>
        type === "v" ||
        (type === "status" &&
          isMap(body) &&
          PROGRESS_STATUSES.some((code) => code === body["code"])),
    ),
  );

const formatSize = (size: number): string =>
  size < 1_000 ? `${size} B` : `${Math.round(size / 1_000)} KB`;

const formatFile = ({ uri, mime, size }: FileLink): string => {
  const details = [inlineText(mime, 60), ...(size === undefined ? [] : [formatSize(size)])];
  return `${inlineText(uri, 400)} (${details.join(", ")})`;
};

export function formatFiles(files: readonly FileLink[]): string[] {
  if (files.length === 0) return [];
  const lines = files.slice(0, MAX_FILES).map(formatFile);
  const left = files.length - lines.length;
  const photos = files.some(({ mime }) => mime.startsWith("image/"));
  const note = `${photos ? "The photos may not be visible to you yet: " : ""}mess_fetch gets one.`;
  return [`Attached: ${lines.join(", ")}${left > 0 ? `, ${left} more` : ""}. ${note}`];
}

/** The text and files of the newest messages, quoted under the senders' names. */
function formatMessages(view: ResourceView, viewer: Principal): string[] {
  const messages = listOthersMessages(view, viewer).filter(
    (document, index, all) => index === all.length - 1 || !isProgressReport(document),
  );
  const sections: string[] = [];
  let left = MAX_TEXT_CHARS;
  let shownMessages = 0;
  for (const document of messages.toReversed()) {
    if (shownMessages === MAX_MESSAGES || left <= 0) break;
    const { lines: messageLines, files } = describeMessage(document);
    const text = messageLines.join("\n");
    const cut = text.length > left ? `${text.slice(0, left)}\n[cut here]` : text;
    left -= text.length;
    shownMessages += 1;
    sections.unshift(
      [
        ...(text === "" ? [`${document.from} sent:`] : [attributeText(document.from, [cut])]),
        ...formatFiles(files),
      ].join("\n"),
    );
  }
  const more = messages.length - shownMessages;
  if (more > 0 || left <= 0)
    sections.unshift(
      `${more > 0 ? `${more} earlier messages` : "The whole text"}: read thread://${view.envelope.ref}.`,
    );
  return sections;
}

function describeStatus(envelope: Envelope): string {
  const { status, executor, expires, blocked_by, superseded_by, delegated_to } = envelope;
  const offered = listOffered(envelope);
  const parts = listSplitParts(envelope);
  const details = [
    executor && status !== "cancelled"
      ? `${isFinal(status) ? "by" : "with"} ${executor}`
      : undefined,
    !executor && offered !== undefined && !isFinal(status) ? `asked ${offered}` : undefined,
    !executor && offered === undefined && status === "pending" && !blocked_by
      ? "nobody was asked yet"
      : undefined,
    blocked_by ? `waits for ${blocked_by.join(", ")}` : undefined,
    expires && !isFinal(status) ? `expires ${expires}` : undefined,
    superseded_by
      ? parts.length > 1
        ? `split into ${formatInlineList(parts, MAX_PARTS)}`
        : `superseded by ${inlineText(superseded_by, 128)}`
      : undefined,
    delegated_to ? `delegated to ${inlineText(delegated_to, 128)}` : undefined,
  ].filter((detail) => detail !== undefined);
  return [status, ...details].join(", ");
}

/** Final statuses without an answer, marked so that no model reports them as an answer. */
const FAILURE_STATUSES: readonly Status[] = ["failed", "declined", "expired", "cancelled"];
export const isFailure = (status: Status): boolean => FAILURE_STATUSES.includes(status);

/** A member who joined the thread as a reader has nothing to reply to. */
export const canReply = (
  { requestor }: Pick<Envelope, "requestor">,
  { actor, role }: Principal,
): boolean => role === "owner" || requestor === actor;

function describeOpenItems({ open, envelope }: ResourceView, viewer: Principal): string[] {
  if (!canReply(envelope, viewer)) return [];
  const { questions, action, suggestions } = open;
  const made = suggestions.map(({ made_in }) => `${envelope.ref}/${made_in}`);
  const kinds = suggestions.map(({ type }, index) => `${made[index]}${type ? ` (${type})` : ""}`);
  return [
    ...(envelope.status === "needs_input" && questions.length > 0
      ? [
          `Open questions: ${questions.map(({ key }) => inlineText(key, 60)).join(", ")}. Answer with mess_reply answers={key: value}.`,
        ]
      : []),
    ...(envelope.status === "needs_confirmation" && action
      ? ["It awaits your yes or no to the action above: mess_reply confirm=true or false."]
      : []),
    ...(suggestions.length > 0 && !isFinal(envelope.status)
      ? [
          `Open suggestions: ${kinds.join(", ")}. Judge one with mess_reply re=${made[0]} accept=true or false.`,
        ]
      : []),
  ];
}

/** The exchange holds the request because a dependency failed (decision 42), so nobody will work on it. */
export const isStuck = ({ status, executor }: Envelope): boolean =>
  status === "held" && executor === null;

function describeNextStep(
  { envelope, cursor }: ResourceView,
  viewer: Principal,
  where: string,
): string[] {
  const { ref, status, superseded_by } = envelope;
  const parts = listSplitParts(envelope);
  if (parts.length > 1)
    return [`Next: mess_wait re=[${parts.map((part) => `"${part}"`).join(", ")}]${where}.`];
  if (superseded_by)
    return [`Next: ${inlineText(superseded_by, 128)} replaces it: mess_wait re=${ref}${where}.`];
  const isAsked = status === "needs_input" || status === "needs_confirmation";
  if (isFinal(status) || (isAsked && canReply(envelope, viewer))) return [];
  if (isStuck(envelope))
    return [
      `Next: a dependency failed. Cancel it with mess_cancel re=${ref}${where}, or create a new request.`,
    ];
  return [
    `Next: mess_wait re=${ref} cursor=${cursor}${where}, or do other work and check later with mess_status re=${ref}${where}.`,
  ];
}

/** @param view its messages are the ones to describe: all, or those after a cursor */
export function describeThread(
  view: ResourceView,
  viewer: Principal,
  { exchange }: DescribeOptions = {},
): string {
  const { envelope } = view;
  const where = exchange === undefined ? "" : ` exchange=${exchange}`;
  const isOwn = envelope.requestor === viewer.actor;
  const by = isOwn ? "" : ` of ${envelope.requestor}`;
  return [
    ...formatMessages(view, viewer),
    `Request ${envelope.ref}${by} "${inlineText(envelope.intent, 120)}": ${describeStatus(envelope)}.${where && ` In${where}.`}`,
    ...describeOpenItems(view, viewer),
    ...describeNextStep(view, viewer, where),
  ].join("\n");
}
