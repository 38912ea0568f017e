/** Opens the inbox, finds its rows, and makes requests that it lists. */
import type { BrowserContext, Locator, Page } from "playwright-core";
import { stage } from "../../shared-stage.ts";

export async function open(context: BrowserContext): Promise<Page> {
  const page = await stage.open(`${stage.origin}/inbox`, context);
  await page.locator("html[data-ready]").waitFor();
  return page;
}

export const group = (page: Page, name: string) => page.locator(`[data-group="${name}"]`);
export const findRow = (within: Page | Locator, intent: string) =>
  within.locator(".row-card", { hasText: intent });

/** Intents of one test, which other tests do not match. */
let made = 0;
export const buildName = (intent: string) => `${intent} ${(made += 1)}`;

export const requestLook = (intent: string, more: object = {}) =>
  stage.createRequest({ intent, requires: ["check-visual"], ...more });
