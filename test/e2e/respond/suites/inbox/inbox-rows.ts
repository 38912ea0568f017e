/** Rows of the inbox: their order, age, answers and actions, and the account. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { DEMO_PHONE_ID } from "../../../../../scripts/lib/demo/demo-household.ts";
import { inboxPattern, inboxText, t } from "../../../../support/page-texts.ts";
import { stage } from "../../shared-stage.ts";

const openInbox = async (): Promise<Page> => {
  const context = await stage.openSignedInContext();
  const page = await stage.open(`${stage.origin}/inbox`, context);
  await page.locator("html[data-ready]").waitFor();
  return page;
};

const findRow = (page: Page, intent: string) => page.locator(".row-card", { hasText: intent });

const requestLook = (intent: string, more: object = {}) =>
  stage.createRequest({ intent, requires: ["check-visual"], ...more });

const afterMs = (ms: number) => new Date(Date.now() + ms).toISOString();

export function inboxRows(): void {
  describe("the inbox of a small phone", () => {
    it("an inbox without requests offers no search and no filters, and shows both with the first request", async () => {
      const intent = `Beat the carpet ${crypto.randomUUID()}`;
      await requestLook(intent);
      const context = await stage.openSignedInContext({ viewport: { width: 320, height: 640 } });
      await context.route("**/inbox/threads*", async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as object;
        await route.fulfill({ response, json: { ...body, threads: [] } });
      });
      const page = await stage.open(`${stage.origin}/inbox`, context);
      await page.getByText(inboxText("nothing")).waitFor();
      expect([
        await page.getByRole("search").isVisible(),
        await page.locator("#filters").isVisible(),
      ]).toEqual([false, false]);

      await context.unrouteAll();
      await page.getByRole("button", { name: inboxText("refresh") }).click();
      await findRow(page, intent).waitFor();
      await page.getByRole("search").waitFor();
      // Each kind of filter is one line.
      const lines = await page
        .locator(".filters .options")
        .evaluateAll((all) =>
          all.map(
            (one) =>
              new Set([...one.children].map((option) => option.getBoundingClientRect().top)).size,
          ),
        );
      expect(lines).toEqual([1, 1]);
    });

    it("in Arabic a row with a Latin text begins on the right", async () => {
      const intent = `Oil it ${Date.now()}`;
      await requestLook(intent);
      const context = await stage.openSignedInContext({ locale: "ar-EG" });
      const page = await stage.open(`${stage.origin}/inbox`, context);

      const link = await findRow(page, intent).locator(".row-link").boundingBox();
      const text = await findRow(page, intent).locator(".row-text").boundingBox();
      const rightOf = (box: typeof link) => Math.round((box?.x ?? 0) + (box?.width ?? 0));
      expect(rightOf(link)).toBe(rightOf(text));
      expect(link?.width).toBeLessThan(text?.width ?? 0);
    });
  });

  describe("a row of the inbox", () => {
    it("a request is declined in its row, which can be undone, and then leaves the open ones", async () => {
      const intent = `Sweep the stairs ${crypto.randomUUID()}`;
      const asked = await requestLook(intent);
      const page = await openInbox();
      const row = findRow(page, intent);

      await row.locator('[data-action="decline"]').click();
      await row.getByRole("button", { name: t("undo") }).click();
      await row.locator('[data-action="claim"]').waitFor();
      expect(await asked.listExecutorBlocks()).toEqual([]);
      await row.locator('[data-action="decline"]').click();
      await page.evaluate(() => {
        Object.defineProperty(document, "hidden", { value: true, configurable: true });
        dispatchEvent(new Event("visibilitychange"));
      });

      await row.waitFor({ state: "detached" });
      expect(await asked.listExecutorBlocks()).toMatchObject([{ status: { code: "declined" } }]);
      await page.reload();
      await page.locator("html[data-ready]").waitFor();
      expect(await findRow(page, intent).count()).toBe(0);
    });

    it("rows are ordered by priority or by deadline, and show the age of the request", async () => {
      const mark = crypto.randomUUID();
      const calm = await requestLook(`Calm ${mark}`, { needed_by: afterMs(3_600_000) });
      await requestLook(`Pressing ${mark}`, { priority: "urgent", needed_by: afterMs(9_000_000) });
      await requestLook(`Someday ${mark}`);
      await calm.say({ followup: { message: "No hurry" } });
      const page = await openInbox();
      const readOrder = async () =>
        (await findRow(page, mark).locator(".row-link").allTextContents()).map(
          (intent) => intent.split(" ")[0],
        );

      await expect.poll(readOrder).toEqual(["Pressing", "Calm", "Someday"]);
      await page.getByRole("radio", { name: inboxText("sort_due") }).check();
      expect(await readOrder()).toEqual(["Calm", "Pressing", "Someday"]);
      const { created } = (await calm.read()).envelope as unknown as { created: string };
      expect(await findRow(page, "Calm").locator("time").first().getAttribute("datetime")).toBe(
        created,
      );
    });

    it("an open request shows the names of its PDFs", async () => {
      const intent = `Check the offer ${crypto.randomUUID()}`;
      const data = Buffer.alloc(20_000, "%PDF-1.4 ").toString("base64");
      const uri = `data:application/pdf;base64,${data}`;
      await requestLook(intent, { context: [{ file: { uri, name: "offer.pdf" } }] });

      const page = await openInbox();

      await findRow(page, intent).locator(".chip", { hasText: "offer.pdf" }).waitFor();
    });

    it("a done request shows the person's answer", async () => {
      const intent = `Count the keys ${crypto.randomUUID()}`;
      const { ref } = await requestLook(intent);
      const context = await stage.openSignedInContext();
      const uri = "https://example.com/keys.pdf";
      await context.request.post(`${stage.origin}/mess?ref=${ref}`, {
        headers: { "X-MESS-Client": "respond" },
        data: {
          MESS: [
            { response: { content: ["**Seven** keys", { file: { uri, name: "keys.pdf" } }] } },
            { status: { code: "completed" } },
          ],
        },
      });
      const page = await openInbox();

      await findRow(page, intent)
        .getByText(inboxText("answer_was", { text: "Seven keys, keys.pdf" }))
        .waitFor();
    });
  });

  describe("the frame of the inbox", () => {
    it("a shortcut of the installed app opens its group", async () => {
      const context = await stage.openSignedInContext();
      const page = await stage.open(`${stage.origin}/inbox`, context);
      const manifest = await page.evaluate(async () =>
        (await fetch("/inbox/manifest.webmanifest")).json(),
      );
      const urls = manifest.shortcuts.map(({ url }: { url: string }) => url);
      expect(urls).toEqual(["/inbox?group=mine", "/inbox?group=open", "/inbox?group=waiting"]);

      await page.goto(`${stage.origin}${urls[0]}`);

      await page.locator("html[data-ready]").waitFor();
      const mine = page.getByRole("radio", { name: inboxText("group_mine") });
      expect(await mine.isChecked()).toBe(true);
    });

    it("every filter of the inbox is on the screen of a phone", async () => {
      await requestLook(`Look around ${crypto.randomUUID()}`);
      const page = await openInbox();
      const filters = page.locator("#filters .option");
      await filters.first().waitFor();

      const outside = await filters.evaluateAll((all) =>
        all.filter((one) => {
          const { left, right } = one.getBoundingClientRect();
          return left < 0 || right > innerWidth;
        }),
      );
      expect(outside).toEqual([]);
    });

    it("a person silences notifications, sets quiet hours and comes back, in their own name", async () => {
      const page = await openInbox();
      await page.getByRole("button", { name: t("settings") }).click();
      const section = page.locator('[data-section="availability"]');
      const press = (name: "snooze_day" | "quiet_on" | "quiet_off" | "be_here") =>
        section.getByRole("button", { name: inboxText(name) }).click();

      await section.getByLabel(inboxText("quiet_from")).fill("21:30");
      await press("quiet_on");
      await section.getByRole("button", { name: inboxText("quiet_off") }).waitFor();
      const readQuietHours = async () =>
        (
          await stage.owner.get<{
            config: { executors: Record<string, { quiet_hours?: string }> };
          }>("/api/v1/config")
        ).config.executors[DEMO_PHONE_ID]?.quiet_hours;
      expect(await readQuietHours()).toBe("21:30-07:00");
      await press("quiet_off");
      await section.getByRole("button", { name: inboxText("quiet_on") }).waitFor();
      expect(await readQuietHours()).toBeUndefined();
      await press("snooze_day");
      await section.getByText(inboxPattern("is_snoozed")).waitFor();
      await page.keyboard.press("Escape");

      await page.reload();
      const banner = page.locator('[data-availability="snoozed"]');
      await banner.getByText(inboxPattern("is_snoozed")).waitFor();
      await banner.getByRole("button", { name: inboxText("be_here") }).click();
      await banner.waitFor({ state: "hidden" });
      const { presence } = await stage.owner.get<{ presence: { state: string }[] }>(
        "/api/v1/presence",
      );
      expect(presence.filter(({ state }) => state !== "here")).toEqual([]);
    });

    it("the settings of the inbox name the account and lead to the sign-out", async () => {
      const page = await openInbox();
      await page.getByRole("button", { name: t("settings") }).click();

      const account = page.locator('[data-section="account"]');
      await account.getByText(inboxPattern("signed_in_as", { name: "Ann's phone" })).waitFor();
      await account.getByRole("link", { name: inboxText("sign_out") }).click();
      await page.locator('form[action="/sign-out"]').waitFor();
    });
  });
}
