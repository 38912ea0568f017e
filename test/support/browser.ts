/** Starts a real browser: the machine's Chrome or Chromium, else the one that npm installed. */
import { existsSync } from "node:fs";
import bundled from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

const INSTALLED = [
  "/usr/bin/google-chrome",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Containers have no sandbox and little shared memory. Requests to the internet are switched off. */
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
 * @param args further arguments of the browser, such as fake cameras
 * @param variables environment variables, such as `LANG`
 */
export async function launchBrowser(
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  return await chromium.launch({
    executablePath: installed ?? (await bundled.executablePath()),
    // The default arguments of the bundled browser disable features under test, such as site isolation.
    args: [...QUIET, ...args],
    env: { ...process.env, ...variables },
  });
}
