/** The request in plain text, for the page without JavaScript. */
import type { ThreadView } from "../../../contracts/thread-views.ts";
import type { PageTextKey } from "../page-texts.ts";
import { isMap, type Json, type JsonMap } from "../../../mess/json.ts";

export interface PlainRequest {
  intent: string;
  requestor: string;
  needsApproval: boolean;
  /** Label keys with their values. */
  facts: [label: PageTextKey, value: string][];
  texts: string[];
  /** Whether there is more than text, such as pictures. */
  hasMore: boolean;
}

const toText = (value: Json | undefined): string =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : Array.isArray(value)
        ? value.map(toText).filter(Boolean).join(", ")
        : isMap(value)
          ? Object.values(value).map(toText).filter(Boolean).join(" ")
          : "";

const toMap = (value: Json | undefined): JsonMap => (isMap(value) ? value : {});

/** The words of a text without the marks of Markdown that change nothing about its meaning. */
const stripMarkdown = (text: string): string =>
  text
    .replaceAll(/^#{1,6} /gm, "")
    .replaceAll(/\[([^\][]*)\]\(([^()\s]*)\)/g, "$1 ($2)")
    .replaceAll("**", "");

/** The text of an entry; undefined for pictures, files and data. */
function readText(entry: Json): string | undefined {
  if (typeof entry === "string") return stripMarkdown(entry);
  const { text } = toMap(entry);
  return typeof text === "string" ? stripMarkdown(text) : undefined;
}

/** The question of a hint with its options; undefined for hints without one, such as `image`. */
function readQuestion(hint: Json): string | undefined {
  const [spec] = Object.values(toMap(hint));
  const { question, field, options } = toMap(spec);
  const asked = toText(question ?? field);
  return asked === "" ? undefined : [asked, toText(options)].filter(Boolean).join(" ");
}

export function describeRequest(
  { envelope, messages }: Pick<ThreadView, "envelope" | "messages">,
  names: ReadonlyMap<string, string>,
): PlainRequest {
  const blocks = messages.flatMap(({ MESS }) => MESS as readonly JsonMap[]);
  const request = toMap(blocks.map((block) => block["request"]).find(Boolean));
  const constraints = toMap(request["constraints"]);
  const context = [request["context"] ?? []].flat();
  const facts: PlainRequest["facts"] = [
    // In the household's zone, without its offset.
    ["until", (envelope.expires ?? "").slice(0, 16).replace("T", " ")],
    ["place", toText(constraints["location"])],
    ["environment", toText(constraints["environment"])],
    ["compensation", toText(request["compensation"])],
  ];
  const texts = context.map(readText);
  const questions = [request["response_hint"] ?? []].flat().map(readQuestion);
  return {
    intent: envelope.intent,
    requestor: names.get(envelope.requestor) ?? envelope.requestor,
    needsApproval: request["confirm_before"] === true,
    facts: facts.filter(([, value]) => value !== ""),
    texts: [...texts, ...questions].filter((text) => text !== undefined),
    hasMore: texts.includes(undefined),
  };
}
