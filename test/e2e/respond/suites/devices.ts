/** Devices without storage, with a wrong clock, or with unusable files: the page says so and loses no text. */
import { describe, expect, it } from "vitest";
import { openActionForm, sendNow } from "../../../support/respond-setup.ts";
import { answerField } from "../page-controls.ts";
import { pattern, t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

export function devices(): void {
  describe("a device", () => {
    it("a browser that stores nothing says so, and still sends", async () => {
      const asked = await stage.createRequest({ intent: "Turn off the light" });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      await context.addInitScript(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException("The disk is full", "QuotaExceededError");
        };
      });
      const page = await stage.open(url, context);

      await answerField(page).fill("It was off");
      await page.getByText(t("not_kept")).waitFor();
      await openActionForm(page, "followup");
      await sendNow(page);

      await page.locator('#outbox .send[data-state="sent"]').waitFor();
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { followup: { message: "It was off" } },
      ]);
    });

    it("a browser that blocks cookies gets a page that says so", async () => {
      const asked = await stage.createRequest({ intent: "Open the gate" });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      await context.route("**/respond/session", async (route) => {
        const response = await route.fetch();
        const { "set-cookie": _cookie, ...headers } = response.headers();
        await context.clearCookies();
        await route.fulfill({ response, headers });
      });
      await context.route("**/respond/state?*", async (route) => {
        await context.clearCookies();
        await route.continue({ headers: { ...route.request().headers(), cookie: "" } });
      });
      const page = await stage.open(url, context);

      await page.getByText(t("cookie_blocked")).waitFor();
    });

    it("a device with a wrong clock counts down by the exchange's clock, and the page says so", async () => {
      const asked = await stage.createRequest({
        intent: "Before noon",
        needed_by: new Date(Date.now() + 3_000_000).toISOString(),
      });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      await context.clock.install({ time: Date.now() + 86_400_000 });
      // Sets the header Date, as web servers do; the local server does not send it.
      await context.route("**/respond/state?*", async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers(), date: new Date().toUTCString() };
        await route.fulfill({ response, headers });
      });
      const page = await stage.open(url, context);

      await expect
        .poll(() => page.locator(".chips [data-until]").textContent())
        .toMatch(/\b\d\d\b/);
      await page.getByText(t("clock_wrong")).waitFor();
    });

    it("files that cannot be sent are refused by name, and the answer is kept", async () => {
      const asked = await stage.createRequest({ intent: "Send the film" });
      const { url } = await asked.createLink();
      const context = await stage.openDenyingContext({ isMobile: false, hasTouch: false });
      const page = await stage.open(url, context);
      await answerField(page).fill("Here it comes");
      await page.evaluate(() => {
        const file = new File(["x"], "film.mov", { type: "video/quicktime" });
        Object.defineProperty(file, "size", { value: 10_000_000_000 });
        const event = new Event("drop", { cancelable: true, bubbles: true });
        Object.defineProperty(event, "dataTransfer", { value: { files: [file] } });
        document.body.dispatchEvent(event);
      });
      await page.getByText(pattern("file_too_large", { name: "film.mov" })).waitFor();

      await page
        .locator("#pick-file")
        .setInputFiles({ name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) });
      await page.getByText(t("file_empty", { name: "empty.txt" })).waitFor();

      await page.getByRole("button", { name: t("voice") }).click();
      await page.getByText(t("mic_denied")).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: t("camera") }).click();
      await page.getByText(t("camera_denied")).waitFor();
      await page.keyboard.press("Escape");
      expect(await answerField(page).inputValue()).toBe("Here it comes");
    });
  });
}
