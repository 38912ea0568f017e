/** Size and headers of the deployed files, and the parts of the deployed pages that load after the first view. */
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { describe, expect, it } from "vitest";
import { t } from "../../../support/page-texts.ts";
import { sendNow } from "../../../support/respond-setup.ts";
import { stage } from "../shared-stage.ts";

const MAX_FIRST_VIEW_BYTES = 60 * 1024;
const MAX_FIRST_VIEW_REQUESTS = 15;

/** All bodies that were loaded until the page could be used, each compressed separately. */
async function measureFirstView(load: (page: Page) => Promise<unknown>) {
  const page = await (await stage.openSignedInContext()).newPage();
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await load(page);
  await page.locator("html[data-ready]").waitFor();
  const files = await Promise.all(
    responses.map(async (response) => {
      const body = response.status() === 204 ? "" : await response.body();
      return { path: new URL(response.url()).pathname, bytes: gzipSync(body).length };
    }),
  );
  return {
    paths: files.map(({ path }) => path),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export function deployedFiles(): void {
  describe("the first view of a deployed page", () => {
    it("the deployed respond page loads few files of together less than 60 KB", async () => {
      const asked = await stage.createRequest({ intent: "Is the gate shut?" });
      const { url } = await asked.createLink();

      const { paths, bytes } = await measureFirstView((page) => page.goto(url));

      expect(paths).toEqual(expect.arrayContaining(["/respond", "/respond/app.js"]));
      expect(paths.length).toBeLessThanOrEqual(MAX_FIRST_VIEW_REQUESTS);
      expect(bytes).toBeLessThan(MAX_FIRST_VIEW_BYTES);
    });

    it("the deployed inbox loads few files of together less than 60 KB", async () => {
      const { paths, bytes } = await measureFirstView((page) => page.goto(`${stage.origin}/inbox`));

      expect(paths).toEqual(expect.arrayContaining(["/inbox", "/inbox/inbox.js"]));
      expect(paths.length).toBeLessThanOrEqual(MAX_FIRST_VIEW_REQUESTS);
      expect(bytes).toBeLessThan(MAX_FIRST_VIEW_BYTES);
    });
  });

  describe("the deployed pages", () => {
    it("a deployed page opens its sheets, which load after the first view", async () => {
      const asked = await stage.createRequest({ intent: "Water the fern" });
      const { url } = await asked.createLink();
      const page = await stage.open(url);

      await page.getByRole("button", { name: t("settings") }).click();
      await page.getByRole("dialog", { name: t("settings") }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator("#add-place").click();
      await page.getByRole("dialog", { name: t("place") }).waitFor();
    });

    it("a deployed page opens and answers without a network, in the cached language", async () => {
      const asked = await stage.createRequest({ intent: "Read the meter" });
      const { short_url: short } = await asked.createLink();
      const context = await stage.openContext({ serviceWorkers: "allow", locale: "tr-TR" });
      const page = await stage.open(short, context);
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await context.setOffline(true);

      await page.goto(short);
      await page.locator('[data-hearing="offline"]').waitFor();
      await page.getByRole("textbox", { name: t("your_answer", {}, "tr") }).fill("4711 kWh");
      await page.getByRole("button", { name: t("send_answer", {}, "tr") }).click();
      await sendNow(page);
      await page
        .locator("#outbox")
        .getByText(t("queued_offline", {}, "tr"))
        .waitFor();
      await context.setOffline(false);

      await asked.until(({ envelope }) => envelope.status === "completed");
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { response: { content: [{ text: "4711 kWh" }] } },
        { status: { code: "completed" } },
      ]);
    });

    it("deployed files keep the headers that the pages need", async () => {
      const readHeaders = async (path: string) => {
        const { headers, status } = await fetch(`${stage.origin}${path}`);
        return {
          status,
          worker: headers.get("service-worker-allowed"),
          nosniff: headers.get("x-content-type-options"),
        };
      };

      expect(await readHeaders("/respond/sw.js")).toEqual({
        status: 200,
        worker: "/",
        nosniff: "nosniff",
      });
      expect(await readHeaders("/assets/people.js")).toMatchObject({
        status: 200,
        nosniff: "nosniff",
      });
      expect(await readHeaders("/respond/answer/fields.js")).toMatchObject({ status: 404 });
    });
  });
}
