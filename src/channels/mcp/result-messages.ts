/** What an MCP robot says, as messages of the thread: progress becomes a status, its result an answer. */
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { LIMITS } from "../../mess/limits.ts";
import { answerOf } from "../shared/machine-reply.ts";
import type { Progress } from "./tool-call.ts";

const MOST_ENTRIES = 64;
/** Characters of a reason or of what progress is told with. */
const LINE = 500;

export const mess = (...blocks: JsonMap[]): string => JSON.stringify({ MESS: blocks });

const line = (text: string): string => text.slice(0, LINE).toWellFormed();

/** 0 to 100 where the server told how much there is. */
export function percentOf({ progress, total }: Progress): number | undefined {
  if (total === undefined || !(total > 0) || !(progress >= 0)) return undefined;
  return Math.min(100, Math.round((100 * progress) / total));
}

export function progressStatus(progress: Progress): string {
  const percent = percentOf(progress);
  const { message } = progress;
  return mess({
    status: {
      code: "in_progress",
      ...(percent === undefined ? {} : { progress_pct: percent }),
      ...(message === undefined || message.trim() === "" ? {} : { message: line(message) }),
    },
  });
}

/** That it is at work still: said anew at each time, though its words are the same. */
export const stillAtWork = (words: string, now: number): string =>
  mess({
    status: {
      id: `at-${Math.floor(now / 1_000)}`,
      code: "in_progress",
      ...(words.trim() === "" ? {} : { message: line(words) }),
    },
  });

/** It did not work this time; another try, or another executor, may do better. */
export const failure = (reason: string): string =>
  mess({ status: { code: "failed", recoverable: true, reason: line(reason) } });

/** A tool's result. One that holds a MESS message itself, such as a question, is said as it stands. */
export function resultSaid(result: JsonMap, ref: string): { said: string; note?: string } {
  const { structuredContent: structured, isError } = result;
  const content = (Array.isArray(result["content"]) ? result["content"] : []).filter(isMap);
  if (isError === true)
    return { said: failure(textsOf(content)[0] ?? "the tool reported an error") };
  const own = ownWords(content, structured, ref);
  if (own && "said" in own) return { said: own.said };
  const entries = [
    ...content.filter((item) => !repeats(item, structured)).flatMap(entryOf),
    ...(isMap(structured) ? [{ structured }] : []),
  ].slice(0, MOST_ENTRIES);
  return {
    said: mess(...(entries.length > 0 ? [{ response: { content: entries } }] : []), {
      status: { code: "completed" },
    }),
    ...(own && "note" in own ? { note: own.note } : {}),
  };
}

const textsOf = (content: readonly JsonMap[]): string[] =>
  content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));

/** MESS in the structured result, or as the only text. */
function ownWords(content: readonly JsonMap[], structured: Json | undefined, ref: string) {
  if (isMap(structured) && "MESS" in structured) return answerOf(JSON.stringify(structured), ref);
  const [text, ...others] = textsOf(content);
  return text !== undefined && others.length === 0 && content.length === 1
    ? answerOf(text, ref)
    : undefined;
}

/** Servers write a structured result as text too, for clients that know no structure. */
function repeats({ type, text }: JsonMap, structured: Json | undefined): boolean {
  if (type !== "text" || typeof text !== "string" || !isMap(structured)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

/** One item of a tool's content as an entry (decision 56). What it refers to by a local address stays text. */
function entryOf(item: JsonMap): Json[] {
  const { type, text, data, mimeType, uri, resource } = item;
  if (type === "text" && typeof text === "string") return text === "" ? [] : [{ text }];
  if (type === "image" || type === "audio")
    return typeof data === "string" ? inline(type, data, mimeType) : [];
  if (type === "resource_link" && typeof uri === "string")
    return [/^https:\/\//i.test(uri) ? { url: uri } : { text: uri }];
  if (type !== "resource" || !isMap(resource)) return [];
  if (typeof resource["text"] === "string") return [{ text: resource["text"] }];
  return typeof resource["blob"] === "string"
    ? inline("file", resource["blob"], resource["mimeType"])
    : [];
}

const MIME = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i;

function inline(kind: string, data: string, mimeType: Json | undefined): Json[] {
  const mime =
    typeof mimeType === "string" && MIME.test(mimeType) ? mimeType : "application/octet-stream";
  const uri = `data:${mime};base64,${data.replaceAll(/\s/g, "")}`;
  return uri.length > LIMITS.inlineData
    ? [
        {
          text: `(${kind} of ${Math.round((data.length * 3) / 4 / 1024)} KB, too large to be passed on)`,
        },
      ]
    : [{ [kind]: { data: uri } }];
}
