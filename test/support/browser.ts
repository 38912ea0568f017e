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

export async function launchBrowser(): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  return await chromium.launch({
    executablePath: installed ?? (await bundled.executablePath()),
    // Containers give neither a sandbox nor much shared memory. The bundled one's own arguments switch off what
    // the tests are about, such as the walls between sites.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
