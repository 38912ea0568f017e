/**
 * Runs every command of the pages in a shell, page by page, and compares the output with the page.
 *
 * DOCS_UPDATE=1 writes the outputs into the pages.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createClient } from "../../scripts/lib/client.ts";
import { DEMO_HOUSEHOLD_ID, DEMO_PHONE_ID } from "../../scripts/lib/demo/demo-household.ts";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { listShellBlocks, readOutputData, replaceOutputs } from "../support/shell-blocks.ts";
import {
  createTemporaryDirectory,
  joinExchange,
  removeDirectories,
  run,
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

/** Where the pages name their household in an address. */
const HOUSEHOLD_PATH = new RegExp(`(?<=/(?:households|sources)/)${DEMO_HOUSEHOLD_ID}(?=/)`, "g");

afterAll(removeDirectories);

/** Creates a household, and a folder from which commands reach it like that of `npm start`. */
async function createFolder(): Promise<{ folder: string; household: string; origin: string }> {
  const { ready, state } = await joinExchange();
  const { keys, household, origin } = ready;
  // The link to the inbox with which `npm start` greets, since the page about the audit trail counts it.
  const person = { actor: DEMO_PHONE_ID, role: "executor" };
  await createClient(origin, keys.owner).post("/api/v1/sign-in-links", person);
  const folder = createTemporaryDirectory();
  mkdirSync(join(folder, ".mess"));
  writeFileSync(join(folder, ".mess", "keys.json"), JSON.stringify({ household, keys }));
  symlinkSync(join(state, "secrets.env"), join(folder, ".mess", "secrets.env"));
  for (const name of ["scripts", "node_modules"]) symlinkSync(join(ROOT, name), join(folder, name));
  return { folder, household, origin };
}

describe("commands of the pages", () => {
  it.skipIf(!hasCurl).each(PAGES)(
    "the commands of %s give the data that the page shows",
    async (page) => {
      const markdown = readFileSync(join(ROOT, page), "utf8");
      const blocks = listShellBlocks(markdown);
      const { folder, household, origin } = await createFolder();
      const script = blocks
        .map(({ command }) => (FOLLOWS.test(command) ? LATER : "") + command)
        .map((command) =>
          command.replaceAll(SHOWN_ORIGIN, origin).replaceAll(HOUSEHOLD_PATH, household),
        )
        .map((command) => `${command}\necho '${NEXT}'`)
        .join("\n");

      const shell = run("bash", ["-c", `cd '${folder}'\nset -euo pipefail\n${script}`]);

      expect(await shell.exit, shell.output()).toBe(0);
      const outputs = shell
        .output()
        .replaceAll(origin, SHOWN_ORIGIN)
        .replaceAll(household, DEMO_HOUSEHOLD_ID)
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
