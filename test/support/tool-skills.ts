/** Reads a skill whose examples are tool calls: its text, its examples, and the calls that both show. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { listFencesOf } from "./markdown.ts";
import { parseToolCall, type ToolCall } from "./skill.ts";

export interface ToolSkill {
  text: string;
  /** Names of the files. */
  examples: readonly string[];
  /** The calls within the text. */
  calls: readonly ToolCall[];
  /** The calls of an example, in order. */
  readonly readCalls: (example: string) => ToolCall[];
}

/** @param name of its folder in `skill/` */
export function readToolSkill(name: "groups" | "messages"): ToolSkill {
  const folder = join(ROOT, "skill", name);
  const text = readFileSync(join(folder, "SKILL.md"), "utf8");
  return {
    text,
    examples: readdirSync(join(folder, "examples")).toSorted(),
    calls: listFencesOf(text, "js").map(parseToolCall),
    readCalls: (example) => {
      const file = readFileSync(join(folder, "examples", example), "utf8");
      const calls = parse(file) as Record<string, Record<string, unknown>>[];
      return calls.map((call) => {
        const [[tool, given] = ["", {}]] = Object.entries(call);
        return { name: tool, arguments: given };
      });
    },
  };
}
