/** Converts the output of an MCP robot to messages of the thread: progress to a status, the result to a response. */
import { defined } from "../../mess/defined.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { LIMITS } from "../../mess/limits.ts";
import { stripControls } from "../../mess/wire/control-characters.ts";
import type { BlockInput, MessageInput } from "../../mess/wire/schema.ts";
import { readMachineReply, readStructuredReply } from "../shared/machine-reply.ts";
import type { ToolProgress } from "./tool-call.ts";

const MAX_ENTRIES = 64;
/** Maximum characters of a reason or of the text of progress. */
const MAX_LINE_CHARS = 500;

export const buildMachineMessages = (...blocks: BlockInput[]): MessageInput[] => [{ blocks }];

const cutLine = (text: string): string =>
  stripControls(text.slice(0, MAX_LINE_CHARS).toWellFormed());

/** 0 to 100; undefined if the server gave no total. */
export function toPercent({ progress, total }: ToolProgress): number | undefined {
  if (total === undefined || !(total > 0) || !(progress >= 0)) return undefined;
  return Math.min(100, Math.round((100 * progress) / total));
}

export function buildProgressStatus(progress: ToolProgress): MessageInput[] {
  const percent = toPercent(progress);
  const { message } = progress;
  return buildMachineMessages({
    type: "status",
    body: {
      code: "in_progress",
      ...defined({ progress_pct: percent }),
      ...(message === undefined || message.trim() === "" ? {} : { message: cutLine(message) }),
    },
  });
}

/**
 * Reports that the task is still running. The id contains the time, so a status with the same text is not dropped as a
 * repeat.
 */
export const buildWorkingStatus = (text: string, now: number): MessageInput[] =>
  buildMachineMessages({
    type: "status",
    body: {
      id: `at-${Math.floor(now / 1_000)}`,
      code: "in_progress",
      ...(text.trim() === "" ? {} : { message: cutLine(text) }),
    },
  });

/** The work failed. Another attempt, or another executor, may succeed. */
export const buildFailureStatus = (reason: string): MessageInput[] =>
  buildMachineMessages({
    type: "status",
    body: { code: "failed", recoverable: true, reason: cutLine(reason) },
  });

/** Converts the result of a tool. A MESS message in it, such as a question, is posted unchanged. */
export function convertResult(
  output: JsonMap,
  ref: string,
): { reply: readonly MessageInput[]; note?: string } {
  // Tools often return ANSI color codes.
  const result = stripControls(output);
  const { structuredContent: structured, isError } = result;
  const content = (Array.isArray(result["content"]) ? result["content"] : []).filter(isMap);
  if (isError === true)
    return { reply: buildFailureStatus(collectTexts(content)[0] ?? "the tool reported an error") };
  const messReply = findMessText(content, structured, ref);
  if (messReply && "reply" in messReply) return { reply: messReply.reply };
  const entries = [
    ...content.filter((item) => !isDuplicateText(item, structured)).flatMap(toEntries),
    ...(isMap(structured) ? [{ structured }] : []),
  ].slice(0, MAX_ENTRIES);
  return {
    reply: buildMachineMessages(
      ...(entries.length > 0 ? [{ type: "response", body: { content: entries } } as const] : []),
      { type: "status", body: { code: "completed" } },
    ),
    ...(messReply && "note" in messReply ? { note: messReply.note } : {}),
  };
}

const collectTexts = (content: readonly JsonMap[]): string[] =>
  content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));

/** Finds a MESS message in the structured result, or as the only text. */
function findMessText(content: readonly JsonMap[], structured: Json | undefined, ref: string) {
  if (isMap(structured) && "MESS" in structured) return readStructuredReply(structured, ref);
  const [text, ...others] = collectTexts(content);
  return text !== undefined && others.length === 0 && content.length === 1
    ? readMachineReply(text, ref)
    : undefined;
}

/** True for a text that repeats the structured result, for clients that do not support that. */
function isDuplicateText({ type, text }: JsonMap, structured: Json | undefined): boolean {
  if (type !== "text" || typeof text !== "string" || !isMap(structured)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

/** Converts one item of a tool's content to an entry (decision 56). A local URI stays text. */
function toEntries(item: JsonMap): Json[] {
  const { type, text, data, mimeType, uri, resource } = item;
  if (type === "text" && typeof text === "string") return text === "" ? [] : [{ text }];
  if (type === "image" || type === "audio")
    return typeof data === "string" ? toInlineEntry(type, data, mimeType) : [];
  if (type === "resource_link" && typeof uri === "string")
    return [/^https:\/\//i.test(uri) ? { url: uri } : { text: uri }];
  if (type !== "resource" || !isMap(resource)) return [];
  if (typeof resource["text"] === "string") return [{ text: resource["text"] }];
  return typeof resource["blob"] === "string"
    ? toInlineEntry("file", resource["blob"], resource["mimeType"])
    : [];
}

const MIME_PATTERN = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i;

function toInlineEntry(kind: string, data: string, mimeType: Json | undefined): Json[] {
  const mime =
    typeof mimeType === "string" && MIME_PATTERN.test(mimeType)
      ? mimeType
      : "application/octet-stream";
  const uri = `data:${mime};base64,${data.replaceAll(/\s/g, "")}`;
  return uri.length > LIMITS.inlineDataBytes
    ? [
        {
          text: `(${kind} of ${Math.round((data.length * 3) / 4 / 1024)} KB, too large to be passed on)`,
        },
      ]
    : [{ [kind]: { data: uri } }];
}
