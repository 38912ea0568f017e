/**
 * A thread as a tool's result: what people said first, then where the thread stands, then what to call next.
 * Short by intent: the whole is a resource.
 */
import type { Principal } from "../../../auth/principal.ts";
import type { Attachment, Envelope, MessageDocument } from "../../../mess/envelope.ts";
import { isMap } from "../../../mess/json.ts";
import { isFinal, type Status, statusesIn } from "../../../mess/status.ts";
import type { ThreadView } from "../../../contracts/thread.ts";
import { askedOf } from "../offered-to.ts";
import { attributed, tellMessage } from "./describe-message.ts";
import { inline } from "./untrusted-text.ts";

/** Characters of others' words in one result; a model reads the rest as a resource if it wants to. */
const MOST_WORDS = 12_000;
const MOST_MESSAGES = 5;
const MOST_FILES = 10;

export interface Described {
  /** The household, where the caller has several and must say which one it means. */
  exchange?: string;
  /** Tell only messages after this many; all when absent. */
  since?: number;
}

const isAck = ({ from, MESS }: MessageDocument): boolean =>
  from === "exchange" && MESS.every((item) => "ack" in item);

/** Messages that somebody else than the viewer wrote, oldest first. */
export const othersMessages = (view: ThreadView, viewer: Principal): MessageDocument[] =>
  view.messages.filter((document) => document.from !== viewer.actor && !isAck(document));

/** Reports on the way, which a later message has overtaken. */
const PASSING = statusesIn("executing");

const isPassing = ({ MESS }: MessageDocument): boolean =>
  MESS.every((item) =>
    Object.entries(item).every(
      ([type, body]) =>
        type === "v" ||
        (type === "status" && isMap(body) && PASSING.some((code) => code === body["code"])),
    ),
  );

const kilobytes = (size: number): string =>
  size < 1_000 ? `${size} B` : `${Math.round(size / 1_000)} KB`;

export const contentUri = (ref: string, name: string): string => `content://${ref}/${name}`;

const fileLine = (ref: string, { name, mime, size }: Attachment): string =>
  `${contentUri(ref, name)} (${inline(mime, 60)}, ${kilobytes(size)})`;

function filesText(ref: string, files: readonly Attachment[]): string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, MOST_FILES).map((file) => fileLine(ref, file));
  const left = files.length - shown.length;
  const photos = files.some(({ mime }) => mime.startsWith("image/"));
  const note = photos
    ? "The photos may not be visible to you yet: mess_fetch shows one."
    : "mess_fetch gets one.";
  return [`Attached: ${shown.join(", ")}${left > 0 ? `, ${left} more` : ""}. ${note}`];
}

/** The words and files of the newest messages, quoted under their senders' names. */
function wordsOf(view: ThreadView, viewer: Principal): string[] {
  const messages = othersMessages(view, viewer).filter(
    (document, index, all) => index === all.length - 1 || !isPassing(document),
  );
  const told: string[] = [];
  let left = MOST_WORDS;
  let shown = 0;
  for (const document of messages.toReversed()) {
    if (shown === MOST_MESSAGES || left <= 0) break;
    const { words, files } = tellMessage(document);
    const text = words.join("\n");
    const cut = text.length > left ? `${text.slice(0, left)}\n[cut here]` : text;
    left -= text.length;
    shown += 1;
    const attachments = view.attachments.filter(({ name }) => files.includes(name));
    told.unshift(
      [
        ...(text === "" ? [`${document.from} sent:`] : [attributed(document.from, [cut])]),
        ...filesText(view.envelope.ref, attachments),
      ].join("\n"),
    );
  }
  const more = messages.length - shown;
  if (more > 0 || left <= 0)
    told.unshift(
      `${more > 0 ? `${more} earlier messages` : "The whole text"}: read thread://${view.envelope.ref}.`,
    );
  return told;
}

