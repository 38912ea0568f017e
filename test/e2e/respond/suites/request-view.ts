/** The parts of a request that are visible without opening the details. */
import { describe, expect, it } from "vitest";
import { openActionForm } from "../../../support/respond-setup.ts";
import { pattern, t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";
import { answerField, choose } from "../page-controls.ts";

export function requestViews(): void {
  describe("a request", () => {
    it("location, conditions, payment and the needed approval are visible without opening the details", async () => {
      const asked = await stage.createRequest({
        intent: "Prune the apple tree",
        confirm_before: true,
        constraints: { location: "the orchard", environment: ["dry weather"] },
        compensation: { amount: 15, currency: "EUR" },
      });
      const page = await stage.open((await asked.createLink()).url);

      for (const words of ["the orchard", "dry weather", "€15.00"])
        await page.locator(".facts").getByText(words).waitFor();
      await page.getByText(t("approval_first", { name: "claude" })).waitFor();
    });

    it("the details describe the required capabilities as the household does, else by their ids", async () => {
      const asked = await stage.createRequest({
        intent: "Ring the neighbours",
        requires: ["check-visual", "make-phone-call"],
      });
      const page = await stage.open((await asked.createLink()).url);

      await page.getByText(t("details")).click();

      const tags = page.locator(".terms .tags .chip");
      expect(await tags.allInnerTexts()).toEqual([
        "Look at something and tell what is there",
        "make-phone-call",
      ]);
    });

    it("an answer that was typed before the approval is part of the question, and is kept afterwards", async () => {
      const asked = await stage.createRequest({ intent: "Clear the cellar", confirm_before: true });
      const page = await stage.open((await asked.createLink()).url);
      await answerField(page).fill("Throw away the old paint");

      await page.locator('#bar [data-action="needs_confirmation"]').click();
      await page.locator(".sheet button[type=submit]").click();
      await page.locator('#status[data-status="needs_confirmation"]').waitFor();
      await page.locator("#approval").waitFor({ state: "detached" });
      await asked.say({ reply: { confirm: true } });

      await page.locator('#bar .primary[data-action="completed"]').waitFor();
      expect(await answerField(page).inputValue()).toBe("Throw away the old paint");
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { status: { code: "needs_confirmation", action: "Throw away the old paint" } },
      ]);
    });

    it("the receipt shows the sent estimate, and the question with its options, until the messages list them", async () => {
      const asked = await stage.createRequest({ intent: "Oil the hinges" });
      const page = await stage.open((await asked.createLink()).url);
      const estimate = t("estimate", { time: "1 hr" });
      await page.route("**/respond/state*", (route) => route.abort());

      await openActionForm(page, "claim");
      await page.getByRole("radio", { name: t("hours", { n: 1 }) }).check();
      await page.locator(".sheet button[type=submit]").click();
      await page.locator('#outbox [data-state="sent"]').getByText(estimate).waitFor();
      await openActionForm(page, "needs_input");
      await page.getByLabel(t("question_n", { n: 1 })).fill("Which oil?");
      await page.getByLabel(t("question_options")).fill("Olive\nMachine");
      await page.context().setOffline(true);
      await page.locator(".sheet button[type=submit]").click();

      for (const state of ["queued", "sent"]) {
        const row = page.locator(`#outbox [data-state="${state}"]`);
        for (const text of ["Which oil?", "Olive", "Machine"]) await row.getByText(text).waitFor();
        await page.context().setOffline(false);
      }
    });

    it("a person sees the time at which they said they would be done", async () => {
      const asked = await stage.createRequest({ intent: "Bring the ladder" });
      const page = await stage.open((await asked.createLink()).url);
      const eta = new Date(Date.now() + 3_600_000).toISOString();

      await asked.appendAsRobot({ status: { code: "claimed", eta } });

      const time = page.locator("#thread").getByText(pattern("eta"));
      await time.waitFor();
      expect(await time.textContent()).toMatch(/\d/);
    });

    it("web addresses and phone numbers in texts are tappable, and dates and code are not", async () => {
      const asked = await stage.createRequest({
        intent: "Call the plumber",
        context: [
          "His number is +49 30 1234567, see https://example.com/plumber?a=1. Since 2031-05-06, order 12345678.",
          "**Or** 030/7654321 and `https://example.com/code`",
          "javascript:alert(1) tel:007",
        ],
      });
      const page = await stage.open((await asked.createLink()).url);
      const links = page.locator(".context .prose a");
      await expect.poll(() => links.count()).toBe(3);

      expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")))).toEqual([
        "tel:+49301234567",
        "https://example.com/plumber?a=1",
        "tel:0307654321",
      ]);
      expect(await links.nth(1).getAttribute("rel")).toBe("noopener noreferrer nofollow");
    });

    it("a chosen PDF shows its name and size, and opens before it is sent; a page does not", async () => {
      const asked = await stage.createRequest({ intent: "Send the contract" });
      const page = await stage.open((await asked.createLink()).url);
      await page.locator("#pick-file").setInputFiles([
        { name: "contract.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4") },
        { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<script></script>") },
      ]);

      const tile = page.locator(".tile", { hasText: "contract.pdf" });
      const link = tile.getByRole("link", { name: t("enlarge", { name: "contract.pdf" }) });
      await link.waitFor();
      expect(await link.getAttribute("href")).toMatch(/^blob:/);
      expect(await tile.textContent()).toMatch(/8/);
      const other = page.locator(".tile", { hasText: "page.html" });
      await other.waitFor();
      expect(await other.getByRole("link").count()).toBe(0);
    });

    it("a change during a slow reload is shown without another change", async () => {
      const asked = await stage.createRequest({ intent: "Feed the hens" });
      const context = await stage.openContext();
      let frames = 0;
      context.on("page", (page) =>
        page.on("websocket", (socket) => socket.on("framereceived", () => (frames += 1))),
      );
      const page = await stage.open((await asked.createLink()).url, context);
      let isHeld = false;
      const held = new Promise<() => void>((resolve) => {
        void context.route("**/respond/state?*", async (route) => {
          const response = await route.fetch();
          if (!isHeld) {
            isHeld = true;
            await new Promise<void>((release) => resolve(release));
          }
          await route.fulfill({ response });
        });
      });

      await asked.say({ followup: { message: "All six of them" } });
      const release = await held;
      const before = frames;
      await asked.say({ followup: { message: "And the rooster" } });
      await expect.poll(() => frames).toBeGreaterThan(before);
      release();

      await page.getByText("And the rooster").waitFor();
    });

    it("a bare confirmation asks the question of the request", async () => {
      const intent = "Is the back door locked?";
      const asked = await stage.createRequest({ intent, response_hint: ["confirmation"] });
      const page = await stage.open((await asked.createLink()).url);

      // The heading asks it already.
      expect((await page.locator("legend").boundingBox())?.height).toBeLessThanOrEqual(1);
      await choose(page, t("no"), intent);
      await page.locator('#bar .primary[data-action="completed"]').waitFor();
    });

    it("the deadline of a request with a long text is on the first screen", async () => {
      const asked = await stage.createRequest({
        intent: "Please look at all of the windows. ".repeat(40),
        needed_by: new Date(Date.now() + 7_000_000).toISOString(),
      });
      const page = await stage.open((await asked.createLink()).url);

      const box = await page.locator(".chips [data-until]").boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(844);
    });

    it("the person's own estimate and the options of their own question are shown", async () => {
      const asked = await stage.createRequest({ intent: "Buy filters" });
      const page = await stage.open((await asked.createLink()).url);
      await openActionForm(page, "claim");
      await choose(page, t("hours", { n: 2 }));
      await page.locator(".sheet button[type=submit]").click();
      await page.locator('#status[data-status="claimed"]').waitFor();
      await page.locator("#thread").getByText(/2 hr/).waitFor();

      await openActionForm(page, "needs_input");
      await page.getByLabel(t("question_n", { n: 1 })).fill("Which size?");
      await page.getByLabel(t("question_options")).fill("Small\nLarge");
      await page.locator(".sheet button[type=submit]").click();

      for (const option of ["Small", "Large"])
        await page.locator("#thread .questions").getByText(option).waitFor();
    });

    it("another member can be suggested by name, from those who are capable", async () => {
      const asked = await stage.createRequest({ intent: "Mop the hall" });
      const page = await stage.open((await asked.createLink()).url);
      await openActionForm(page, "suggest");
      await choose(page, t("suggest_delegate"));
      await choose(page, "Roomba", t("delegate_to"));
      await page.locator(".sheet button[type=submit]").click();

      await page.locator("#thread").getByText("Roomba").waitFor();
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { suggestion: { type: "delegate", proposed: { executor: "roomba" } } },
      ]);
      const skilled = await stage.createRequest({
        intent: "Ring them",
        requires: ["make-phone-call"],
      });
      const alone = await stage.open((await skilled.createLink()).url);
      await alone.locator("#more").click();
      expect(await alone.locator('.sheet [data-action="delegate"]').count()).toBe(0);
    });
  });
}
