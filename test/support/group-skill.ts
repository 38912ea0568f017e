/** Reads the skill for AI groups in `skill/groups/`: its text, its examples, and the tool calls that both show. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { listFencesOf } from "./markdown.ts";
import { parseToolCall, type ToolCall } from "./skill.ts";

const FOLDER = join(ROOT, "skill/groups");

export const GROUP_SKILL = readFileSync(join(FOLDER, "SKILL.md"), "utf8");

export const GROUP_EXAMPLES: readonly string[] = readdirSync(join(FOLDER, "examples")).toSorted();

/** The calls within the text. */
export const listGroupCalls = (): ToolCall[] => listFencesOf(GROUP_SKILL, "js").map(parseToolCall);

/** The calls of an example, in order. */
export function readCalls(name: string): ToolCall[] {
  const text = readFileSync(join(FOLDER, "examples", name), "utf8");
  const calls = parse(text) as Record<string, Record<string, unknown>>[];
  return calls.map((call) => {
    const [[tool, given] = ["", {}]] = Object.entries(call);
    return { name: tool, arguments: given };
  });
}
