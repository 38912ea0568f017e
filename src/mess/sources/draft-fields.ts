/** Builds and checks the content of drafts. Pure. */
import { type MessError, type Outcome, refuse } from "../errors.ts";
import { ok } from "../result.ts";
import { cutText } from "./cut-message.ts";
import type { DraftAttachment, DraftContent } from "./draft-content.ts";
import { buildReplySubject } from "./reply-subject.ts";
import { SOURCE_LIMITS } from "./vocabulary.ts";

/** The message that a draft answers or forwards. */
export interface DraftedMessage {
  sender: string;
  subject: string | null;
  /** Where a reply goes. */
  channel: string;
  body: string;
  attachments: DraftAttachment[];
}

export interface DraftFields {
  to?: string[];
  subject?: string;
  body: string;
  forward?: true;
}

/** The content of a new draft, with everything that it takes from the message. */
export function buildDraftContent(
  fields: DraftFields,
  message: DraftedMessage | undefined,
): Outcome<DraftContent> {
  if (fields.forward && !message)
    return refuse("missing_field", "message: missing", "Name the message to forward.", {
      path: "message",
    });
  const reply = message && !fields.forward ? message : undefined;
  const to = fields.to ?? (reply ? [reply.channel] : undefined);
  if (!to)
    return refuse(
      "missing_field",
      "to: missing",
      "Name the recipients, or the message to answer.",
      {
        path: "to",
      },
    );
  const subject = fields.subject ?? (message && buildSubject(message, fields.forward));
  const body = fields.forward && message ? quoteForwarded(fields.body, message) : fields.body;
  return checkDraftContent({
    to,
    ...(subject === undefined ? {} : { subject }),
    body,
    attachments: fields.forward && message ? message.attachments : [],
    ...(fields.forward ? { forward: true as const } : {}),
  });
}

/** Kinds without subjects get none. */
function buildSubject(message: DraftedMessage, forward: true | undefined): string | undefined {
  if (message.subject === null) return undefined;
  const subject = removeInvisible(message.subject);
  return forward
    ? `Fwd: ${cutText(subject, SOURCE_LIMITS.subjectChars - 5)}`
    : buildReplySubject(subject);
}

const CUT_NOTE = "\n[…]";

/** The original below the author's words, so that whoever approves reads everything that is sent. */
function quoteForwarded(words: string, message: DraftedMessage): string {
  const sender = removeInvisible(message.sender);
  const subject = message.subject && removeInvisible(message.subject);
  const body = removeInvisible(message.body);
  const head = [
    ...(words.trim() === "" ? [] : [words, ""]),
    "---------- Forwarded message ----------",
    `From: ${sender}`,
    ...(subject === null ? [] : [`Subject: ${subject}`]),
    "",
    "",
  ].join("\n");
  const room = SOURCE_LIMITS.draftChars - head.length;
  return body.length <= room
    ? `${head}${body}`
    : `${head}${cutText(body, Math.max(0, room - CUT_NOTE.length))}${CUT_NOTE}`;
}

/** Line breaks and other control characters would end a header. */
const HEADER_CONTROLS = /[\p{Cc}\u2028\u2029]/u;
// oxlint-disable-next-line no-control-regex
const BODY_CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** Nobody sees these in an address, so two addresses could look the same. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whoever approves would not see what these do or say: overrides of the direction, tag characters, joiners and
 * selectors away from the letter or emoji that they belong to, and long runs of invisible ones. Directional marks and
 * isolates, and what Persian, Thai, Japanese and emoji need, is allowed.
 */
const HIDDEN_PATTERNS: readonly RegExp[] = [
  /[\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u,
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]/u,
  /(?<![\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])\u200b/u,
  /(?<!\p{sc=Han})[\u{e0100}-\u{e01ef}]/u,
  /\p{Default_Ignorable_Code_Point}{4}/u,
];

const hasHidden = (text: string): boolean => HIDDEN_PATTERNS.some((one) => one.test(text));

/** Texts of strangers, which a draft quotes, may have any character. */
const removeInvisible = (text: string): string =>
  hasHidden(text) ? text.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "") : text;

export function checkDraftContent(content: DraftContent): Outcome<DraftContent> {
  const error = checkRecipients(content) ?? checkTexts(content);
  return error ? { ok: false, error } : ok(content);
}

function checkRecipients({ to }: DraftContent): MessError | undefined {
  const { recipientsPerDraft, addressChars } = SOURCE_LIMITS;
  if (to.length === 0 || to.length > recipientsPerDraft)
    return refuseField("to", `${to.length} recipients`, `Name 1 to ${recipientsPerDraft}.`);
  const bad = to.find(
    (one) =>
      one.trim() === "" ||
      one.length > addressChars ||
      HEADER_CONTROLS.test(one) ||
      INVISIBLE.test(one),
  );
  return bad === undefined
    ? undefined
    : refuseField(
        "to",
        "an address is empty, has a control or invisible character or is too long",
        `An address has at most ${addressChars} characters on one line.`,
      );
}

function checkTexts({ subject = "", body }: DraftContent): MessError | undefined {
  const { subjectChars, draftChars } = SOURCE_LIMITS;
  if (subject.length > subjectChars || HEADER_CONTROLS.test(subject))
    return refuseField(
      "subject",
      "too long, or with a control character",
      `A subject is one line of at most ${subjectChars} characters.`,
    );
  if (body.trim() === "") return refuseField("body", "empty", "Write the text of the message.");
  if (body.length > draftChars || BODY_CONTROLS.test(body))
    return refuseField(
      "body",
      "too long, or with a control character",
      `A draft is plain text of at most ${draftChars} characters.`,
    );
  const hidden = Object.entries({ subject, body }).find(([, text]) => hasHidden(text));
  return (
    hidden &&
    refuseField(
      hidden[0],
      "has invisible characters, or some that change the direction of the text",
      "Leave out overrides of the direction, tag characters, and joiners outside of words and emoji.",
    )
  );
}

const refuseField = (path: string, what: string, hint: string): MessError =>
  refuse("bad_field", `${path}: ${what}`, hint, { path }).error;
