/** Checks that the tool calls of the skill for AI groups are valid. */
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import {
  GROUP_EXAMPLES,
  GROUP_SKILL,
  listGroupCalls,
  readCalls,
} from "../../support/group-skill.ts";
import { listFences } from "../../support/markdown.ts";

/**
 * The used part of a tool. The module has the Worker's types, which Node does not have, so it is imported at run time.
 */
interface Tool {
  name: string;
  input: { safeParse(value: unknown): { success: boolean; error?: unknown } };
}
const toolsModule: string = "../../../src/ingress/mcp/tools/groups/index.ts";
const { GROUP_TOOLS } = (await import(toolsModule)) as { GROUP_TOOLS: readonly Tool[] };

const SHOWN = listGroupCalls();
const LISTED = GROUP_EXAMPLES.flatMap((name) => readCalls(name));

it.each([...SHOWN, ...LISTED].map((call) => [JSON.stringify(call), call] as const))(
  "every tool call in the skill for groups has valid arguments: %s",
  (_label, { name, arguments: given }) => {
    const tool = GROUP_TOOLS.find((one) => one.name === name);

    expect(tool?.input.safeParse(given)).toMatchObject({ success: true });
  },
);

describe("the form of the skill for groups", () => {
  it("the skill for groups shows each of their tools", () => {
    const shown = new Set(SHOWN.map(({ name }) => name));

    expect([...shown].toSorted()).toEqual(GROUP_TOOLS.map(({ name }) => name).toSorted());
  });

  it("the skill for groups shows each call of its examples, apart from the length of waits", () => {
    const shorten = ({ name, arguments: { timeout: _length, ...given } }: (typeof SHOWN)[number]) =>
      JSON.stringify({ name, given });
    const shown = SHOWN.map(shorten);
    const ops = [...readCalls("ops.yaml"), ...readCalls("agent.yaml")].map(shorten);

    expect(ops.filter((call) => !shown.includes(call))).toEqual([]);
  });

  it("the skill for groups begins with a name and a description", () => {
    const [, front = ""] = /^---\n([^]*?)\n---\n/.exec(GROUP_SKILL) ?? [];
    const { name, description, ...rest } = parse(front) as Record<string, string>;

    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(description).toMatch(/\w/);
    expect(description?.length).toBeLessThanOrEqual(1_024);
    expect(rest).toEqual({});
  });

  it("the skill for groups has no code block without a test, and links to its examples only", () => {
    const links = [...GROUP_SKILL.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);

    expect([...new Set(listFences(GROUP_SKILL).map(({ language }) => language))]).toEqual(["js"]);
    expect([...new Set(links)].toSorted()).toEqual(
      GROUP_EXAMPLES.map((name) => `examples/${name}`),
    );
  });

  it("the skill for groups is short enough for an agent's context", () => {
    expect(estimateTokens(GROUP_SKILL)).toBeLessThan(2_600);
  });
});
