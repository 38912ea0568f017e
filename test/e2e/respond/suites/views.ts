/** The page for its users: small, dark, by keyboard, in their language. */
import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type CreatedRequest, openActionForm, sendNow } from "../../../support/respond-setup.ts";
import { findViolations } from "../accessibility.ts";
import { pattern, t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

/** A request with every kind of content, which no test here ends. */
let full: CreatedRequest;
let fullUrl: string;
export function views(): void {
  beforeAll(async () => {
    const earlier = await stage.createRequest({ intent: "Is there milk?" });
    full = await stage.createRequest({
      intent: "Look what is in the fridge, and tell me whether it is enough for tonight",
      priority: "elevated",
      precision: "guided",
      needed_by: new Date(Date.now() + 7_000_000).toISOString(),
      constraints: { location: "home kitchen", environment: ["daylight"] },
      context: [
        "Dinner for **four**; the children like [pasta](https://example.com/pasta).",
        {
          json: [
            { item: "milk", least: 1 },
            { item: "eggs", least: 6 },
          ],
        },
        { url: "https://example.com/a/very/long/address/that/does/not/break/by/itself?and=more" },
        { location: { name: "Kitchen", lat: 48.1, lng: 11.5 } },
        { ref: earlier.ref },
      ],
      response_hint: [
        "image",
        {
          choice: {
            field: "enough",
            question: "Is it enough?",
            options: ["Yes, plenty", "Just so", "No"],
          },
        },
        { number: { field: "eggs", question: "Eggs?" } },
      ],
    });
    fullUrl = (await full.createLink()).url;
  });

  describe("axe finds nothing serious", () => {
    it.each<[string, BrowserContextOptions]>([
      ["in light", { colorScheme: "light" }],
      ["in dark", { colorScheme: "dark", viewport: { width: 1280, height: 900 }, isMobile: false }],
    ])(
      "axe finds nothing serious %s on the request, its sheets and sent answers",
      async (_name, options) => {
        const page = await stage.open(fullUrl, options);
        await page.locator(".context a").first().waitFor();
        await page.getByText(t("details")).click();
        const found: Record<string, string[]> = { request: await findViolations(page) };

        await page.locator("#more").click();
        found["actions"] = await findViolations(page);
        await page.keyboard.press("Escape");
        for (const act of ["needs_input", "waiting", "in_progress", "suggest", "delegate"]) {
          await openActionForm(page, act);
          found[act] = await findViolations(page);
          await page.keyboard.press("Escape");
        }
        await page.getByRole("button", { name: t("settings") }).click();
        await page.getByRole("dialog", { name: t("settings") }).waitFor();
        found["settings"] = await findViolations(page);
        await page.keyboard.press("Escape");
        await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
        await page.locator(".tile.image").waitFor();
        found["answer"] = await findViolations(page);
        await openActionForm(page, "followup");
        await page.locator('[data-action="now"]').waitFor();
        found["held"] = await findViolations(page);
        await sendNow(page);
        await page.locator('.send[data-state="sent"]').waitFor();
        // A field that is partly covered by the bar of buttons counts as too small.
        await page
          .getByLabel("Eggs?")
          .evaluate((field) => field.scrollIntoView({ block: "center" }));
        found["sent"] = await findViolations(page);
        await page.goto(`${stage.origin}/respond?ref=none&token=none`);
        await page.getByText(t("link_needed"), { exact: true }).waitFor();
        found["closed"] = await findViolations(page);

        expect(Object.entries(found).filter(([, violations]) => violations.length > 0)).toEqual([]);
        expect(Object.keys(found)).toHaveLength(12);
      },
    );
  });

  describe("on a screen of 320 pixels, with larger text", () => {
    it("with larger text at 320 pixels nothing is cut off, and every target is large enough", async () => {
      const page = await stage.open(fullUrl, { viewport: { width: 320, height: 640 } });
      await page.evaluate(() => (document.documentElement.dataset["size"] = "larger"));
      await page.getByText(t("details")).click();
      const measureSmallTargets = () =>
        page.evaluate(() =>
          [
            ...document.querySelectorAll(
              "button, summary, textarea, .option, input:not(.option input), a.filelink",
            ),
          ]
            .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
            .map((element) => ({ box: element.getBoundingClientRect(), html: element.outerHTML }))
            .filter(
              ({ box }) => box.height < 43.9 || box.width < 43.9 || box.right > innerWidth + 1,
            )
            .map(
              ({ box, html }) =>
                `${Math.round(box.width)}×${Math.round(box.height)} ${html.slice(0, 90)}`,
            ),
        );
      const measureScrollWidth = () =>
        page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

      expect([await measureScrollWidth(), await measureSmallTargets()]).toEqual([0, []]);
      await openActionForm(page, "waiting");
      expect([await measureScrollWidth(), await measureSmallTargets()]).toEqual([0, []]);
    });
  });

  describe("on paper", () => {
    it("a printed page shows the complete request and no controls", async () => {
      const asked = await stage.createRequest({
        intent: "Fix the gate",
        needed_by: new Date(Date.now() + 7_000_000).toISOString(),
        constraints: { environment: ["daylight"] },
        context: ["The lower hinge.", { json: [{ screw: "M6", count: 4 }] }],
      });
      await asked.appendAsRobot({ followup: { message: "The hinge is in the shed" } });
      const page = await stage.open((await asked.createLink()).url);
      await page.getByText("The hinge is in the shed").waitFor();

      await page.emulateMedia({ media: "print" });

      for (const text of ["Fix the gate", "The lower hinge.", "M6", "The hinge is in the shed"])
        expect(await page.getByText(text).first().isVisible(), text).toBe(true);
      // Content that is folded on a screen is unfolded.
      for (const term of [t("reference"), "daylight"])
        expect(await page.getByText(term).first().isVisible(), term).toBe(true);
      const controls = await page
        .locator("button:not(.photo), input, textarea, summary, .skip")
        .evaluateAll((all) =>
          all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML),
        );
      expect(controls).toEqual([]);
      expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        "rgb(255, 255, 255)",
      );
    });
  });

  describe("by keyboard alone", () => {
    it("a request is answered by keyboard alone, and the focus is never lost", async () => {
      const asked = await stage.createRequest({
        intent: "Is it raining?",
        response_hint: ["confirmation"],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url, { isMobile: false, hasTouch: false });
      const readFocusedText = () =>
        page.evaluate(() => {
          const it = document.activeElement;
          return it?.getAttribute("aria-label") ?? it?.textContent?.trim() ?? "";
        });
      const tabTo = async (name: string) => {
        for (let n = 0; n < 40 && (await readFocusedText()) !== name; n++)
          await page.keyboard.press("Tab");
        expect(await readFocusedText()).toBe(name);
      };

      await page.keyboard.press("Tab");
      expect(await readFocusedText()).toBe(t("skip"));
      await page.keyboard.press("Enter");
      await page.keyboard.type("Cats and dogs");
      await tabTo(t("send_answer"));
      await page.keyboard.press("Enter");
      await expect.poll(readFocusedText).toBe(t("undo"));
      await page.keyboard.press("Enter");
      await expect.poll(readFocusedText).toBe(t("your_answer"));
      await tabTo(t("send_answer"));
      await page.keyboard.press("Enter");
      await expect.poll(readFocusedText).toBe(t("undo"));
      await tabTo(t("send_now"));
      await page.keyboard.press("Enter");

      await asked.until(({ envelope }) => envelope.status === "completed");
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { response: { content: [{ text: "Cats and dogs" }] } },
        {},
      ]);
      await expect.poll(() => page.locator("#announcer").textContent()).toMatch(pattern("arrived"));
    });

    it("a sheet traps the focus and restores it", async () => {
      const page = await stage.open(fullUrl, { isMobile: false, hasTouch: false });
      await page.locator("#more").focus();
      await page.keyboard.press("Enter");
      for (let n = 0; n < 30; n++) {
        await page.keyboard.press("Tab");
        expect(
          await page.evaluate(() => document.activeElement?.closest("dialog, body")?.tagName),
        ).toMatch(/DIALOG|BODY/);
      }
      await page.keyboard.press("Escape");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("more");
    });
  });

  describe("preferences", () => {
    it.each([
      ["de-DE", "de"],
      ["tr-TR", "tr"],
      ["pt-BR", "pt"],
      ["ar-EG", "ar"],
      ["ja-JP", "en"],
    ] as const)("a browser in %s gets the page in %s", async (locale, language) => {
      const page = await stage.open(fullUrl, { locale });

      await page.getByRole("button", { name: t("act_claim", {}, language) }).waitFor();
      await page.getByRole("heading", { name: t("your_answer", {}, language) }).waitFor();
      expect(await page.locator("html").getAttribute("lang")).toBe(language);
    });

    it("language, theme and text size are stored on the device", async () => {
      const context = await stage.openContext();
      const page = await stage.open(fullUrl, context);
      await page.getByRole("button", { name: t("settings") }).click();
      await page.getByRole("radio", { name: t("theme_dark") }).check();
      await page.getByRole("radio", { name: t("size_larger") }).check();
      await page.getByRole("radio", { name: "Deutsch" }).check();
      await page.getByRole("dialog", { name: t("settings", {}, "de") }).waitFor();

      await page.reload();

      await page.getByRole("heading", { name: t("your_answer", {}, "de") }).waitFor();
      const shown = await page.evaluate(() => {
        const { theme, size } = document.documentElement.dataset;
        return { theme, size };
      });
      expect(shown).toEqual({ theme: "dark", size: "larger" });
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(ground).toBe("rgb(20, 23, 26)");
    });
  });
}
