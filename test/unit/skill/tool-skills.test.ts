/** Checks that the tool calls of the skills for AI groups and for messages are valid. */
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import { listFences } from "../../support/markdown.ts";
import type { ToolCall } from "../../support/skill.ts";
import { readToolSkill, type ToolSkill } from "../../support/tool-skills.ts";

/**
 * The used part of a tool. The modules have the Worker's types, which Node does not have, so they are imported at run
 * time.
 */
interface Tool {
  name: string;
  input: { safeParse(value: unknown): { success: boolean; error?: unknown } };
}
const TOOLS_FOLDER: string = "../../../src/ingress/mcp/tools";
const { GROUP_TOOLS } = (await import(`${TOOLS_FOLDER}/groups/index.ts`)) as {
  GROUP_TOOLS: readonly Tool[];
};
const { MESSAGE_TOOLS } = (await import(`${TOOLS_FOLDER}/messages/index.ts`)) as {
  MESSAGE_TOOLS: readonly Tool[];
};

const SKILLS: readonly [name: string, skill: ToolSkill, tools: readonly Tool[]][] = [
  ["groups", readToolSkill("groups"), GROUP_TOOLS],
  ["messages", readToolSkill("messages"), MESSAGE_TOOLS],
];

const CALLS = SKILLS.flatMap(([name, { calls, examples, readCalls }, tools]) =>
  [...calls, ...examples.flatMap(readCalls)].map(
    (call) => [name, JSON.stringify(call), call, tools] as const,
  ),
);

it.each(CALLS)(
  "every tool call in the skill for %s has valid arguments: %s",
  (_name, _label, { name, arguments: given }, tools) => {
    const tool = tools.find((one) => one.name === name);

    expect(tool?.input.safeParse(given)).toMatchObject({ success: true });
  },
);

/** Without the length of a wait. */
const shorten = ({ name, arguments: { timeout: _length, ...given } }: ToolCall) =>
  JSON.stringify({ name, given });

describe.each(SKILLS)("the form of the skill for %s", (label, skill, tools) => {
  const { text, calls, examples, readCalls } = skill;

  it(`the skill for ${label} shows each of their tools`, () => {
    const shown = new Set(calls.map(({ name }) => name));

    expect([...shown].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });

  it(`the skill for ${label} begins with a name and a description`, () => {
    const [, front = ""] = /^---\n([^]*?)\n---\n/.exec(text) ?? [];
    const { name, description, ...rest } = parse(front) as Record<string, string>;

    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(description).toMatch(/\w/);
    expect(description?.length).toBeLessThanOrEqual(1_024);
    expect(rest).toEqual({});
  });

  it(`the skill for ${label} has no code block without a test, and links to its examples only`, () => {
    const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);

    expect([...new Set(listFences(text).map(({ language }) => language))]).toEqual(["js"]);
    expect([...new Set(links)].toSorted()).toEqual(examples.map((name) => `examples/${name}`));
  });

  it(`the skill for ${label} shows each call of its main examples, apart from the length of waits`, () => {
    const main = label === "groups" ? ["ops.yaml", "agent.yaml"] : examples;
    const shown = calls.map(shorten);

    expect(
      main
        .flatMap(readCalls)
        .map(shorten)
        .filter((call) => !shown.includes(call)),
    ).toEqual([]);
  });

  it(`the skill for ${label} is short enough for an agent's context`, () => {
    expect(estimateTokens(text)).toBeLessThan(2_600);
  });
});
