/** The page without a network, with a bad one, and in two tabs. */
import { createHash } from "node:crypto";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sendNow } from "../../../support/respond-setup.ts";
import { answerField } from "../page-controls.ts";
import { t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

/** Resolves once the page can be opened offline. */
const isKept = (page: Page) =>
  page.evaluate(async () => void (await navigator.serviceWorker.ready));

/** Records the registrations of background syncs, since a browser without a profile does not run them. */
const watchSync = (context: BrowserContext) =>
  context.addInitScript(() => {
    const { SyncManager } = globalThis as unknown as { SyncManager: { prototype: object } };
    const tags: string[] = [];
    Object.assign(globalThis, { tags });
    Object.assign(SyncManager.prototype, { register: async (tag: string) => void tags.push(tag) });
  });

const syncTags = (page: Page) =>
  page.evaluate(() => [...new Set((globalThis as unknown as { tags: string[] }).tags)]);

/** The stored draft of the page. */
const readDraft = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const opened = indexedDB.open("mess-respond");
        opened.addEventListener("success", () => {
          const all = opened.result.transaction("drafts").objectStore("drafts").getAll();
          all.addEventListener("success", () => {
            opened.result.close();
            const [kept] = all.result as { text: string; files: unknown[] }[];
            resolve(kept?.files.length === 1 ? kept.text : "");
          });
        });
      }),
  );