function standing(envelope: Envelope): string {
  const { status, executor, expires, blocked_by, superseded_by, delegated_to } = envelope;
  const asked = askedOf(envelope);
  const details = [
    executor && status !== "cancelled"
      ? `${isFinal(status) ? "" : "held "}by ${executor}`
      : undefined,
    !executor && asked !== undefined && !isFinal(status) ? `asked ${asked}` : undefined,
    !executor && asked === undefined && status === "pending" && !blocked_by
      ? "nobody was asked yet"
      : undefined,
    blocked_by ? `waits for ${blocked_by.join(", ")}` : undefined,
    expires && !isFinal(status) ? `expires ${expires}` : undefined,
    superseded_by ? `superseded by ${inline(superseded_by, 128)}` : undefined,
    delegated_to ? `delegated to ${inline(delegated_to, 128)}` : undefined,
  ].filter((detail) => detail !== undefined);
  return [status, ...details].join(", ");
}

/** Ends without an answer, so that no model takes them for one. */
const FAILURES: readonly Status[] = ["failed", "declined", "expired", "cancelled"];
export const isFailure = (status: Status): boolean => FAILURES.includes(status);

/** Who joined the thread of another reads along, and replies to nothing. */
export const mayReply = (
  { requestor }: Pick<Envelope, "requestor">,
  { actor, role }: Principal,
): boolean => role === "owner" || requestor === actor;

function openItems({ open, envelope }: ThreadView, viewer: Principal): string[] {
  if (!mayReply(envelope, viewer)) return [];
  const { questions, action, suggestions } = open;
  const made = suggestions.map(({ made_in }) => `${envelope.ref}/${made_in}`);
  return [
    ...(envelope.status === "needs_input" && questions.length > 0
      ? [
          `Open questions: ${questions.map(({ key }) => inline(key, 60)).join(", ")}. Answer with mess_reply answers={key: value}.`,
        ]
      : []),
    ...(envelope.status === "needs_confirmation" && action
      ? ["It awaits your yes or no to the action above: mess_reply confirm=true or false."]
      : []),
    ...(suggestions.length > 0 && !isFinal(envelope.status)
      ? [
          `Open suggestions: ${made.join(", ")}. Judge one with mess_reply re=${made[0]} accept=true or false.`,
        ]
      : []),
  ];
}

/** Held by the exchange because what it depended on failed (decision 42): nobody works on it, nobody will. */
export const isStuck = ({ status, executor }: Envelope): boolean =>
  status === "held" && executor === null;

function nextStep({ envelope, cursor }: ThreadView, viewer: Principal, where: string): string[] {
  const { ref, status, superseded_by } = envelope;
  if (superseded_by)
    return [
      `Next: ${inline(superseded_by, 128)} goes on in its place: mess_wait re=${ref}${where}.`,
    ];
  const isAsked = status === "needs_input" || status === "needs_confirmation";
  if (isFinal(status) || (isAsked && mayReply(envelope, viewer))) return [];
  if (isStuck(envelope))
    return [`Next: it cannot go on by itself; mess_cancel re=${ref}${where}, or ask anew.`];
  return [
    `Next: mess_wait re=${ref} cursor=${cursor}${where}, or do other work and look later with mess_status re=${ref}${where}.`,
  ];
}

/** @param view its messages are those to be told: all, or what came after a cursor. */
export function describeThread(
  view: ThreadView,
  viewer: Principal,
  { exchange }: Described = {},
): string {
  const { envelope } = view;
  const where = exchange === undefined ? "" : ` exchange=${exchange}`;
  const mine = envelope.requestor === viewer.actor;
  const by = mine ? "" : ` of ${envelope.requestor}`;
  return [
    ...wordsOf(view, viewer),
    `Request ${envelope.ref}${by} "${inline(envelope.intent, 120)}": ${standing(envelope)}.${where && ` In${where}.`}`,
    ...openItems(view, viewer),
    ...nextStep(view, viewer, where),
  ].join("\n");
}
