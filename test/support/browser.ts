/** A real browser: the machine's own Chrome or Chromium, else the one that comes with npm. */
import { existsSync } from "node:fs";
import bundled from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

const INSTALLED = [
  "/usr/bin/google-chrome",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Containers give neither a sandbox nor much shared memory; and nothing is asked of the world. */
const QUIET = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * @param args more of the browser's own, such as fake cameras
 * @param variables of its environment, such as `LANG`
 */
export async function launchBrowser(
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  return await chromium.launch({
    executablePath: installed ?? (await bundled.executablePath()),
    // The bundled one's own arguments switch off what the tests are about, such as the walls between sites.
    args: [...QUIET, ...args],
    env: { ...process.env, ...variables },
  });
}