export function networks(): void {
  describe("without network", () => {
    it("without a network the page opens with known data, keeps an answer with its photo, and sends it once", async () => {
      const asked = await stage.createRequest({
        intent: "Read the meter",
        context: ["It is in the cellar."],
      });
      const { url, short_url: short } = await asked.createLink();
      const context = await stage.openContext({ serviceWorkers: "allow" });
      const page = await stage.open(short, context);
      await isKept(page);
      expect(url).toContain(asked.ref);
      await context.setOffline(true);

      // Opens the same link again, as a person without reception would.
      await page.goto(short);
      await page.getByText("It is in the cellar.").waitFor();
      await page.locator('[data-hearing="offline"]').waitFor();
      await answerField(page).fill("4711 kWh");
      await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);
      await page.locator("#outbox").getByText(t("queued_offline")).waitFor();
      expect(await asked.listExecutorBlocks()).toEqual([]);

      // Closed and opened again, the answer is still there and not sent.
      await page.reload();
      await page.locator("#outbox").getByText(t("queued_offline")).waitFor();
      await context.setOffline(false);
      await page
        .locator("#outbox")
        .getByText(t("all_done", { name: "claude" }))
        .waitFor();

      const thread = await asked.read();
      expect(thread.envelope.status).toBe("completed");
      expect(thread.attachments).toMatchObject([{ mime: "image/jpeg" }]);
      expect((await asked.listExecutorBlocks()).map((block) => Object.keys(block)[0])).toEqual([
        "response",
        "status",
      ]);
    });

    it("typed text is kept through a reload", async () => {
      const asked = await stage.createRequest({ intent: "Count the chairs" });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      await answerField(page).fill("Eleven, and two that");
      await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
      await page.locator(".tile.image").waitFor();
      // The draft is stored a moment after the last key.
      await expect.poll(() => readDraft(page)).toContain("Eleven, and two that");

      await page.reload();

      await expect.poll(() => answerField(page).inputValue()).toBe("Eleven, and two that");
      await page.locator(".tile.image").waitFor();
    });

    it("an answer beyond a limit is kept with the time of the next attempt, and sent then", async () => {
      const asked = await stage.createRequest({ intent: "Count the forks" });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      const page = await stage.open(url, context);
      const error = { code: "rate_limited", message: "too many", hint: "Wait.", retry_after: 3 };
      let attempts = 0;
      await page.route("**/mess?ref=*", async (route) => {
        attempts += 1;
        if (attempts > 1) return await route.continue();
        await route.fulfill({
          status: 429,
          headers: { "Retry-After": "3", "Content-Type": "application/json" },
          body: JSON.stringify({ error }),
        });
      });
      await answerField(page).fill("Twelve");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);

      await page
        .locator("#outbox")
        .getByText(t("queued_limited", { at: "" }).replace(/[.\s]+$/, ""))
        .waitFor();
      expect(await asked.listExecutorBlocks()).toEqual([]);
      await page
        .locator("#outbox")
        .getByText(t("all_done", { name: "claude" }))
        .waitFor();
      expect(await asked.listExecutorBlocks()).toHaveLength(2);
    });

    it("an answer that comes too late is refused with a reason, and its text is kept", async () => {
      const asked = await stage.createRequest({ intent: "Vacuum the hall" });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      const page = await stage.open(url, context);
      await context.setOffline(true);
      await answerField(page).fill("I did the corners by hand");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);
      await page.locator("#outbox").getByText(t("queued_offline")).waitFor();

      await asked.appendAsRobot({ status: { code: "completed" } });
      await context.setOffline(false);

      await page.locator("#outbox").getByText(t("why_thread_finished")).waitFor();
      await page.locator(".send").getByText("I did the corners by hand").waitFor();
      expect(await asked.listExecutorBlocks()).toEqual([]);
    });
  });

  describe("in the background", () => {
    it("a waiting answer is sent once when the network is back, with no page open", async () => {
      const asked = await stage.createRequest({ intent: "Check the rain barrel" });
      const { url } = await asked.createLink();
      const context = await stage.openContext({ serviceWorkers: "allow" });
      await watchSync(context);
      const page = await stage.open(url, context);
      await isKept(page);
      await context.setOffline(true);
      await answerField(page).fill("Half full");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);
      await page.locator("#outbox").getByText(t("queued_offline")).waitFor();
      await expect.poll(() => syncTags(page)).toEqual(["mess-queue"]);

      // A page without scripts, from which the browser's developer tools are reached.
      const other = await context.newPage();
      const cdp = await context.newCDPSession(other);
      await page.close();
      await context.setOffline(false);
      await other.goto(`${stage.origin}/respond/icon.svg`);
      const registered = new Promise<string>((resolve) => {
        cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
          const id = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId;
          if (id !== undefined) resolve(id);
        });
      });
      await cdp.send("ServiceWorker.enable");
      const registrationId = await registered;
      const sync = { origin: stage.origin, registrationId, tag: "mess-queue", lastChance: false };
      await cdp.send("ServiceWorker.dispatchSyncEvent", sync);

      await asked.until(({ envelope }) => envelope.status === "completed");
      await cdp.send("ServiceWorker.dispatchSyncEvent", sync);
      const again = await stage.open(url, context);
      await again
        .locator("#outbox")
        .getByText(t("all_done", { name: "claude" }))
        .waitFor();
      expect(
        (await asked.listExecutorBlocks()).filter((block) => "response" in block),
      ).toHaveLength(1);
    });
  });

  describe("with a bad network", () => {
    it("an answer whose response was lost is sent again, and counts once", async () => {
      const asked = await stage.createRequest({ intent: "Water the plants" });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      const keys: (string | undefined)[] = [];
      await page.route("**/mess?ref=*", async (route) => {
        keys.push(route.request().headers()["idempotency-key"]);
        if (keys.length > 1) return await route.continue();
        // The request arrives, but its response is lost.
        await route.fetch();
        return await route.abort("connectionreset");
      });

      await answerField(page).fill("All but the cactus");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);
      await page
        .locator("#outbox")
        .getByText(t("all_done", { name: "claude" }))
        .waitFor();

      expect(keys.length).toBe(2);
      expect(new Set(keys).size).toBe(1);
      expect(
        (await asked.listExecutorBlocks()).filter((block) => "response" in block),
      ).toHaveLength(1);
    });

    it("a large file continues where its upload was interrupted", async () => {
      const asked = await stage.createRequest({ intent: "Send the recording" });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      const bytes = Buffer.alloc(12_000_000, "a long recording ");
      const offsets: string[] = [];
      let broken = false;
      await page.route("**/uploads/*", async (route) => {
        const request = route.request();
        if (request.method() !== "PATCH") return await route.continue();
        offsets.push(request.headers()["upload-offset"] ?? "");
        if (offsets.length === 2 && !broken) {
          broken = true;
          return await route.abort("connectionreset");
        }
        return await route.continue();
      });

      await page
        .locator("#pick-file")
        .setInputFiles({ name: "log.bin", mimeType: "application/x-log", buffer: bytes });
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);
      await page.locator(".send progress").waitFor();
      const thread = await asked.until(({ envelope }) => envelope.status === "completed");

      expect(broken).toBe(true);
      // The interrupted part is sent again, the one before it is not.
      expect(offsets.filter((offset) => offset === "0")).toHaveLength(1);
      expect(thread.attachments).toMatchObject([{ size: bytes.length }]);
      const arrived = await asked.readBytes(thread.attachments[0]?.name ?? "");
      expect(createHash("sha256").update(arrived).digest("hex")).toBe(
        createHash("sha256").update(bytes).digest("hex"),
      );
    });

    it("changes arrive by polling if sockets are blocked", async () => {
      const asked = await stage.createRequest({ intent: "Feed the cat" });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      await context.routeWebSocket(/respond\/live/, (socket) => socket.close());
      const page = await stage.open(url, context);

      const polled = page.waitForRequest(/\/wait\?/);
      await polled;
      await asked.say({ followup: { message: "Only half a tin, please" } });

      await page.getByText("Only half a tin, please").waitFor();
    });
  });

  describe("two tabs", () => {
    it("two tabs show the same, and an answer in one of them is sent once", async () => {
      const asked = await stage.createRequest({ intent: "Take the parcel in" });
      const { url } = await asked.createLink();
      const context = await stage.openContext();
      const [one, other] = [await stage.open(url, context), await stage.open(url, context)];

      await one.getByRole("button", { name: t("act_claim") }).click();
      await other.locator('#status[data-status="claimed"]').waitFor();
      await answerField(one).fill("It is in the hall");
      await one.getByRole("button", { name: t("send_answer") }).click();
      // Both tabs have the answer, and both try to send it.
      await other.locator('[data-action="now"]').waitFor();
      await Promise.all([sendNow(one), other.evaluate(() => dispatchEvent(new Event("online")))]);

      await other
        .locator("#outbox")
        .getByText(t("all_done", { name: "claude" }))
        .waitFor();
      expect(
        (await asked.listExecutorBlocks()).filter((block) => "response" in block),
      ).toHaveLength(1);
    });
  });
}
