/** Checks that the messages and tool calls of the skill are valid. */
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import { listFences } from "../../support/markdown.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { readExample, EXAMPLES, listToolCalls, listMessages, SKILL } from "../../support/skill.ts";

/**
 * The used part of a tool. The module has the Worker's types, which Node does not have, so it is imported at run time.
 */
interface Tool {
  name: string;
  input: { safeParse(value: unknown): { success: boolean; error?: unknown } };
}
const toolsModule: string = "../../../src/ingress/mcp/tools/index.ts";
const { TOOLS } = (await import(toolsModule)) as { TOOLS: readonly Tool[] };

describe("messages in the skill", () => {
  it.each(EXAMPLES)("every message in examples/%s of the skill is valid", (name) => {
    expect(parseMessages(readExample(name))).toMatchObject({ ok: true });
  });

  it.each(listMessages().map((text) => [text.split("\n")[2]?.trim() ?? text, text] as const))(
    "every message in the skill is valid: %s",
    (_first, text) => {
      expect(parseMessages(text)).toMatchObject({ ok: true });
    },
  );
});

describe("tool calls in the skill", () => {
  it.each(listToolCalls().map((call) => [JSON.stringify(call), call] as const))(
    "every tool call in the skill has valid arguments: %s",
    (_label, { name, arguments: given }) => {
      const tool = TOOLS.find((one) => one.name === name);

      expect(tool?.input.safeParse(given)).toMatchObject({ success: true });
    },
  );

  it("the skill shows each tool, except for the one that takes complete messages", () => {
    const shown = new Set(listToolCalls().map(({ name }) => name));

    expect([...shown, "mess"].toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
  });

  it("the skill names no tool that does not exist", () => {
    const spoken = new Set(SKILL.match(/\bmess_[a-z]+\b/g));

    expect([...spoken, "mess"].toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
  });
});

describe("the form of the skill", () => {
  it("the skill begins with a name and a description", () => {
    const [, front = ""] = /^---\n([^]*?)\n---\n/.exec(SKILL) ?? [];
    const { name, description, ...rest } = parse(front) as Record<string, string>;

    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(description).toMatch(/\w/);
    expect(description?.length).toBeLessThanOrEqual(1_024);
    expect(rest).toEqual({});
  });

  it("the skill contains no code block without a test", () => {
    const languages = new Set(listFences(SKILL).map(({ language }) => language));

    expect([...languages].toSorted()).toEqual(["js", "sh", "text", "yaml"]);
    expect(SKILL.split("```")).toHaveLength(listFences(SKILL).length * 2 + 1);
  });

  it("the skill links to each example, and to nothing else", () => {
    const links = [...SKILL.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);

    expect([...new Set(links)].toSorted()).toEqual(EXAMPLES.map((name) => `examples/${name}`));
  });

  it("the skill is short enough for an agent's context", () => {
    expect(estimateTokens(SKILL)).toBeLessThan(2_800);
  });
});
