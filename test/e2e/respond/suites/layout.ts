/** The page with large text: the action bar stays on screen, covers no focused field, and the layout does not jump. */
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

/** Half of a phone's screen, as at 200 % zoom. */
const ZOOMED = { viewport: { width: 195, height: 422 } };
const SMALL = { viewport: { width: 320, height: 640 } };

const storePreferences = (context: BrowserContext, preferences: object) =>
  context.addInitScript(
    (stored) => localStorage.setItem("mess-prefs", stored),
    JSON.stringify(preferences),
  );

/** Buttons of the bar that are cut off by the edge of the screen or of their box. */
const findCutButtons = (page: Page) =>
  page.locator("#bar button").evaluateAll((buttons) =>
    buttons
      .filter((button) => {
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const isOnScreen = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
        return !isOnScreen || button.scrollWidth > button.clientWidth;
      })
      .map(({ textContent }) => textContent),
  );

/** Expects that no button is cut off and no content is too wide, at double zoom and with larger text. */
async function expectUncutBar(page: Page): Promise<void> {
  for (const [{ viewport }, size] of [
    [SMALL, "larger"],
    [ZOOMED, "normal"],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.evaluate((name) => (document.documentElement.dataset["size"] = name), size);
    const measure = async () => ({
      cut: await findCutButtons(page),
      overflow: await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    });
    await expect.poll(measure, { message: size }).toEqual({ cut: [], overflow: 0 });
  }
}

const REQUEST = {
  intent: "Look what is in the fridge",
  context: ["Dinner for **four**.", { json: [{ item: "milk", least: 1 }] }],
  response_hint: ["image", { choice: { field: "enough", options: ["Yes", "No"] } }],
};

export function layouts(): void {
  describe("the action bar", () => {
    it.each(["en-GB", "ar-EG", "de-DE", "es-ES", "fr-FR", "pt-BR", "tr-TR"])(
      "with larger text and at double zoom the bar and its buttons stay on screen in %s",
      async (locale) => {
        const { url } = await (await stage.createRequest(REQUEST)).createLink();
        const plain = await (await stage.createRequest({ intent: "Paint" })).createLink();
        const context = await stage.openContext({ ...ZOOMED, locale });
        for (const address of [url, plain.url]) {
          const page = await stage.open(address, context);
          await page.locator("#bar .primary").waitFor();
          await expectUncutBar(page);
          await page.locator("#answer-text").fill("Enough");
          await page.locator('#bar .primary[data-action="completed"]').waitFor();
          await expectUncutBar(page);
        }
      },
    );

    it("at double zoom no label of a button is broken, and the hidden link is off the screen", async () => {
      const { url } = await (await stage.createRequest(REQUEST)).createLink();
      const page = await stage.open(url, ZOOMED);
      await page.locator("#bar .primary").waitFor();

      const broken = await page
        .locator(".add button span")
        .evaluateAll((labels) =>
          labels
            .filter(
              (label) => label.clientHeight > 1.5 * parseFloat(getComputedStyle(label).lineHeight),
            )
            .map(({ textContent }) => textContent),
        );
      expect(broken).toEqual([]);
      const skip = await page.locator(".skip").boundingBox();
      expect((skip?.y ?? 0) + (skip?.height ?? 0)).toBeLessThanOrEqual(0);
    });

    it("on a small phone the steps of a rating are one row, and none looks like another kind of answer", async () => {
      const asked = await stage.createRequest({
        intent: "Taste the soup",
        response_hint: [{ structured: { taste: { type: "rating", label: "How good?" } } }],
      });
      const page = await stage.open((await asked.createLink()).url, SMALL);
      const steps = page.locator("#wanted-form .option");
      await steps.first().waitFor();

      const tops = await steps.evaluateAll((all) =>
        all.map((step) => step.getBoundingClientRect().top),
      );
      expect([tops.length, new Set(tops).size]).toEqual([5, 1]);
    });

    it("the bar is a landmark, and never hides the field that has the focus", async () => {
      const { url } = await (await stage.createRequest(REQUEST)).createLink();
      for (const options of [SMALL, ZOOMED]) {
        const page = await stage.open(url, { ...options, isMobile: false, hasTouch: false });
        const bar = page.getByRole("region", { name: t("actions") });
        await bar.waitFor();
        const hidden: string[] = [];
        for (const key of ["Tab", "Shift+Tab"])
          for (let n = 0; n < 25; n++) {
            await page.keyboard.press(key);
            const covered = await bar.evaluate((element) => {
              const focused = document.activeElement;
              if (!focused || focused === document.body || element.contains(focused)) return "";
              const isBelow =
                focused.getBoundingClientRect().bottom > element.getBoundingClientRect().top + 1;
              return isBelow ? focused.outerHTML : "";
            });
            if (covered !== "") hidden.push(covered);
          }
        expect(hidden).toEqual([]);
      }
    });
  });

  it.each(["normal", "larger"])(
    "the page does not move visible content while it loads, with %s text",
    async (size) => {
      const asked = await stage.createRequest(REQUEST);
      await asked.appendAsRobot({ followup: { message: "The top shelf:\n\n- milk\n- eggs" } });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      await storePreferences(context, { size });
      await context.addInitScript(() => {
        Object.assign(globalThis, { shift: 0 });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            (globalThis as unknown as { shift: number }).shift += (
              entry as unknown as { value: number }
            ).value;
        }).observe({ type: "layout-shift", buffered: true });
      });

      const page = await stage.open(url, context);
      await page.locator(".rich").nth(1).waitFor();
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => setTimeout(done))),
      );

      expect(
        await page.evaluate(() => (globalThis as unknown as { shift: number }).shift),
      ).toBeLessThan(0.05);
    },
  );
}
