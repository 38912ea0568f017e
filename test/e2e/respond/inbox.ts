/** The inbox: what waits for a person, with and without signing in, with and without network. */
import { DEMO_PHONE_ID } from "../../../scripts/lib/demo-household.ts";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsOf } from "./accessibility.ts";
import { stage } from "./shared-stage.ts";
import { answerField } from "./page-controls.ts";

async function open(context: BrowserContext): Promise<Page> {
  const page = await stage.open(`${stage.origin}/inbox`, context);
  await page.locator("html[data-ready]").waitFor();
  return page;
}

const group = (page: Page, name: string) => page.locator(`[data-group="${name}"]`);
const row = (within: Page | Locator, intent: string) =>
  within.locator(".row-card", { hasText: intent });

/** Intents of one test, which others do not find. */
let made = 0;
const named = (intent: string) => `${intent} ${(made += 1)}`;

const look = (intent: string, more: object = {}) =>
  stage.ask({ intent, requires: ["check-visual"], ...more });

export function inboxes(): void {
  describe("the inbox of who is signed in", () => {
    it("takes with one tap, finishes with another that can be taken back, and hears of what comes", async () => {
      const [light, meter, late] = [named("Light"), named("Meter"), named("Late")];
      const first = await look(light);
      const second = await look(meter, { response_hint: ["image"] });
      const page = await open(await stage.signedIn());

      await row(group(page, "open"), light).getByRole("button").click();
      await row(group(page, "mine"), light).waitFor();
      expect((await first.read()).envelope).toMatchObject({
        status: "claimed",
        executor: DEMO_PHONE_ID,
      });
      expect(await row(page, light).getByText("New", { exact: true }).count()).toBe(0);

      await row(page, light).getByRole("button", { name: "Done" }).click();
      await row(page, light).getByRole("button", { name: "Undo" }).click();
      await row(page, light).getByRole("button", { name: "Done" }).waitFor();
      expect((await first.read()).envelope.status).toBe("claimed");
      await row(page, light).getByRole("button", { name: "Done" }).click();
      // Who puts the phone away has thought long enough.
      await page.evaluate(() => {
        Object.defineProperty(document, "hidden", { value: true, configurable: true });
        dispatchEvent(new Event("visibilitychange"));
      });
      await row(group(page, "done"), light).waitFor();
      expect((await first.read()).envelope.status).toBe("completed");

      // What asks for more than a tap leads to its page.
      await row(page, meter).getByRole("button", { name: "I’ll do it" }).click();
      await row(group(page, "mine"), meter).getByRole("link", { name: "Answer" }).waitFor();
      expect(await second.said()).toMatchObject([{ status: { code: "claimed" } }]);

      await look(late);
      await row(group(page, "open"), late).getByText("New", { exact: true }).waitFor();
      expect(await page.title()).toMatch(/^\(\d+\) Inbox$/);
    });

    it("leads to a request without a link, and knows it as read afterwards", async () => {
      const intent = named("Balcony");
      const asked = await look(intent);
      const context = await stage.signedIn();
      await context.addInitScript(() => {
        Object.assign(navigator, {
          setAppBadge: async (count: number) => void Object.assign(globalThis, { badge: count }),
        });
      });
      const badge = () =>
        page.evaluate(() => (globalThis as unknown as { badge?: number }).badge ?? 0);
      const page = await open(context);
      const unread = await badge();
      expect(unread).toBeGreaterThan(0);

      await row(page, intent).getByRole("link").click();
      await page.getByRole("heading", { name: intent }).waitFor();
      expect(await page.locator(".asker").textContent()).toContain("claude");
      await answerField(page).fill("All dry");
      await page.getByRole("button", { name: "Send answer" }).click();
      await page.locator('[data-does="now"]').click();
      await page.locator(".hero").waitFor();
      await page.getByRole("link", { name: "Inbox" }).click();

      await row(group(page, "done"), intent).waitFor();
      await expect.poll(badge).toBe(unread - 1);
      expect(await asked.said()).toMatchObject([
        { response: { content: [{ text: "All dry" }] } },
        { status: { code: "completed" } },
      ]);
      await row(page, intent).getByRole("link").click();
      // Links die with their threads; who is signed in still reads them.
      await page.getByRole("region", { name: "So far" }).getByText("All dry").waitFor();
    });

    it("finds by words, and shows what is asked for", async () => {
      const [cellar, attic] = [named("Cellar window"), named("Attic window")];
      await look(cellar);
      await look(attic);
      const context = await stage.signedIn();
      const page = await open(context);
      await row(page, attic).waitFor();

      await page.getByRole("searchbox").fill(cellar);
      await row(page, attic).waitFor({ state: "detached" });
      await row(page, cellar).waitFor();
      await page.getByRole("searchbox").fill("nothing of that name");
      await page.getByText("Nothing found.").waitFor();
      await page.getByRole("searchbox").fill("");
      await row(page, attic).waitFor();

      await page.getByRole("radio", { name: /^Waiting/ }).check();
      expect(await row(page, cellar).count()).toBe(0);
      await page.getByRole("radio", { name: /^All/ }).check();
      await row(page, cellar).getByRole("link").click();
      await page.getByRole("heading", { name: cellar }).waitFor();
      await page.goBack();
      await row(page, cellar).waitFor();
      await page.getByRole("checkbox", { name: "Only new" }).check();
      await row(page, cellar).waitFor({ state: "detached" });
      await row(page, attic).waitFor();
    });

    it("opens with what was last known without network, and says once what was tapped there", async () => {
      const intent = named("Boiler");
      const asked = await look(intent);
      const context = await stage.signedIn({ serviceWorkers: "allow" });
      const page = await open(context);
      await row(page, intent).waitFor();
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await context.setOffline(true);

      await page.reload();
      await page.getByText("You’re offline. Last updated").waitFor();
      await row(page, intent).getByRole("button").click();
      await row(page, intent).getByText("Saved on this device.").waitFor();
      // Its page was fetched beforehand.
      await row(page, intent).getByRole("link").click();
      await page.getByRole("heading", { name: intent }).waitFor();
      await page.goBack();
      await row(page, intent).waitFor();
      expect(await asked.said()).toEqual([]);
      await context.setOffline(false);

      await row(group(page, "mine"), intent).waitFor();
      expect(await asked.said()).toMatchObject([{ status: { code: "claimed" } }]);
    });

    it("tells who was too late, though the request is listed no more", async () => {
      const intent = named("Parcel");
      const asked = await stage.ask({ intent });
      const context = await stage.signedIn();
      const page = await open(context);
      await row(page, intent).waitFor();
      await context.setOffline(true);
      await row(page, intent).getByRole("button").click();
      await row(page, intent).getByText("Saved on this device.").waitFor();

      await asked.robotSays({ status: { code: "claimed" } });
      await context.setOffline(false);

      const lost = page.locator("#lost");
      await lost.getByRole("link", { name: intent }).waitFor();
      await lost.getByText("Someone else has already taken it.").waitFor();
      await row(page, intent).waitFor({ state: "detached" });
      await lost.getByRole("button", { name: "Close" }).click();
      await lost.waitFor({ state: "hidden" });
    });

    it("says that the list is not complete while the index is away, and keeps what it knew", async () => {
      const intent = named("Garage");
      await look(intent);
      const context = await stage.signedIn();
      const page = await open(context);
      await row(page, intent).waitFor();
      await context.route("**/inbox/threads*", async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as object;
        await route.fulfill({ response, json: { ...body, threads: [], complete: false } });
      });

      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByText("This list may be incomplete").waitFor();
      await row(page, intent).waitFor();
      await context.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();

      await page.getByText("This list may be incomplete").waitFor({ state: "hidden" });
      await row(page, intent).waitFor();
    });

    it("looks for news when it is pulled down", async () => {
      const intent = named("Pulled");
      const context = await stage.signedIn();
      await context.routeWebSocket(/inbox\/live/, (socket) => socket.close());
      const page = await open(context);
      await page.locator("#groups > *").first().waitFor();
      await look(intent);
      const cdp = await context.newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", y?: number) =>
        cdp.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: y === undefined ? [] : [{ x: 200, y }],
        });

      await expect
        .poll(async () => {
          await touch("touchStart", 60);
          for (const y of [90, 130, 180, 240]) await touch("touchMove", y);
          await touch("touchEnd");
          return await row(page, intent).count();
        })
        .toBe(1);
    });

    it("is usable by keyboard alone, on 320 pixels, and nothing in it troubles axe", async () => {
      const intent = named("Keyboard");
      const asked = await look(intent, { priority: "urgent", needed_by: "2099-01-01T10:00:00Z" });
      const found: Record<string, string[]> = {};
      const context = await stage.signedIn({
        viewport: { width: 320, height: 640 },
        isMobile: false,
        hasTouch: false,
      });
      const page = await open(context);
      await row(page, intent).waitFor();
      found["light"] = await faultsOf(page);
      await page.emulateMedia({ colorScheme: "dark" });
      found["dark"] = await faultsOf(page);
      await page.evaluate(() => (document.documentElement.dataset["size"] = "larger"));
      const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const wide = [await sideways()];
      await page.evaluate(() => (document.documentElement.dir = "rtl"));
      wide.push(await sideways());
      await page.evaluate(() => (document.documentElement.dir = "ltr"));
      const small = await page
        .locator("button, .row-act, input[type=search], .option")
        .evaluateAll((all) =>
          all
            .filter((one) => one.checkVisibility())
            .map((one) => ({ box: one.getBoundingClientRect(), html: one.outerHTML }))
            .filter(({ box }) => box.height < 43.9 || box.width < 43.9)
            .map(({ html }) => html.slice(0, 90)),
        );
      expect([wide, small]).toEqual([[0, 0], []]);

      const focused = () =>
        page.evaluate(
          () =>
            document.activeElement?.getAttribute("aria-label") ??
            document.activeElement?.textContent ??
            "",
        );
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("Skip to the requests");
      await page.keyboard.press("Enter");
      for (let n = 0; n < 60 && (await focused()) !== `I’ll do it: ${intent}`; n++)
        await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await row(group(page, "mine"), intent).waitFor();
      expect((await asked.read()).envelope.executor).toBe(DEMO_PHONE_ID);

      await row(page, intent).getByRole("button", { name: "Done" }).focus();
      await page.keyboard.press("Enter");
      await expect.poll(focused).toBe("Undo");
      found["undo"] = await faultsOf(page);
      await page.keyboard.press("Enter");
      await expect.poll(focused).toBe(`Done: ${intent}`);
      await page.getByRole("button", { name: "Settings" }).click();
      await page.getByRole("dialog", { name: "Settings" }).waitFor();
      found["settings"] = await faultsOf(page);
      await page.keyboard.press("Escape");
      await context.clearCookies();
      await page.reload();
      await page.getByRole("link", { name: "Sign in" }).waitFor();
      found["closed"] = await faultsOf(page);

      expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
      expect(Object.keys(found)).toHaveLength(5);
    });

    it("can be installed", async () => {
      const context = await stage.signedIn({ serviceWorkers: "allow", locale: "de-DE" });
      const page = await open(context);
      await page.getByRole("heading", { name: "Eingang" }).waitFor();
      const cdp = await context.newCDPSession(page);

      const { data = "", errors } = await cdp.send("Page.getAppManifest");
      expect(errors).toEqual([]);
      const { icons, start_url } = JSON.parse(data) as {
        icons: { src: string; sizes: string; purpose?: string }[];
        start_url: string;
      };
      expect(start_url).toBe("/inbox");
      expect(icons.some(({ purpose }) => purpose === "maskable")).toBe(true);
      for (const { src, sizes } of icons.filter(({ sizes }) => sizes !== "any")) {
        const size = await page.evaluate(async (address) => {
          const bitmap = await createImageBitmap(await (await fetch(address)).blob());
          return `${bitmap.width}x${bitmap.height}`;
        }, src);
        expect(size).toBe(sizes);
      }
    });
  });

  describe("signing out", () => {
    it("leaves nothing of the inbox on the device", async () => {
      const intent = named("Secret");
      await look(intent);
      const context = await stage.signIn({ serviceWorkers: "allow" });
      const page = await open(context);
      await row(page, intent).waitFor();
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await page.goto(`${stage.origin}/sign-in`);

      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await context.setOffline(true);
      await page.goto(`${stage.origin}/inbox`);

      await page.getByText("You’re offline", { exact: true }).waitFor();
      expect(await row(page, intent).count()).toBe(0);
    });
  });

  describe("the inbox of who has links", () => {
    it("shows their threads, the ended ones too, and none of the household's others", async () => {
      const [one, two, other] = [named("Linked"), named("Linked"), named("Unlinked")];
      const [first, second] = [await look(one), await look(two)];
      await look(other);
      const context = await stage.context();
      await stage.open((await first.link()).url, context);
      await stage.open((await second.link()).url, context);

      const page = await open(context);
      await row(group(page, "open"), one).getByRole("button").click();
      await row(group(page, "mine"), one).waitFor();
      expect((await first.read()).envelope.executor).toBe(DEMO_PHONE_ID);
      expect(await row(page, other).count()).toBe(0);

      await second.say({ cancel: { reason: "Found it" } });
      await page.getByRole("button", { name: "Refresh" }).click();
      await row(group(page, "done"), two).getByText("Cancelled").waitFor();
    });
  });
}
