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
async function openApp(
  signedIn = stage.openSignedInContext({ serviceWorkers: "allow" }),
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await signedIn;
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
  await page.waitForURL((url) => url.pathname === "/inbox");
}

const photo = { name: "shelf.jpg", type: "image/jpeg", base64: PHOTO };
/**
 * Reads the share that the device keeps, and replaces parts of it.
 * @returns the text and the names of the files before the change; undefined if there is no share
 */
const readStored = (
  page: Page,
  change: object = {},
): Promise<{ text: string; files: string[] } | undefined> =>
  page.evaluate(
    (changes) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("mess-respond");
        opening.addEventListener("error", () => reject(opening.error!));
        opening.addEventListener("success", () => {
          const transaction = opening.result.transaction("inbox", "readwrite");
          const store = transaction.objectStore("inbox");
          const reading = store.get("shared");
          reading.addEventListener("success", () => {
            if (reading.result) store.put({ ...reading.result, ...changes }, "shared");
          });
          transaction.addEventListener("complete", () => {
            opening.result.close();
            const { text, files } = reading.result ?? {};
            const names = (files ?? []).map((file: File) => file.name);
            resolve(reading.result && { text, files: names });
          });
        });
      }),
    change,
  );

/** Waits until the share that the page keeps is gone. */
const waitUntilDropped = (page: Page): Promise<void> =>
  expect.poll(() => readStored(page), { timeout: 10_000 }).toBeUndefined();

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
      await page.locator(".choice", { hasText: intent }).click();

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

    it("a share of another account is dropped by the inbox, and not added to a draft", async () => {
      const intent = buildIntent("Show the private shelf");
      const asked = await stage.createRequest({ intent, requires: ["check-visual"] });
      const { context, page } = await openApp();
      await page.getByRole("link", { name: intent }).waitFor();
      await share(page, { text: "Private words", files: [photo] });
      await page.locator(".choice", { hasText: intent }).waitFor();
      const [first] = (await (await context.request.get(`${stage.origin}/inbox/threads`)).json())
        .households;
      const { session } = first as { session: string };
      const other = { accounts: [`somebody-else@${session}`] };
      await readStored(page, { ...other, chosen: `${asked.ref}@${session}` });

      const thread = await stage.open(
        `${stage.origin}/respond?ref=${asked.ref}&session=${session}`,
        context,
      );
      await waitUntilDropped(thread);

      expect(await thread.locator("#answer-text").inputValue()).toBe("");
      expect(await thread.locator(".tile").count()).toBe(0);
      await share(page, { text: "More private words" });
      await page.getByText("More private words").waitFor();
      await readStored(page, other);
      await page.reload();
      await waitUntilDropped(page);
      await page.locator("html[data-ready]").waitFor();
      expect(await page.locator("#share").isVisible()).toBe(false);
    });

    it("a share is forgotten when the session has ended, and none is taken until the inbox is opened", async () => {
      const { context, page } = await openApp();
      await share(page, { text: "Before the end" });
      await page.getByText("Before the end").waitFor();

      await context.clearCookies();
      await page.reload();
      await page.getByText(inboxText("closed_how")).waitFor();
      await waitUntilDropped(page);

      expect(await page.locator("#share").isVisible()).toBe(false);
      await share(page, { text: "After the end" });
      await page.getByText(inboxText("share_signed_out")).waitFor();
      expect(await readStored(page)).toBeUndefined();
    });

    it("a form of another website shares nothing into the inbox", async () => {
      const { context, page } = await openApp();
      await context.route("http://other.test/", (route) =>
        route.fulfill({
          contentType: "text/html",
          body: `<form method="post" enctype="multipart/form-data" action="${stage.origin}${TARGET.action}"><input name="text" value="Foreign words"></form><script>document.forms[0].submit()</script>`,
        }),
      );

      await page.goto("http://other.test/", { waitUntil: "commit" });
      await page.waitForURL(`${stage.origin}/inbox`);
      await page.locator("html[data-ready]").waitFor();

      expect(await readStored(page)).toBeUndefined();
      expect(await page.locator("#share").isVisible()).toBe(false);
    });

    it("a second share does not replace one about which the person has not decided", async () => {
      const { page } = await openApp();
      await share(page, { text: "The first one" });
      await page.getByText("The first one").waitFor();

      await share(page, { text: "The second one" });

      await page.getByText(inboxText("share_waiting")).waitFor();
      await page.getByText("The first one").waitFor();
      expect(await page.getByText("The second one").count()).toBe(0);
      await page.getByRole("button", { name: inboxText("share_drop") }).click();
      await share(page, { text: "The third one" });
      await page.getByText("The third one").waitFor();
    });

    it("files that do not fit into the answer stay shared, and the draft keeps the others", async () => {
      const intent = buildIntent("Show all shelves");
      await stage.createRequest({ intent, requires: ["check-visual"] });
      const { page } = await openApp();
      await page.getByRole("link", { name: intent }).waitFor();
      const notes = Array.from({ length: 21 }, (_, n) => ({
        name: `note-${n}.txt`,
        type: "text/plain",
        base64: btoa(`note ${n}`),
      }));

      await share(page, { files: notes });
      await page.getByText("note-19.txt").waitFor();
      const limit = inboxText("share_limit", { n: 20, size: "SIZE" }).split("SIZE")[0] ?? "";
      await page.getByText(limit).waitFor();
      expect(await page.getByText("note-20.txt").count()).toBe(0);
      await page.locator(".choice", { hasText: intent }).click();
      await page.locator(".tile").nth(19).waitFor();
      await waitUntilDropped(page);

      await page.goto(`${stage.origin}/inbox`);
      await share(page, { text: "One more", files: [notes[20]!] });
      await page.locator(".choice", { hasText: intent }).click();
      await page.getByText(t("too_many_files", { n: 20 })).waitFor();
      await expect.poll(() => readStored(page)).toEqual({ text: "", files: ["note-20.txt"] });
      expect(await page.locator("#answer-text").inputValue()).toBe("One more");
    });

    it("a share stays on the device while the browser cannot store the draft", async () => {
      const intent = buildIntent("Show the full disk");
      await stage.createRequest({ intent, requires: ["check-visual"] });
      const { context, page } = await openApp();
      await page.getByRole("link", { name: intent }).waitFor();
      await context.addInitScript(() => {
        const put = Reflect.get(IDBObjectStore.prototype, "put");
        IDBObjectStore.prototype.put = function (value, key) {
          if (this.name === "drafts") throw new DOMException("full", "QuotaExceededError");
          return put.call(this, value, key);
        };
      });

      await share(page, { text: "Only copy", files: [photo] });
      await page.locator(".choice", { hasText: intent }).click();
      await page.getByText(t("not_kept")).waitFor();

      expect(await page.locator("#answer-text").inputValue()).toBe("Only copy");
      expect(await page.locator(".tile").count()).toBe(1);
      expect(await readStored(page)).toMatchObject({ text: "Only copy" });
      await page.reload();
      await page.locator(".tile.image img").waitFor();
      expect(await page.locator(".tile").count()).toBe(1);
    });

    it("a sign-out that cannot wait for the deletion leaves it to the next start", async () => {
      const intent = buildIntent("Secret shelf");
      await stage.createRequest({ intent, requires: ["check-visual"] });
      const { context, page } = await openApp(stage.signIn({ serviceWorkers: "allow" }));
      await page.getByRole("link", { name: intent }).waitFor();
      await share(page, { text: "Secret words" });
      await page.getByText("Secret words").waitFor();
      await page.goto(`${stage.origin}/sign-in`);
      // A device that is too slow to open its storage.
      await page.evaluate(() => {
        indexedDB.databases = () => new Promise(() => {});
      });

      const signOut = page.locator('form[action="/sign-out"]');
      await signOut.getByRole("button").click();
      await page.locator('form[action="/sign-in"]').waitFor({ state: "attached" });
      await context.setOffline(true);
      await page.goto(`${stage.origin}/inbox`);
      await page.getByText(t("no_network"), { exact: true }).waitFor();

      expect(await readStored(page)).toBeUndefined();
      expect(await page.getByText(intent).count()).toBe(0);
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
