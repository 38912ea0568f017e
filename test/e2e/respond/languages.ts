/** Browsers whose language or time zone the platform's formatting does not know. */
import { describe, expect, it } from "vitest";
import { stage } from "./shared-stage.ts";

/** What a browser on Linux says where no locale is set; nothing of `Intl` takes it. */
const POSIX = "en-US@posix";

/** Replaces what the browser says of its languages, where its system has a locale all the same. */
const claimTags = (tags: readonly string[]) => {
  Object.defineProperty(navigator, "language", { get: () => tags[0] });
  Object.defineProperty(navigator, "languages", { get: () => tags });
};

/** Lets every formatting in the browser's own zone fail, as an unknown zone does. */
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
      "a browser without a locale shows the request with its times and the inbox where it says $says",
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

  describe("a browser whose time zone cannot be used", () => {
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
