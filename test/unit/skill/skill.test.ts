/** What the skill shows agents can be used as it stands. */
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import { listFences } from "../../support/markdown.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { readExample, EXAMPLES, listToolCalls, listMessages, SKILL } from "../../support/skill.ts";

/** What the test needs of a tool. The module is named at run time: its types are the Worker's, not Node's. */
interface Tool {
  name: string;
  input: { safeParse(value: unknown): { success: boolean; error?: unknown } };
}
const toolsModule: string = "../../../src/ingress/mcp/tools/index.ts";
const { TOOLS } = (await import(toolsModule)) as { TOOLS: readonly Tool[] };

describe("every message that the skill shows is one", () => {
  it.each(EXAMPLES)("examples/%s", (name) => {
    expect(parseMessages(readExample(name))).toMatchObject({ ok: true });
  });

  it.each(listMessages().map((text) => [text.split("\n")[2]?.trim() ?? text, text] as const))(
    "%s",
    (_first, text) => {
      expect(parseMessages(text)).toMatchObject({ ok: true });
    },
  );
});

describe("every tool call that the skill shows can be made", () => {
  it.each(listToolCalls().map((call) => [JSON.stringify(call), call] as const))(
    "%s",
    (_label, { name, arguments: given }) => {
      const tool = TOOLS.find((one) => one.name === name);

      expect(tool?.input.safeParse(given)).toMatchObject({ success: true });
    },
  );

  it("and each tool is shown, but for the one that takes whole messages", () => {
    const shown = new Set(listToolCalls().map(({ name }) => name));

    expect([...shown, "mess"].toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
  });

  it("and no other tool is spoken of", () => {
    const spoken = new Set(SKILL.match(/\bmess_[a-z]+\b/g));

    expect([...spoken, "mess"].toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
  });
});

describe("the skill's own form", () => {
  it("begins with a name and with when to use it", () => {
    const [, front = ""] = /^---\n([^]*?)\n---\n/.exec(SKILL) ?? [];
    const { name, description, ...rest } = parse(front) as Record<string, string>;

    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(description).toMatch(/\w/);
    expect(description?.length).toBeLessThanOrEqual(1_024);
    expect(rest).toEqual({});
  });

  it("holds nothing fenced that no test looks at", () => {
    const languages = new Set(listFences(SKILL).map(({ language }) => language));

    expect([...languages].toSorted()).toEqual(["js", "sh", "text", "yaml"]);
    expect(SKILL.split("```")).toHaveLength(listFences(SKILL).length * 2 + 1);
  });

  it("points to each example, and to nothing else", () => {
    const links = [...SKILL.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);

    expect([...new Set(links)].toSorted()).toEqual(EXAMPLES.map((name) => `examples/${name}`));
  });

  it("is short enough to be read by an agent that has other things to think of", () => {
    expect(estimateTokens(SKILL)).toBeLessThan(2_800);
  });
});
