/** The pages from their sources, as `npm start` serves them without a build step; the other tests use the deployed ones. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inboxText, t } from "../../support/page-texts.ts";
import { joinStage, type RespondStage, sendNow } from "../../support/respond-setup.ts";
import { answerField, choose } from "./page-controls.ts";

let stage: RespondStage;

beforeAll(async () => {
  stage = await joinStage();
});
afterAll(() => stage.end());
afterEach(async () => {
  await stage.closeContexts();
  expect(stage.faults.splice(0)).toEqual([]);
});

describe("the pages from their sources", () => {
  it("a page from its sources shows Markdown, uses the browser's language and sends a form with a photo", async () => {
    const asked = await stage.createRequest({
      intent: "How much milk is left?",
      context: ["Breakfast for **six**."],
      response_hint: [{ choice: { field: "left", question: "Left?", options: ["None", "Half"] } }],
    });
    const { url } = await asked.createLink();
    const page = await stage.open(url, { locale: "de-DE" });

    await expect.poll(() => page.locator(".context strong").textContent()).toBe("six");
    await choose(page, "Half");
    await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
    await page.locator(".tile.image").waitFor();
    await page.getByRole("button", { name: t("send_answer", {}, "de") }).click();
    await sendNow(page);

    const thread = await asked.until(({ envelope }) => envelope.status === "completed");
    expect(thread.attachments).toMatchObject([{ mime: "image/jpeg" }]);
    expect((await asked.listExecutorBlocks())[0]?.["response"]?.["content"]).toMatchObject([
      { structured: { left: "Half" } },
      { image: {} },
    ]);
  });

  it("the inbox from its sources claims with one tap and opens without a network", async () => {
    await stage.createRequest({ intent: "Close the attic window", requires: ["check-visual"] });
    const context = await stage.openSignedInContext({ serviceWorkers: "allow" });
    const page = await stage.open(`${stage.origin}/inbox`, context);
    const row = page.locator(".row-card", { hasText: "Close the attic window" });

    await row.getByRole("button", { name: t("act_claim") }).click();
    await page.locator('[data-group="mine"]', { has: row }).waitFor();
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await context.setOffline(true);
    await page.reload();

    await page.getByRole("heading", { name: inboxText("group_mine") }).waitFor();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Close the attic window" }).waitFor();
    await answerField(page).waitFor();
  });
});
