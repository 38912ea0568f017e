/** Reads the skill in `skill/`: its text, its examples, and the messages and tool calls that it shows. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { listFencesOf } from "./markdown.ts";

const FOLDER = join(ROOT, "skill");

export const SKILL = readFileSync(join(FOLDER, "SKILL.md"), "utf8");

export const EXAMPLES: readonly string[] = readdirSync(join(FOLDER, "examples")).toSorted();

export const readExample = (name: string): string =>
  readFileSync(join(FOLDER, "examples", name), "utf8");

const listTexts = (tag: string): string[] => listFencesOf(SKILL, tag);

/** Messages within the text. */
export const listMessages = (): string[] => listTexts("yaml");

/** Results of tools within the text. */
export const listResults = (): string[] => listTexts("text");

export const listCommands = (): string[] => listTexts("sh");

export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** Parses a call such as `mess_cancel({ re: "bins-out" })`; throws on any other block. */
export function parseToolCall(text: string): ToolCall {
  const [, name, given] = /^(\w+)\((\{[^]*\})\)\n$/.exec(text) ?? [];
  if (name === undefined || given === undefined) throw new Error(`no tool call: ${text}`);
  return { name, arguments: parse(given) as Record<string, unknown> };
}

export const listToolCalls = (): ToolCall[] => listTexts("js").map(parseToolCall);
