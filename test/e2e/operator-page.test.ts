/** The operator's page in a real browser: households are created, suspended and resumed with the operator's key. */
import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openState } from "../../scripts/lib/exchange/state-directory.ts";
import { launchBrowser } from "../support/browser.ts";
import { joinExchange, type SharedExchange } from "../support/exchange-process.ts";
import { PHONE_SIZE } from "../support/respond-setup.ts";

let browser: Browser;
let exchange: SharedExchange;
beforeAll(async () => {
  [browser, exchange] = await Promise.all([launchBrowser(), joinExchange()]);
}, 60_000);
afterAll(() => browser.close());

describe("the operator's page", () => {
  it("the operator creates a household, suspends it and resumes it, and the key stays in its tab", async () => {
    const { operatorKey } = openState(exchange.state);
    const context = await browser.newContext(PHONE_SIZE);
    const page = await context.newPage();
    page.on("dialog", (dialog) => void dialog.accept());
    // Before all other households in the list.
    const id = `a-${randomUUID().slice(0, 8)}`;

    await page.goto(`${exchange.ready.origin}/operator`);
    await page.getByLabel("Operator key").fill("a key that is wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect.poll(() => page.locator("#status").textContent()).not.toBe("");
    await page.getByLabel("Operator key").fill(operatorKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Id (it cannot be changed)").fill(id);
    await page.getByRole("button", { name: "Create" }).click();

    await expect.poll(() => page.locator("#link-text").inputValue()).toContain("/sign-in?token=");
    const household = page.locator(`[data-household="${id}"]`);
    await household.getByRole("button", { name: "Suspend" }).click();
    const resume = household.getByRole("button", { name: "Resume" });
    await resume.waitFor();
    const link = await page.locator("#link-text").inputValue();
    expect((await fetch(link)).status).toBe(403);
    await resume.click();
    await household.getByRole("button", { name: "Suspend" }).waitFor();
    expect((await fetch(link)).status).toBe(200);

    const other = await context.newPage();
    await other.goto(`${exchange.ready.origin}/operator`);
    await other.getByLabel("Operator key").waitFor();
    await context.close();
  });
});
