/** Browsers with a language or time zone that `Intl` does not support. */
import { describe, expect, it } from "vitest";
import { stage } from "./shared-stage.ts";

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
