/** The page shows the result and keeps drafts when a request ends, is declined, handed over or completed. */
import { describe, expect, it } from "vitest";
import { openActionForm, sendNow } from "../../../support/respond-setup.ts";
import { t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";
import { answerField, choose } from "../page-controls.ts";

export function endings(): void {
  describe("when a request ends while an answer is typed", () => {
    it("a cancelled request shows the reason and keeps the typed answer, now and when it is opened again", async () => {
      const asked = await stage.createRequest({ intent: "Fetch the parcel" });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      const page = await stage.open(url, context);
      await answerField(page).fill("It is at the neighbours’");

      await asked.say({ cancel: { reason: "Ben has it already" } });

      await page.getByText("Ben has it already").waitFor();
      await page.locator("#kept").getByText("It is at the neighbours’").waitFor();
      const again = await stage.open(url, context);
      // The first page saves the text a moment after it was typed.
      await expect
        .poll(async () => {
          await again.reload();
          await again.getByText("Ben has it already").waitFor();
          return await again.locator("#kept").textContent();
        })
        .toContain("It is at the neighbours’");
      const elsewhere = await stage.open(url);
      await elsewhere.getByText("Ben has it already").waitFor();
    });

    it("an expired request keeps the typed answer", async () => {
      const asked = await stage.createRequest({
        intent: "Water the roses",
        needed_by: new Date(Date.now() + 6_000).toISOString(),
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      await answerField(page).fill("They are dry");

      await page.locator('#status[data-status="expired"]').waitFor();

      await page.getByText(t("was_expired")).waitFor();
      await page.locator("#kept").getByText("They are dry").waitFor();
      await page.locator("#bar").waitFor({ state: "hidden" });
    });
  });

  describe("a receipt", () => {
    it("the receipt of an answer shows its choices, location and pictures until the messages list them", async () => {
      const asked = await stage.createRequest({
        intent: "How much milk is left?",
        response_hint: [
          { choice: { field: "left", question: "How much?", options: ["None", "Half"] } },
        ],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      await choose(page, "Half");
      await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
      await page.locator(".tile.image").waitFor();
      await page.locator("#add-place").click();
      await page.getByLabel(t("place_name")).fill("Top shelf");
      await page.getByRole("button", { name: t("place_use") }).click();
      await page.locator("#bar .primary").click();
      await page.route("**/respond/state*", (route) => route.abort());
      await sendNow(page);

      const receipt = page.locator(".hero");
      await receipt.getByText(t("all_done", { name: "claude" })).waitFor();
      expect(await receipt.locator("dt").textContent()).toBe("How much?");
      expect(await receipt.locator("dd").textContent()).toBe("Half");
      await receipt.getByText("Top shelf").waitFor();
      await receipt.locator(".thumbnails img").waitFor();
      await receipt.locator(".big-check").waitFor();
      await page.unroute("**/respond/state*");
      await page.reload();
      await page.locator("#thread th", { hasText: "How much?" }).waitFor();
      await receipt.getByText(t("all_done", { name: "claude" })).waitFor();
      await expect.poll(() => receipt.locator(".summary").count()).toBe(0);

      await asked.say({ followup: { message: "Thank you" } });
      await page.locator("#thread").getByText("Thank you").waitFor();
      await receipt.waitFor({ state: "detached" });
      await page.locator("#status-banner .banner.good").waitFor();
    });

    it("the receipt of a photo is on the first screen of a small phone, above the messages", async () => {
      const asked = await stage.createRequest({ intent: "Photograph the meter in the cellar" });
      const page = await stage.open((await asked.createLink()).url, {
        viewport: { width: 320, height: 640 },
      });
      await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
      await page.locator(".tile.image").waitFor();
      await page.locator("#bar .primary").click();
      await sendNow(page);
      await page.locator("#thread img").waitFor();

      const receipt = await page.locator(".hero").boundingBox();
      const messages = await page.locator("#so-far").boundingBox();
      const bar = await page.locator("#bar").boundingBox();
      const end = (receipt?.y ?? Infinity) + (receipt?.height ?? 0);
      expect(end).toBeLessThanOrEqual(messages?.y ?? 0);
      expect(end).toBeLessThanOrEqual(bar?.y ?? 0);
    });

    it.each([
      ["decline", "sent_declined", {}],
      ["failed", "sent_failed", {}],
      ["delegate", "sent_delegated", { name: "Roomba" }],
    ] as const)(
      "the receipt of %s has no green tick, and no button offers the task again",
      async (act, word, values) => {
        const asked = await stage.createRequest({
          intent: `Sweep the yard, ${act}`,
          response_hint: ["image"],
        });
        const { url } = await asked.createLink();
        const page = await stage.open(url);
        await openActionForm(page, act);
        if (act === "delegate") await choose(page, "Roomba");
        await page.getByLabel(t("reason")).fill("My back hurts");
        await page.locator(".sheet button[type=submit]").click();
        await sendNow(page);

        await page.locator(".hero").getByText(t(word, values)).waitFor();
        if (act === "delegate")
          expect(await page.locator("#thread .said.system").first().textContent()).not.toContain(
            "ann-phone",
          );
        expect(await page.locator(".big-check, .send.good").count()).toBe(0);
        await expect.poll(() => page.locator("#bar .primary, #bar .secondary").count()).toBe(0);
        await answerField(page).waitFor({ state: "hidden" });
      },
    );

    it("a task that could not be done is offered to others, unless the person reports that no one can do it", async () => {
      const asked = await stage.createRequest({ intent: "Open the jar" });
      const page = await stage.open((await asked.createLink()).url);

      await openActionForm(page, "failed");
      await page.getByLabel(t("reason")).fill("Too tight");
      await page.locator(".sheet button[type=submit]").click();
      await sendNow(page);

      await page.locator(".hero").waitFor();
      expect(await asked.listExecutorBlocks()).toMatchObject([{ status: { recoverable: true } }]);
    });
  });

  describe("after the completion", () => {
    it("the person adds forgotten details to a completed request, and sees the thanks", async () => {
      const asked = await stage.createRequest({
        intent: "Count the chairs",
        response_hint: [{ number: { field: "chairs", question: "How many?", required: true } }],
      });
      const page = await stage.open((await asked.createLink()).url);
      await page.getByLabel("How many?").fill("11");
      await page.locator('#bar .primary[data-action="completed"]').click();
      await sendNow(page);
      await page.locator(".hero").waitFor();

      await page.getByRole("button", { name: t("forgot") }).click();
      await answerField(page).fill("And two in the attic");
      await page.getByRole("button", { name: t("send_addition"), exact: true }).click();
      await sendNow(page);
      await page.locator("#thread").getByText("And two in the attic").waitFor();
      await asked.say({ followup: { message: "Thank you so much" } });

      await page.locator("#thread").getByText("Thank you so much").waitFor();
      expect((await asked.listExecutorBlocks()).at(-1)).toMatchObject({
        response: { content: [{ text: "And two in the attic" }] },
      });
      // A photo alone needs no form again.
      await page.getByRole("button", { name: t("forgot") }).click();
      await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
      await page.locator(".tile.image").waitFor();
      await page.getByRole("button", { name: t("send_addition"), exact: true }).click();
      await sendNow(page);
      await asked.until(({ attachments }) => attachments.length === 1);
    });

    it("a finished request with a form has no button without effect", async () => {
      const asked = await stage.createRequest({
        intent: "Photograph the gate",
        response_hint: ["image"],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      await answerField(page).fill("There is no gate");
      await page.locator("#bar .primary").click();
      await sendNow(page);
      await page.locator(".hero").waitFor();

      await page.locator('#bar [data-action="add"]').waitFor();
      expect(await page.locator("#bar button").count()).toBe(1);
      await page.locator("#bar button").click();
      await answerField(page).waitFor();
      expect(await page.locator('[data-action="answer"]').count()).toBe(0);
    });
  });
}
