/** An answer that the requestor drafted: the person approves, edits or rejects it on one screen. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sendNow } from "../../../support/respond-setup.ts";
import { t } from "../../../support/page-texts.ts";
import { answerField } from "../page-controls.ts";
import { stage } from "../shared-stage.ts";

const TEXT = "Thank you for your letter. I agree.";
const VALUES = { rent: 850, agree: true };

const requestApproval = () =>
  stage.createRequest({
    intent: `Answer the landlord ${crypto.randomUUID()}`,
    requires: ["check-visual"],
    response_hint: [{ draft: { text: TEXT, values: VALUES } }],
  });

/** The unsent answers on the device, as JSON. */
const readStoredAnswers = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const opening = indexedDB.open("mess-respond");
    await new Promise((resolve) => opening.addEventListener("success", resolve));
    const all = opening.result.transaction("drafts").objectStore("drafts").getAll();
    await new Promise((resolve) => all.addEventListener("success", resolve));
    return JSON.stringify(all.result);
  });

export function drafts(): void {
  describe("a draft", () => {
    it("a draft is approved unchanged with one tap, and is not filled in again afterwards", async () => {
      const asked = await requestApproval();
      const page = await stage.open((await asked.createLink()).url);
      await page.getByText(t("draft_by", { name: "claude" })).waitFor();
      expect(await answerField(page).inputValue()).toBe(TEXT);
      expect(await page.getByLabel("rent").inputValue()).toBe("850");

      await page.getByRole("button", { name: t("act_approve"), exact: true }).click();
      await sendNow(page);
      await page.locator('.send[data-state="sent"]').waitFor();

      expect(await asked.listExecutorBlocks()).toMatchObject([
        {
          response: {
            content: [
              { confirmation: { confirmed: true, edited: false } },
              { text: TEXT },
              { structured: VALUES },
            ],
          },
        },
        { status: { code: "completed" } },
      ]);
      await page.reload();
      await page.getByText(t("agreed")).waitFor();
      expect(await page.locator("#answer-text").inputValue()).toBe("");
    });

    it("an edited draft says that it was edited, and the draft can be restored before", async () => {
      const asked = await requestApproval();
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      await page.getByRole("button", { name: t("act_approve"), exact: true }).waitFor();

      await answerField(page).fill("No.");
      await page.getByRole("button", { name: t("act_approve_edited") }).waitFor();
      await page.getByRole("button", { name: t("draft_restore") }).click();
      expect(await answerField(page).inputValue()).toBe(TEXT);
      await page.getByRole("button", { name: t("act_approve"), exact: true }).waitFor();
      await page.getByLabel("rent").fill("800");
      // The person's change survives a reload.
      await expect.poll(() => readStoredAnswers(page)).toContain('"rent":800');
      await page.reload();
      await page.getByRole("button", { name: t("act_approve_edited") }).click();
      await sendNow(page);
      await page.locator('.send[data-state="sent"]').waitFor();

      expect(await asked.listExecutorBlocks()).toMatchObject([
        {
          response: {
            content: [
              { confirmation: { confirmed: true, edited: true } },
              { text: TEXT },
              { structured: { ...VALUES, rent: 800 } },
            ],
          },
        },
        { status: { code: "completed" } },
      ]);
    });

    it("a rejected draft is not sent, and its reason is one tap", async () => {
      const asked = await requestApproval();
      const page = await stage.open((await asked.createLink()).url);

      await page.locator('#bar [data-action="reject"]').click();
      await page.getByRole("button", { name: t("reason_tone") }).click();
      await sendNow(page);
      await page.getByText(t("sent_rejected")).waitFor();

      const blocks = await asked.listExecutorBlocks();
      expect(blocks).toMatchObject([
        {
          response: {
            content: [{ confirmation: { confirmed: false, details: t("reason_tone") } }],
          },
        },
        { status: { code: "completed" } },
      ]);
      expect(JSON.stringify(blocks)).not.toContain(TEXT);
    });

    it("the inbox leads to the page of a request with a draft, and does not offer to complete it", async () => {
      const asked = await requestApproval();
      const context = await stage.openSignedInContext();
      await context.request.post(`${stage.origin}/mess?ref=${asked.ref}`, {
        headers: { "X-MESS-Client": "respond" },
        data: { MESS: [{ status: { code: "claimed" } }] },
      });
      const page = await stage.open(`${stage.origin}/inbox`, context);
      const { intent } = (await asked.read()).envelope as unknown as { intent: string };

      const row = page.locator(".row-card", { hasText: intent });
      await row.locator("a.row-act").waitFor();
      expect(await row.locator('[data-action="completed"]').count()).toBe(0);
    });

    it("a browser without JavaScript gets the draft in its form", async () => {
      const asked = await requestApproval();
      const context = await stage.openContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto((await asked.createLink()).url);

      await page.locator("form.plain-form").getByRole("button").click();

      const field = page.locator("form.plain-form").getByRole("textbox");
      expect(await field.inputValue()).toBe(TEXT);
    });
  });

  describe("declining", () => {
    it("a request is declined with a reason by one tap", async () => {
      const asked = await stage.createRequest({ intent: "Walk the dog" });
      const page = await stage.open((await asked.createLink()).url);

      await page.locator("#more").click();
      await page.locator('.sheet [data-action="decline"]').click();
      await page.getByRole("button", { name: t("reason_time") }).click();
      await sendNow(page);
      await page.locator("#thread, .hero").getByText(t("reason_time")).first().waitFor();

      expect(await asked.listExecutorBlocks()).toMatchObject([
        { status: { code: "declined", reason: t("reason_time") } },
      ]);
    });
  });
}
