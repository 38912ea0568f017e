/** Browsers with a language or time zone that `Intl` does not support. */
import { describe, expect, it } from "vitest";
import { DEMO_ROBOT_ID } from "../../../../scripts/lib/demo/demo-household.ts";
import { inboxText, t } from "../../../support/page-texts.ts";
import { findViolations } from "../accessibility.ts";
import { stage } from "../shared-stage.ts";

/** The language of a browser on Linux without a locale; `Intl` does not accept it. */
const POSIX = "en-US@posix";

/** Overrides the browser's languages, in case the system has a locale. */
const claimTags = (tags: readonly string[]) => {
  Object.defineProperty(navigator, "language", { get: () => tags[0] });
  Object.defineProperty(navigator, "languages", { get: () => tags });
};

/** Makes every formatting in the browser's time zone fail, as an unknown zone does. */
const breakZone = () => {
  const { DateTimeFormat } = Intl;
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct: () => new DateTimeFormat("en", { timeZone: "Mars/Olympus_Mons" }),
  });
};

export function languages(): void {
  describe("a browser on a system without a locale", () => {
    it.each([
      { says: "what its system gives it", tags: undefined },
      { says: POSIX, tags: [POSIX] },
      { says: "a German tag of the same kind", tags: ["de_DE.UTF-8@euro", "en"] },
      { says: "no language at all", tags: [] },
    ])(
      "a browser without a locale shows the request with its times and the inbox with the language $says",
      async ({ tags }) => {
        const intent = `Look at the barometer ${crypto.randomUUID()}`;
        const asked = await stage.createRequest({ intent, requires: ["check-visual"] });
        const context = await stage.openContextWithoutLocale();
        if (tags !== undefined) await context.addInitScript(claimTags, tags);

        const page = await stage.open((await asked.createLink()).url, context);
        await page.getByRole("heading", { name: intent }).waitFor();
        await page.locator(".asker time").waitFor();

        const lang = tags?.[0]?.slice(0, 2) ?? "en";
        expect(await page.locator("html").getAttribute("lang")).toBe(lang);
        const inbox = await stage.open(`${stage.origin}/inbox`, context);
        await inbox.locator(".row-card", { hasText: intent }).locator("time").first().waitFor();
      },
    );
  });

  describe("a language that is written from right to left", () => {
    it("in Arabic both pages are mirrored, and names and numbers keep their own direction", async () => {
      const intent = `Shut the shutters ${crypto.randomUUID()}`;
      const asked = await stage.createRequest({ intent });
      await asked.appendAsRobot({ status: { code: "claimed" } });
      const page = await stage.open((await asked.createLink()).url, { locale: "ar-EG" });
      const isolated = (name: string) => `\u2068${name}\u2069`;

      const held = page.getByText(t("held_by", { name: isolated("Roomba") }, "ar"));
      await held.waitFor();
      // A name in another script at its beginning does not turn the sentence around.
      expect(await held.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
      expect(await page.locator("h1").evaluate((title) => getComputedStyle(title).textAlign)).toBe(
        "right",
      );
      expect(await page.locator("html").getAttribute("dir")).toBe("rtl");
      // Someone else has the task, so that the form can only send a note.
      expect(await page.locator("#answer-title").textContent()).toBe(t("act_followup", {}, "ar"));
      const isOnRight = (selector: string) =>
        page.locator(selector).evaluate((element) => {
          const { left, right } = element.getBoundingClientRect();
          return (left + right) / 2 > innerWidth / 2;
        });
      expect([
        await isOnRight(".brand"),
        await isOnRight("#settings"),
        await isOnRight(".avatar"),
      ]).toEqual([true, false, true]);
      const placeholder = page.locator("#answer-text");
      expect(await placeholder.evaluate((field) => getComputedStyle(field).direction)).toBe("rtl");
      await placeholder.fill("Hello");
      expect(await placeholder.evaluate((field) => getComputedStyle(field).direction)).toBe("ltr");
      await page.locator("#more").click();
      const [title, close] = await page
        .locator(".sheet-head")
        .evaluate((head) => [...head.children].map((one) => one.getBoundingClientRect().left));
      expect(title).toBeGreaterThan(close ?? Infinity);
      const inbox = await stage.open(
        `${stage.origin}/inbox`,
        await stage.openSignedInContext({ locale: "ar-EG" }),
      );
      await inbox.getByRole("heading", { name: inboxText("inbox", {}, "ar") }).waitFor();
      expect(await inbox.locator("html").getAttribute("dir")).toBe("rtl");
      const counts = inbox.locator(".filters .option", { hasText: /[\u0660-\u0669]$/ });
      await counts.first().waitFor();
      expect(await inbox.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    });

    it("in Arabic the marks of a list of Latin words are on the screen, at its right", async () => {
      const asked = await stage.createRequest({ intent: "Paint the rooms" });
      await asked.appendAsRobot({ status: { code: "claimed" } });
      await asked.appendAsRobot({ status: { code: "partial", completed: ["hall"] } });
      const page = await stage.open((await asked.createLink()).url, { locale: "ar-EG" });

      const item = page.locator("#thread li li", { hasText: "hall" });
      await item.waitFor();
      expect(await item.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
    });

    it.each([
      ["/", "ar-EG", "ar", "rtl"],
      ["/sign-in", "pt-BR", "pt", "ltr"],
      ["/nothing-here", "de-DE", "de", "ltr"],
    ])(
      "%s is in the browser's language %s at 320 pixels",
      async (path, locale, language, direction) => {
        const context = await stage.openContext({ locale, viewport: { width: 320, height: 640 } });
        const page = await context.newPage();
        await page.goto(`${stage.origin}${path}`);

        const found = await page.evaluate(() => {
          const { lang, dir, scrollWidth } = document.documentElement;
          return [lang, dir, scrollWidth - innerWidth];
        });
        expect(found).toEqual([language, direction, 0]);
        expect(await findViolations(page)).toEqual([]);
      },
    );

    it("a name in Arabic script is isolated in an English text", async () => {
      const { config } = await stage.owner.get<{ config: { executors: Record<string, object> } }>(
        "/api/v1/config",
      );
      const robot = config.executors[DEMO_ROBOT_ID];
      const rename = (name: string) =>
        stage.owner.post("/mess", {
          MESS: [{ config: { executors: { [DEMO_ROBOT_ID]: { ...robot, name } } } }],
        });
      await rename("ليلى");
      const asked = await stage.createRequest({ intent: "Air the room" });
      await asked.appendAsRobot({ status: { code: "claimed" } });

      const page = await stage.open((await asked.createLink()).url);

      await page.getByText(t("held_by", { name: "\u2068ليلى\u2069" })).waitFor();
      await rename("Roomba");
    });
  });

  describe("a browser with an unusable time zone", () => {
    it("a browser with an unknown time zone shows the request and the inbox with plain times", async () => {
      const intent = `Look at the sundial ${crypto.randomUUID()}`;
      const asked = await stage.createRequest({ intent, requires: ["check-visual"] });
      await asked.say({ followup: { message: "It is in the shade" } });
      const context = await stage.openContext();
      await context.addInitScript(breakZone);

      const page = await stage.open((await asked.createLink()).url, context);
      await page.getByText("It is in the shade").waitFor();

      const times = page.locator("#thread time");
      expect(await times.first().textContent()).toMatch(/^\d{4}-\d\d-\d\dT/);
      const inbox = await stage.open(`${stage.origin}/inbox`, context);
      await inbox.locator(".row-card", { hasText: intent }).waitFor();
    });
  });
}
