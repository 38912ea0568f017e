/** Makes the calls of a skill's examples, in their order, with the ids of results in place of those in the examples. */
import { expect } from "vitest";
import type { Agent, Result } from "./scripted-members.ts";
import type { ToolSkill } from "./tool-skills.ts";

export class PlayedSkill {
  /** What stands for an id in the examples, such as `GROUP`. */
  readonly ids = new Map<string, string>();
  readonly #skill: ToolSkill;
  readonly #played = new Map<string, number>();

  constructor(skill: ToolSkill) {
    this.#skill = skill;
  }

  #fillIds(given: unknown): Record<string, unknown> {
    const text = JSON.stringify(given).replaceAll(/"([A-Z]+)"/g, (name, key: string) =>
      JSON.stringify(this.ids.get(key) ?? (JSON.parse(name) as string)),
    );
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** Makes the next call of the example, which must be of this tool. */
  async play(example: string, name: string, by: Agent): Promise<Result> {
    const position = this.#played.get(example) ?? 0;
    this.#played.set(example, position + 1);
    const call = this.#skill.readCalls(example)[position];
    expect(call?.name).toBe(name);
    const result = await by.call(name, this.#fillIds(call?.arguments));
    expect(result.isError, result.text).toBe(false);
    return result;
  }

  expectAllPlayed(): void {
    const { examples, readCalls } = this.#skill;
    expect(Object.fromEntries(this.#played)).toEqual(
      Object.fromEntries(examples.map((name) => [name, readCalls(name).length])),
    );
  }
}
