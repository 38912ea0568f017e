/** Photos, recordings and texts that a person shares into the installed app from another one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../../../scripts/lib/exchange/wrangler.ts";
import { inboxText, t } from "../../../../support/page-texts.ts";
import { stage } from "../../shared-stage.ts";

const PHOTO = readFileSync(join(ROOT, "scripts", "assets", "fridge.jpg")).toString("base64");

const MANIFEST = join(ROOT, "public", "inbox", "manifest.webmanifest");
const { share_target: TARGET } = JSON.parse(readFileSync(MANIFEST, "utf8")) as {
  share_target: {
    action: string;
    method: string;
    enctype: string;
    params: { text: string; files: { name: string }[] };
  };
};

interface SharedFile {
  name: string;
  type: string;
  base64: string;
}

/** Opens the inbox with a service worker that controls it, as the installed app has. */
async function openApp(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await stage.openSignedInContext({ serviceWorkers: "allow" });
  const page = await stage.open(`${stage.origin}/inbox`, context);
  await page.locator("html[data-ready]").waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  return { context, page };
}

/** Posts as the operating system does for the manifest's share target. */
async function share(page: Page, { text = "", files = [] as SharedFile[] }): Promise<void> {
  await page.evaluate(
    ({ target, words, all }) => {
      const form = document.createElement("form");
      Object.assign(form, {
        action: target.action,
        method: target.method,
        enctype: target.enctype,
      });
      const add = (name: string) => {
        const input = document.createElement("input");
        input.name = name;
        form.append(input);
        return input;
      };
      add(target.params.text).value = words;
      const input = add(target.params.files[0]!.name);
      Object.assign(input, { type: "file", multiple: true });
      const chosen = new DataTransfer();
      for (const { name, type, base64 } of all)
        chosen.items.add(
          new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name, { type }),
        );
      input.files = chosen.files;
      document.body.append(form);
      form.submit();
    },
    { target: TARGET, words: text, all: files },
  );
  await page.waitForURL(`${stage.origin}/inbox`);
}

const photo = { name: "shelf.jpg", type: "image/jpeg", base64: PHOTO };
const buildIntent = (what: string) => `${what} ${crypto.randomUUID()}`;

export function shares(): void {
  describe("something that is shared into the app", () => {
    it("a photo that is shared offline becomes part of the draft of the chosen request, and is sent by nobody", async () => {
      const intent = buildIntent("Show the shelf");
      const asked = await stage.createRequest({ intent, requires: ["check-visual"] });
      const { context, page } = await openApp();
      await page.getByRole("link", { name: intent }).waitFor();
      await context.setOffline(true);

      await share(page, { text: "The upper one", files: [photo] });
      await page.getByRole("heading", { name: inboxText("share_title") }).waitFor();
      await page.getByText("shelf.jpg").waitFor();
      await page.getByRole("button", { name: intent }).click();

      await page.locator(".tile.image img").waitFor();
      expect(await page.locator("#answer-text").inputValue()).toBe("The upper one");
      await context.setOffline(false);
      await page.reload();
      await page.locator(".tile.image img").waitFor();
      expect(await page.locator(".tile").count()).toBe(1);
      expect(await asked.listExecutorBlocks()).toEqual([]);
      expect((await asked.read()).attachments).toEqual([]);
    });

    it("a share lists claimed requests first, and none that is done or of somebody else", async () => {
      const [offered, claimed, done, foreign] = await Promise.all(
        ["Offered", "Claimed", "Done", "Foreign"].map(async (one) => {
          const intent = buildIntent(one);
          // The robot, which takes the last one, has no eyes.
          const requires = one === "Foreign" ? [] : ["check-visual"];
          return { intent, ...(await stage.createRequest({ intent, requires })) };
        }),
      );
      const { context, page } = await openApp();
      const post = (ref: string, MESS: object[]) =>
        context.request.post(`${stage.origin}/mess?ref=${ref}`, {
          headers: { "X-MESS-Client": "respond" },
          data: { MESS },
        });
      await post(claimed!.ref, [{ status: { code: "claimed" } }]);
      await post(done!.ref, [{ response: { content: ["x"] } }, { status: { code: "completed" } }]);
      await foreign!.appendAsRobot({ status: { code: "claimed" } });
      await page.reload();

      await share(page, { text: "https://example.com/shelf" });

      await page.locator("html[data-ready]").waitFor();
      const listed = await page.locator("#share .row-intent").allTextContents();
      expect(listed.indexOf(claimed!.intent)).toBeGreaterThanOrEqual(0);
      expect(listed.indexOf(claimed!.intent)).toBeLessThan(listed.indexOf(offered!.intent));
      expect(listed).not.toContain(done!.intent);
      expect(listed).not.toContain(foreign!.intent);
      await page.getByRole("button", { name: inboxText("share_drop") }).click();
      await page.getByRole("link", { name: offered!.intent }).waitFor();
      await page.reload();
      await page.locator("html[data-ready]").waitFor();
      expect(await page.locator("#share").isVisible()).toBe(false);
    });

    it("a file of a type that no answer takes is refused with its name, and an empty one too", async () => {
      const { page } = await openApp();

      await share(page, {
        files: [
          { name: "setup.exe", type: "application/x-msdownload", base64: btoa("MZ") },
          { name: "none.pdf", type: "application/pdf", base64: "" },
        ],
      });

      await page.getByRole("heading", { name: inboxText("share_unusable") }).waitFor();
      await page.getByText(inboxText("share_type", { name: "setup.exe" })).waitFor();
      await page.getByText(t("file_empty", { name: "none.pdf" })).waitFor();
      expect(await page.locator("#share .row-intent").count()).toBe(0);
      await page.getByRole("button", { name: t("close") }).click();
      await page.locator("#page").waitFor();
    });

    it("a share that no service worker took leaves nothing and is explained", async () => {
      const context = await stage.openSignedInContext();
      const page = await stage.open(`${stage.origin}/inbox`, context);
      await page.locator("html[data-ready]").waitFor();

      await share(page, { files: [photo] });

      await page.getByText(inboxText("share_failed")).waitFor();
      expect(await page.locator("#share .choice").count()).toBe(0);
      await page.locator("#page").waitFor();
    });

    it("the installed app is named in the person's language", async () => {
      const context = await stage.openSignedInContext({ locale: "ar-EG" });
      const page = await stage.open(`${stage.origin}/inbox`, context);
      await page.locator("html[data-ready]").waitFor();

      const manifest = await page.evaluate(async () => {
        const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
        return await (await fetch(link!.href)).json();
      });

      expect(manifest).toMatchObject({
        id: "/inbox",
        lang: "ar",
        dir: "rtl",
        name: inboxText("app_name", {}, "ar"),
        share_target: { action: "/inbox/share" },
      });
      expect(manifest.shortcuts.map(({ name }: { name: string }) => name)).toEqual(
        ["app_mine", "group_open", "group_waiting"].map((key) => inboxText(key, {}, "ar")),
      );
    });
  });
}
