import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCommand } from "../../../cli/lib/command.js";
import { COMMANDS } from "../../../cli/lib/commands.js";
import { EXIT_CODES } from "../../../cli/lib/errors.js";
import { writeCommandHelp, writeHelp } from "../../../cli/lib/help.js";
import { toLine, toSafeText, writeTable } from "../../../cli/lib/text.js";

describe("the help of the command line", () => {
  it("lists every command, and explains each with its usage, options and examples that parse", () => {
    const overview = writeHelp(COMMANDS);

    expect(COMMANDS.length).toBeGreaterThan(10);
    for (const command of COMMANDS) {
      const text = writeCommandHelp(command);
      expect(overview).toMatch(new RegExp(`^  ${command.name} +\\S`, "m"));
      expect(text).toContain(`mess ${command.name}`);
      for (const name of Object.keys(command.options ?? {})) expect(text).toContain(`--${name}`);
      for (const [line] of command.examples ?? []) {
        const words = [
          ...line
            .split(/ [|<>] /, 1)
            .join("")
            .matchAll(/"([^"]*)"|(\S+)/g),
        ];
        const [, name, ...args] = words.map(([, quoted, plain]) => quoted ?? plain ?? "");
        expect(name, line).toBe(command.name);
        expect(() => parseCommand(command, args), line).not.toThrow();
      }
    }
  });

  it("explains all exit codes", () => {
    const text = writeHelp(COMMANDS, "exit-codes");

    for (const [code, meaning] of Object.values(EXIT_CODES))
      expect(text).toMatch(new RegExp(`^ +${code} +${String(meaning).slice(0, 20)}`, "m"));
  });
});

describe("the page about the command line", () => {
  const page = readFileSync("docs/command-line.md", "utf8");

  it("names every command and every exit code", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    const named = rows.flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`([a-z]+)`/g)].map(([, name]) => name),
    );
    const codes = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [
      Number(code),
      meaning?.replaceAll("`", ""),
    ]);

    expect(named.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
    expect(codes).toEqual(Object.values(EXIT_CODES));
  });
});

describe("texts for a terminal", () => {
  it("texts of others cannot control the terminal or turn its direction", () => {
    const text = toSafeText(
      "red \u001b[31m, title \u001b]0;x\u0007, \u009b2J, \u202egnp\r\nnext\tcell",
    );

    expect(text).toMatch(/^[^\p{Cc}\u202e]*\n[^\p{Cc}]*\t[^\p{Cc}]*$/u);
    expect(text).toContain("\nnext\tcell");
  });

  it("a table fits the terminal, and shows each row on one line", () => {
    const table = writeTable(
      ["ref", "request"],
      [
        ["1", "a\nb ".repeat(50)],
        ["22", "c"],
      ],
      40,
    );

    expect(table.split("\n").map((line) => line.length <= 40)).toEqual([true, true, true]);
    expect(toLine("12345", 4)).toBe("123…");
  });
});
