/** Whose threads the inbox shows: nobody's after signing out, and those of the links of a browser without an account. */
import { describe, expect, it } from "vitest";
import { DEMO_PHONE_ID } from "../../../../../scripts/lib/demo/demo-household.ts";
import { inboxText, t } from "../../../../support/page-texts.ts";
import { stage } from "../../shared-stage.ts";
import { buildName, findRow, group, open, requestLook } from "./inbox-page.ts";

export function inboxAccounts(): void {
  describe("signing out", () => {
    it("signing out leaves nothing of the inbox on the device", async () => {
      const intent = buildName("Secret");
      await requestLook(intent);
      const context = await stage.signIn({ serviceWorkers: "allow" });
      const page = await open(context);
      await findRow(page, intent).waitFor();
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await page.goto(`${stage.origin}/sign-in`);

      const signOut = page.locator('form[action="/sign-out"]');
      await signOut.getByRole("button").click();
      await signOut.waitFor({ state: "detached" });
      await page.locator('form[action="/sign-in"]').waitFor({ state: "attached" });
      await context.setOffline(true);
      await page.goto(`${stage.origin}/inbox`);

      await page.getByText(t("no_network"), { exact: true }).waitFor();
      expect(await findRow(page, intent).count()).toBe(0);
    });
  });

  describe("the page of the account", () => {
    it("the page of the account shows the person by name, and has one main button", async () => {
      const context = await stage.openSignedInContext();
      const page = await stage.open(`${stage.origin}/sign-in`, context);
      await page.locator('[data-passkey="registration"]').waitFor();

      const account = page.locator(".cards li");
      expect(await account.textContent()).toContain("Ann's phone");
      expect(await account.textContent()).not.toContain(DEMO_PHONE_ID);
      expect(await page.locator(".primary:visible").count()).toBe(1);
    });
  });

  describe("the inbox of a browser with links", () => {
    it("the inbox of a browser with links shows their threads, also ended ones, and no others", async () => {
      const [one, two, other] = [buildName("Linked"), buildName("Linked"), buildName("Unlinked")];
      const [first, second] = [await requestLook(one), await requestLook(two)];
      await requestLook(other);
      const context = await stage.openContext();
      await stage.open((await first.createLink()).url, context);
      await stage.open((await second.createLink()).url, context);

      const page = await open(context);
      await findRow(group(page, "open"), one).locator(".take").click();
      await findRow(group(page, "mine"), one).waitFor();
      expect((await first.read()).envelope.executor).toBe(DEMO_PHONE_ID);
      expect(await findRow(page, other).count()).toBe(0);

      await second.say({ cancel: { reason: "Found it" } });
      await page.getByRole("button", { name: inboxText("refresh") }).click();
      await findRow(group(page, "done"), two).getByText(t("status_cancelled")).waitFor();
    });
  });
}
