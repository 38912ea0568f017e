/**
 * Runs every command of the pages in a shell, page by page, and compares the output with the page.
 *
 * DOCS_UPDATE=1 writes the outputs into the pages.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { listShellBlocks, readOutputData, replaceOutputs } from "../support/shell-blocks.ts";
import {
  removeDirectories,
  run,
  type Stack,
  startStack,
  createTemporaryDirectory,
} from "../support/exchange-process.ts";

const SHOWN_ORIGIN = "http://127.0.0.1:8787";
const PAGES = [
  "docs/walkthrough.md",
  "docs/http.md",
  "docs/files.md",
  "docs/operate.md",
  "docs/schedules.md",
  "docs/robots.md",
  "docs/groups.md",
  "docs/sources.md",
];
/** Lists lag behind the threads; a person's next command would come later than that. */
const FOLLOWS = /mess\?|\/(?:events|statistics|rebuild|export\.zip)/;
const LATER = "sleep 1\n";
const NEXT = "----next----";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
});
afterAll(removeDirectories);

describe("commands of the pages", () => {
  it.skipIf(!hasCurl).each(PAGES)(
    "the commands of %s give the data that the page shows",
    async (page) => {
      const markdown = readFileSync(join(ROOT, page), "utf8");
      const blocks = listShellBlocks(markdown);
      stack = await startStack();
      const folder = createTemporaryDirectory();
      symlinkSync(stack.state, join(folder, ".mess"));
      for (const name of ["scripts", "node_modules"])
        symlinkSync(join(ROOT, name), join(folder, name));
      const { origin } = stack.ready;
      const script = blocks
        .map(({ command }) => (FOLLOWS.test(command) ? LATER : "") + command)
        .map((command) => `${command.replaceAll(SHOWN_ORIGIN, origin)}\necho '${NEXT}'`)
        .join("\n");

      const shell = run("bash", ["-c", `cd '${folder}'\nset -euo pipefail\n${script}`]);

      expect(await shell.exit, shell.output()).toBe(0);
      const outputs = shell
        .output()
        .replaceAll(origin, SHOWN_ORIGIN)
        .split(`${NEXT}\n`)
        .slice(0, blocks.length);
      if (process.env["DOCS_UPDATE"]) {
        writeFileSync(join(ROOT, page), replaceOutputs(markdown, outputs));
        return;
      }
      expect(blocks.length).toBeGreaterThan(3);
      for (const [index, { command, output }] of blocks.entries())
        if (output !== undefined)
          expect(readOutputData(outputs[index] ?? ""), command).toEqual(readOutputData(output));
    },
  );
});
