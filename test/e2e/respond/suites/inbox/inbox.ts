/** The inbox: threads that wait for a person, with and without signing in, online and offline. */
import { DEMO_PHONE_ID } from "../../../../../scripts/lib/demo/demo-household.ts";
import { describe, expect, it } from "vitest";
import { findViolations } from "../../accessibility.ts";
import { inboxPattern, inboxText, t } from "../../../../support/page-texts.ts";
import { stage } from "../../shared-stage.ts";
import { answerField } from "../../page-controls.ts";
import { buildName, findRow, group, open, requestLook } from "./inbox-page.ts";

export function inboxes(): void {
  describe("the inbox of a signed-in person", () => {
    it("the inbox claims with one tap, completes with another that can be undone, and shows new requests", async () => {
      const [light, meter, late] = [buildName("Light"), buildName("Meter"), buildName("Late")];
      const first = await requestLook(light);
      const second = await requestLook(meter, { response_hint: ["image"] });
      const page = await open(await stage.openSignedInContext());

      await findRow(group(page, "open"), light).locator(".take").click();
      await findRow(group(page, "mine"), light).waitFor();
      expect((await first.read()).envelope).toMatchObject({
        status: "claimed",
        executor: DEMO_PHONE_ID,
      });
      // The row moves as soon as the list is loaded, and loses its mark once the version is stored as seen.
      await findRow(page, light)
        .getByText(inboxText("is_new"), { exact: true })
        .waitFor({ state: "detached" });

      await findRow(page, light)
        .getByRole("button", { name: t("act_completed") })
        .click();
      await findRow(page, light)
        .getByRole("button", { name: t("undo") })
        .click();
      await findRow(page, light)
        .getByRole("button", { name: t("act_completed") })
        .waitFor();
      expect((await first.read()).envelope.status).toBe("claimed");
      await findRow(page, light)
        .getByRole("button", { name: t("act_completed") })
        .click();
      // Hiding the page ends the time to undo.
      await page.evaluate(() => {
        Object.defineProperty(document, "hidden", { value: true, configurable: true });
        dispatchEvent(new Event("visibilitychange"));
      });
      await findRow(group(page, "done"), light).waitFor();
      expect((await first.read()).envelope.status).toBe("completed");

      // Actions that need more than a tap open the page of the thread.
      await findRow(page, meter)
        .getByRole("button", { name: t("act_claim") })
        .click();
      await findRow(group(page, "mine"), meter)
        .getByRole("link", { name: t("answer") })
        .waitFor();
      expect(await second.listExecutorBlocks()).toMatchObject([{ status: { code: "claimed" } }]);

      await requestLook(late);
      await findRow(group(page, "open"), late)
        .getByText(inboxText("is_new"), { exact: true })
        .waitFor();
      expect(await page.title()).toMatch(new RegExp(`^\\(\\d+\\) ${inboxText("inbox")}$`));
    });

    it("the inbox opens a request without a link, and marks it as read", async () => {
      const intent = buildName("Balcony");
      const asked = await requestLook(intent);
      const context = await stage.openSignedInContext();
      await context.addInitScript(() => {
        Object.assign(navigator, {
          setAppBadge: async (count: number) => void Object.assign(globalThis, { badge: count }),
        });
      });
      const readBadge = () =>
        page.evaluate(() => (globalThis as unknown as { badge?: number }).badge ?? 0);
      const page = await open(context);
      const unread = await readBadge();
      expect(unread).toBeGreaterThan(0);

      await findRow(page, intent).getByRole("link").click();
      await page.getByRole("heading", { name: intent }).waitFor();
      expect(await page.locator(".asker").textContent()).toContain("claude");
      await answerField(page).fill("All dry");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await page.locator('[data-action="now"]').click();
      await page.locator(".hero").waitFor();
      await page.getByRole("link", { name: t("inbox") }).click();

      await findRow(group(page, "done"), intent).waitFor();
      await expect.poll(readBadge).toBe(unread - 1);
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { response: { content: [{ text: "All dry" }] } },
        { status: { code: "completed" } },
      ]);
      await findRow(page, intent).getByRole("link").click();
      // Links end with their threads; a signed-in person still reads them.
      await page
        .getByRole("region", { name: t("so_far") })
        .getByText("All dry")
        .waitFor();
    });

    it("the inbox searches by text and filters by tab and by new requests", async () => {
      const [cellar, attic] = [buildName("Cellar window"), buildName("Attic window")];
      await requestLook(cellar);
      await requestLook(attic);
      const context = await stage.openSignedInContext();
      const page = await open(context);
      await findRow(page, attic).waitFor();

      await page.getByRole("searchbox").fill(cellar);
      await findRow(page, attic).waitFor({ state: "detached" });
      await findRow(page, cellar).waitFor();
      await page.getByRole("searchbox").fill("nothing of that name");
      await page.getByText(inboxText("nothing_found")).waitFor();
      await page.getByRole("searchbox").fill("");
      await findRow(page, attic).waitFor();

      await page.getByRole("radio", { name: new RegExp(`^${inboxText("tab_waiting")}`) }).check();
      expect(await findRow(page, cellar).count()).toBe(0);
      await page.getByRole("radio", { name: new RegExp(`^${inboxText("show_all")}`) }).check();
      await findRow(page, cellar).getByRole("link").click();
      await page.getByRole("heading", { name: cellar }).waitFor();
      await page.goBack();
      await findRow(page, cellar).waitFor();
      await page.getByRole("checkbox", { name: inboxText("new_only") }).check();
      await findRow(page, cellar).waitFor({ state: "detached" });
      await findRow(page, attic).waitFor();
    });

    it("the inbox keeps a search and a tap that came before its texts were loaded", async () => {
      const [cellar, attic] = [buildName("Cellar stairs"), buildName("Attic stairs")];
      await requestLook(cellar);
      await requestLook(attic);
      const context = await stage.openSignedInContext({ locale: "de-DE" });
      const texts = Promise.withResolvers<void>();
      await context.route("**/inbox/lang/de.js", async (route) => {
        await texts.promise;
        await route.continue();
      });
      const page = await stage.open(`${stage.origin}/inbox`, context);
      const isAsked = page.waitForRequest("**/inbox/lang/de.js");
      await page.reload();
      await isAsked;

      await page.locator("#q").fill(cellar);
      await page.locator("#settings").click();
      texts.resolve();

      const sheet = page.getByRole("dialog", { name: t("settings", {}, "de") });
      await sheet.getByRole("button", { name: t("close", {}, "de") }).click();
      await findRow(page, cellar).waitFor();
      await findRow(page, attic).waitFor({ state: "detached" });
    });

    it("the inbox ignores a search result that arrives after the search was cleared", async () => {
      const [cellar, attic, loft] = [
        buildName("Cellar door"),
        buildName("Attic door"),
        "Loft door",
      ];
      await requestLook(cellar);
      await requestLook(attic);
      const context = await stage.openSignedInContext();
      const page = await open(context);
      await page.getByRole("searchbox").fill(cellar);
      await findRow(page, attic).waitFor({ state: "detached" });
      const response = Promise.withResolvers<void>();
      await page.route(/threads\?q=/, async (route) => {
        await response.promise;
        await route.continue();
      });
      const isAsked = page.waitForRequest(/threads\?q=/);
      await page.locator("#refresh").click();
      await isAsked;

      await page.getByRole("searchbox").fill("");
      await findRow(page, attic).waitFor();
      const isAnswered = page.waitForResponse(/threads\?q=/);
      response.resolve();
      await isAnswered;
      await requestLook(loft);

      await findRow(page, loft).waitFor();
      await findRow(page, attic).waitFor();
    });

    it("the inbox opens offline, and sends a tap once when the network is back", async () => {
      const intent = buildName("Boiler");
      const asked = await requestLook(intent);
      const context = await stage.openSignedInContext({ serviceWorkers: "allow" });
      const page = await open(context);
      await findRow(page, intent).waitFor();
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await context.setOffline(true);

      await page.reload();
      await page.getByText(inboxPattern("offline_since")).waitFor();
      await findRow(page, intent).locator(".take").click();
      await findRow(page, intent).getByText(t("queued_offline")).waitFor();
      // The page was loaded in advance.
      await findRow(page, intent).getByRole("link").click();
      await page.getByRole("heading", { name: intent }).waitFor();
      await page.goBack();
      await findRow(page, intent).waitFor();
      expect(await asked.listExecutorBlocks()).toEqual([]);
      await context.setOffline(false);

      await findRow(group(page, "mine"), intent).waitFor();
      expect(await asked.listExecutorBlocks()).toMatchObject([{ status: { code: "claimed" } }]);
    });

    it("the inbox says that a claim was too late although the request is no longer listed", async () => {
      const intent = buildName("Parcel");
      const asked = await stage.createRequest({ intent });
      const context = await stage.openSignedInContext();
      const page = await open(context);
      await findRow(page, intent).waitFor();
      await context.setOffline(true);
      await findRow(page, intent).locator(".take").click();
      await findRow(page, intent).getByText(t("queued_offline")).waitFor();

      await asked.appendAsRobot({ status: { code: "claimed" } });
      await context.setOffline(false);

      const lost = page.locator("#lost");
      await lost.getByRole("link", { name: intent }).waitFor();
      await lost.getByText(t("why_already_claimed")).waitFor();
      await findRow(page, intent).waitFor({ state: "detached" });
      await lost.getByRole("button", { name: t("close") }).click();
      await lost.waitFor({ state: "hidden" });
    });

    it("the inbox says that its list is incomplete while the index is unavailable, and keeps the known threads", async () => {
      const intent = buildName("Garage");
      await requestLook(intent);
      const context = await stage.openSignedInContext();
      const page = await open(context);
      await findRow(page, intent).waitFor();
      await context.route("**/inbox/threads*", async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as object;
        await route.fulfill({ response, json: { ...body, threads: [], complete: false } });
      });

      await page.getByRole("button", { name: inboxText("refresh") }).click();
      await page.getByText(inboxText("index_away")).waitFor();
      await findRow(page, intent).waitFor();
      await context.unrouteAll();
      await page.getByRole("button", { name: t("try_again") }).click();

      await page.getByText(inboxText("index_away")).waitFor({ state: "hidden" });
      await findRow(page, intent).waitFor();
    });

    it("the inbox loads new requests when it is pulled down", async () => {
      const intent = buildName("Pulled");
      const context = await stage.openSignedInContext();
      await context.routeWebSocket(/inbox\/live/, (socket) => socket.close());
      const page = await open(context);
      await page.locator("#groups > *").first().waitFor();
      await requestLook(intent);
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
          return await findRow(page, intent).count();
        })
        .toBe(1);
    });

    it("the inbox is usable by keyboard at 320 pixels, and axe finds nothing serious", async () => {
      const intent = buildName("Keyboard");
      const asked = await requestLook(intent, {
        priority: "urgent",
        needed_by: "2099-01-01T10:00:00Z",
      });
      const found: Record<string, string[]> = {};
      const context = await stage.openSignedInContext({
        viewport: { width: 320, height: 640 },
        isMobile: false,
        hasTouch: false,
      });
      const page = await open(context);
      await findRow(page, intent).waitFor();
      found["light"] = await findViolations(page);
      await page.emulateMedia({ colorScheme: "dark" });
      found["dark"] = await findViolations(page);
      await page.evaluate(() => (document.documentElement.dataset["size"] = "larger"));
      const measureScrollWidth = () =>
        page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const wide = [await measureScrollWidth()];
      await page.evaluate(() => (document.documentElement.dir = "rtl"));
      wide.push(await measureScrollWidth());
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

      const readFocusedText = () =>
        page.evaluate(
          () =>
            document.activeElement?.getAttribute("aria-label") ??
            document.activeElement?.textContent ??
            "",
        );
      await page.keyboard.press("Tab");
      expect(await readFocusedText()).toBe(inboxText("skip"));
      await page.keyboard.press("Enter");
      for (let n = 0; n < 60 && (await readFocusedText()) !== `${t("act_claim")}: ${intent}`; n++)
        await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await findRow(group(page, "mine"), intent).waitFor();
      expect((await asked.read()).envelope.executor).toBe(DEMO_PHONE_ID);

      await findRow(page, intent)
        .getByRole("button", { name: t("act_completed") })
        .focus();
      await page.keyboard.press("Enter");
      await expect.poll(readFocusedText).toBe(t("undo"));
      found["undo"] = await findViolations(page);
      await page.keyboard.press("Enter");
      await expect.poll(readFocusedText).toBe(`${t("act_completed")}: ${intent}`);
      await page.getByRole("button", { name: t("settings") }).click();
      await page.getByRole("dialog", { name: t("settings") }).waitFor();
      found["settings"] = await findViolations(page);
      await page.keyboard.press("Escape");
      await context.clearCookies();
      await page.reload();
      await page.getByRole("link", { name: inboxText("sign_in") }).waitFor();
      found["closed"] = await findViolations(page);

      expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
      expect(Object.keys(found)).toHaveLength(5);
    });

    it("the inbox can be installed, in the browser's language", async () => {
      const context = await stage.openSignedInContext({ serviceWorkers: "allow", locale: "de-DE" });
      const page = await open(context);
      await page.getByRole("heading", { name: inboxText("inbox", {}, "de") }).waitFor();
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
}
