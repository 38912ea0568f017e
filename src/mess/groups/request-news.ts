/** Converts the messages of a request to news for the AI group whose task it carries out. Pure. */
import { isMap, type Json } from "../json.ts";
import type { MessageDocument } from "../envelope.ts";
import { isFinal } from "../status.ts";
import type { Entry } from "../wire/content/entries.ts";
import { isMedia } from "../wire/content/media.ts";
import { readBlocks } from "../wire/message.ts";
import type { Block, StatusUpdate } from "../wire/schema.ts";
import { GROUP_LIMITS } from "./vocabulary.ts";

/** The kinds of messages that need an answer. */
type AnswerableKind = "question" | "confirmation" | "suggestion";

/** A message of a request that needs an answer, by the last part of its ref. */
export interface AnswerableMessage {
  name: string;
  kind: AnswerableKind;
}

/** A message of a request for the group. */
export interface RequestNews {
  /** Place of the message in the thread. */
  serial: number;
  kind: AnswerableKind | "report" | "message";
  /** Last part of its ref, such as `question-002`; absent for messages of the exchange. */
  name?: string;
  from: string;
  text: string;
}

/** Kinds in the order in which they decide the kind of a message that has several blocks. */
const KINDS: readonly RequestNews["kind"][] = [
  "question",
  "confirmation",
  "suggestion",
  "report",
  "message",
];

/** The only final status that a report need not name: a result says it. */
const DEFAULT_TEXT = "completed";

type Part = { kind: RequestNews["kind"]; lines: readonly (string | undefined)[] };

/** Undefined for a message that changes the status only: the group shows the status itself. */
export function buildRequestNews(
  { from, MESS }: MessageDocument,
  place: { serial: number; name: string | null; ref: string },
): RequestNews | undefined {
  const parts = readBlocks(MESS).flatMap((block) => readPart(block) ?? []);
  const kind = KINDS.find((one) => parts.some((part) => part.kind === one));
  const lines = parts.flatMap((part) => part.lines.filter((line) => line !== undefined));
  const text = lines.filter((line) => line.trim() !== "").join("\n") || DEFAULT_TEXT;
  if (kind === undefined) return undefined;
  const { serial, name, ref } = place;
  return { serial, kind, from, text: cutText(text, ref), ...(name === null ? {} : { name }) };
}

function readPart(block: Block): Part | undefined {
  const { type, body } = block;
  switch (type) {
    case "status":
      return readStatusPart(body);
    case "response":
      return { kind: "report", lines: [...listEntryLines(body.content), body.notes] };
    case "suggestion":
      return {
        kind: "suggestion",
        lines: [
          `Suggestion (${body.type}): ${body.reason ?? ""}`.trim(),
          body.proposed === undefined ? undefined : writeValue(body.proposed),
          "Reply to this message with yes to accept it, or with no.",
        ],
      };
    case "followup":
      return { kind: "message", lines: [body.message, ...listEntryLines(body.context)] };
    case "cancel":
      return { kind: "report", lines: ["cancelled", body.reason] };
    default:
      return undefined;
  }
}

function readStatusPart(update: StatusUpdate): Part | undefined {
  const { code, message, questions = [], action, consequences, reason, superseded_by } = update;
  if (code === "needs_input")
    return {
      kind: "question",
      lines: [message, ...questions.map(writeQuestion), writeAnswerHint(questions)],
    };
  if (code === "needs_confirmation")
    return {
      kind: "confirmation",
      lines: [
        message,
        `May I do this? ${action ?? ""}`.trim(),
        consequences,
        "Reply to this message with yes or no; a reason may follow.",
      ],
    };
  if (!isFinal(code) && code !== "partial") return undefined;
  const why = reason === undefined ? undefined : writeValue(reason);
  const by = superseded_by === undefined ? undefined : `continued as ${superseded_by}`;
  return { kind: "report", lines: [code === DEFAULT_TEXT ? undefined : code, message, why, by] };
}

const writeValue = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value);

type Question = NonNullable<StatusUpdate["questions"]>[number];

const writeQuestion = ({ id, question, options }: Question): string => {
  const choices = Array.isArray(options) ? ` (${options.map(writeValue).join(" | ")})` : "";
  return `${id}: ${question}${choices}`;
};

/** A single answer needs no key. */
const writeAnswerHint = (questions: readonly Question[]): string =>
  questions.length > 1
    ? `Reply to this message with JSON: {${questions.map(({ id }) => `"${id}": "…"`).join(", ")}}`
    : "Reply to this message with the answer.";

export const listEntryLines = (entries: readonly Entry[] = []): string[] =>
  entries.flatMap((entry) =>
    typeof entry === "string"
      ? [entry]
      : Object.entries(entry).flatMap(([kind, value]) => writeEntry(kind, value)),
  );

/** A file as its address, which the tools and routes for files accept. */
function writeEntry(kind: string, value: Json): string[] {
  if (kind === "embedding") return [];
  if (kind === "text") return [writeValue(value)];
  if (!isMedia(kind)) return [`${kind}: ${writeValue(value)}`];
  const { resource, uri } = isMap(value) ? value : { uri: value };
  return [`${kind}: ${writeValue(resource ?? uri ?? value)}`];
}

export const cutText = (text: string, ref: string): string => {
  const rest = `\n… The whole message is in ${ref}.`;
  const { contentChars } = GROUP_LIMITS;
  return text.length <= contentChars ? text : `${text.slice(0, contentChars - rest.length)}${rest}`;
};
