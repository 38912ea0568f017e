/** The console on a phone: an owner asks, follows a task, and decides who has access. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { consoleText as text, t } from "../../../support/page-texts.ts";
import { findViolations } from "../accessibility.ts";
import { sendNow } from "../../../support/respond-setup.ts";
import { answerField } from "../page-controls.ts";
import { stage } from "../shared-stage.ts";

const OWNER = { actor: "mum", role: "owner" } as const;

const openConsole = async (hash: string, member?: typeof OWNER): Promise<Page> =>
  await stage.open(
    `${stage.origin}/console#${hash}`,
    await (member ? stage.signIn({}, member) : stage.openSignedInContext()),
  );

const openTab = (page: Page, name: string) =>
  page
    .getByRole("navigation", { name: text("sections") })
    .getByRole("link", { name: text(name), exact: true })
    .click();

export function consoles(): void {
  describe("the console", () => {
    it("an owner sees who would get a request, sends it, and sees it done without reloading", async () => {
      const intent = `Is the attic window shut? ${crypto.randomUUID()}`;
      const page = await openConsole("tasks", OWNER);

      await openTab(page, "ask");
      await page.getByLabel(text("what_to_do")).fill(intent);
      await page.getByRole("checkbox", { name: "check visual" }).check();
      await page.getByRole("heading", { name: text("who_gets_it") }).waitFor();
      await page.locator(".steps strong").first().waitFor();
      await page.getByRole("button", { name: text("send_request") }).click();
      await page.getByRole("heading", { name: intent }).waitFor();
      await page.locator(".chip", { hasText: t("status_pending") }).waitFor();
      expect(await findViolations(page)).toEqual([]);

      const ref = decodeURIComponent(new URL(page.url()).hash.split("/")[1]!);
      const phone = await stage.open(
        `${stage.origin}/respond?ref=${ref}`,
        await stage.openSignedInContext(),
      );
      await answerField(phone).fill("It is shut.");
      await phone.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(phone);

      await page.locator(".chip", { hasText: t("status_completed") }).waitFor();
      await page.locator(".told").getByText("It is shut.").waitFor();
    });

    it("an owner adds a robot and makes a key, which is shown once and works until it is revoked", async () => {
      const name = `Mower ${crypto.randomUUID().slice(0, 4)}`;
      const page = await openConsole("members", OWNER);

      await page.getByRole("button", { name: text("add_member") }).click();
      await page.getByLabel(text("name")).fill(name);
      await page.getByRole("radio", { name: text("kind_of_machine") }).check();
      await page.getByLabel(text("capabilities")).fill("mow-lawn");
      await page.getByRole("button", { name: text("add"), exact: true }).click();
      await page.getByRole("heading", { name }).waitFor();
      await page.getByRole("button", { name: text("new_key") }).click();
      const key = await page.locator(".secret").innerText();
      const call = () =>
        fetch(`${stage.origin}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
      expect((await call()).status).toBe(200);
      await page.getByRole("button", { name: t("close") }).click();

      await page.getByRole("button", { name: text("remove_member") }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: text("remove_member") })
        .click();
      await page.getByRole("heading", { name: text("members") }).waitFor();

      await expect.poll(async () => (await call()).status).toBe(401);
      expect(await page.getByText(name).count()).toBe(0);
    });

    it("every section of the console can be read by a screen reader, and fits a small phone", async () => {
      const page = await openConsole("more", OWNER);
      await page.setViewportSize({ width: 320, height: 568 });

      for (const section of [
        "start",
        "rules",
        "capabilities",
        "access",
        "schedules",
        "settings",
        "audit",
        "export",
      ]) {
        await page.evaluate((hash) => (location.hash = hash), section);
        await page
          .getByRole("heading", {
            level: 1,
            name: text(section === "capabilities" ? "catalog" : section),
          })
          .waitFor();
        expect(await findViolations(page), section).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, section).toBeLessThanOrEqual(0);
      }
    });

    it("a person who is no owner sees no settings, and a stranger is asked to sign in", async () => {
      const page = await openConsole("more");
      await page.getByRole("heading", { name: text("more") }).waitFor();
      expect(await page.getByRole("link", { name: text("access") }).count()).toBe(0);
      expect(await page.getByRole("link", { name: text("schedules") }).count()).toBe(1);

      const stranger = await stage.open(`${stage.origin}/console`);
      await stranger.getByRole("heading", { name: text("closed") }).waitFor();
      await stranger.getByRole("link", { name: text("sign_in") }).waitFor();
    });
  });
}
