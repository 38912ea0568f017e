/** The commands of the page about the command line, and the package as others install it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { createCli } from "../../support/cli.ts";
import {
  createTemporaryDirectory,
  joinExchange,
  removeDirectories,
  run,
  type SharedExchange,
} from "../../support/exchange-process.ts";
import { listShellBlocks, readOutputData } from "../../support/shell-blocks.ts";

const NEXT = "----next----";

let stack: SharedExchange;
beforeAll(async () => {
  stack = await joinExchange();
});
afterAll(removeDirectories);

it("the commands of docs/command-line.md give the output that the page shows", async () => {
  const blocks = listShellBlocks(readFileSync(join(ROOT, "docs", "command-line.md"), "utf8"));
  const folder = createTemporaryDirectory();
  for (const name of ["cli", "scripts", "node_modules"])
    symlinkSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, ".mess"));
  writeFileSync(join(folder, ".mess", "keys.json"), JSON.stringify(stack.ready));
  const script = blocks
    .map(({ command }) => command.replaceAll("http://127.0.0.1:8787", stack.ready.origin))
    // The list lags behind the requests.
    .map((command) => (command.includes("mess pull") ? waitForList(command) : command))
    .map((command) => `${command}\necho '${NEXT}'`);

  const shell = run("bash", [
    "-c",
    `cd '${folder}'\nset -euo pipefail\nexec 2>&1\n${script.join("\n")}`,
  ]);

  expect(await shell.exit, shell.output()).toBe(0);
  const outputs = shell.output().split(`${NEXT}\n`);
  expect(blocks.length).toBeGreaterThan(4);
  for (const [index, { command, output }] of blocks.entries())
    if (output !== undefined)
      expect(readOutputData(outputs[index] ?? ""), command).toEqual(readOutputData(output));
  expect(readdirSync(join(folder, "photos"))).toHaveLength(1);
});

const waitForList = (command: string): string =>
  `until mess list --state finished --json | grep -q '"ref"'; do :; done\n${command}`;

/** Node 20 where the system has it; the tests themselves run on a later one. */
const findOldNode = (): string => {
  try {
    const version = execFileSync("/usr/bin/node", ["--version"], { encoding: "utf8" });
    return version.startsWith("v20.") ? "/usr/bin/node" : process.execPath;
  } catch {
    return process.execPath;
  }
};

it("the packed package runs from an empty folder, without a network, also on Node 20", async () => {
  const folder = createTemporaryDirectory();
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--ignore-scripts", "--offline", "--silent"], {
      cwd: folder,
      encoding: "utf8",
    });
  for (const source of ["cli", "node_modules/yaml"]) npm("pack", join(ROOT, source));
  const archives = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), "{}");
  npm("install", "--no-audit", "--no-fund", ...archives.map((name) => `./${name}`));
  const program = join(folder, "node_modules", "mess-cli", "mess.js");
  const installed = createCli(stack.ready.origin, { home: stack.ready.keys.owner }, [
    findOldNode(),
    program,
  ]);

  const { code, stdout } = await installed.run([
    "ask",
    "Is it on?",
    "-r",
    "check-visual",
    "--json",
  ]);
  const version = execFileSync(join(folder, "node_modules", ".bin", "mess"), ["--version"], {
    encoding: "utf8",
  });

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ref: expect.any(String) });
  expect(version.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(
    ["mess-cli", "yaml"],
  );
});
