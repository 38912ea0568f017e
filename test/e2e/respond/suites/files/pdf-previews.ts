/** PDFs that a person receives or sends: a card with name and size, and the first page where the browser has a viewer. */
import { readFile } from "node:fs/promises";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { t } from "../../../../support/page-texts.ts";
import { stage } from "../../shared-stage.ts";

const SMALL_PDF = Buffer.from("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n");
/** Large enough to be stored as a file. */
const PDF = Buffer.concat([SMALL_PDF, Buffer.alloc(123_000, "% a comment\n")]);
const DESKTOP: BrowserContextOptions = { isMobile: false, hasTouch: false };

/** Opens a request with a PDF, in a browser with or without a viewer; the tested browser has none. */
async function openPage(
  options: BrowserContextOptions,
  hasViewer: boolean,
  prepare: (context: BrowserContext) => Promise<unknown> = async () => {},
): Promise<Page> {
  const uri = `data:application/pdf;base64,${PDF.toString("base64")}`;
  const asked = await stage.createRequest({
    intent: "Sign the plan",
    context: [{ file: { uri, name: "plan.pdf", pages: 3 } }],
  });
  const { url } = await asked.createLink();
  const context = await stage.openContext(options);
  await context.addInitScript((isEnabled) => {
    Object.defineProperty(navigator, "pdfViewerEnabled", { value: isEnabled });
    const create = URL.createObjectURL.bind(URL);
    const types: Record<string, string> = {};
    Object.assign(globalThis, { types });
    URL.createObjectURL = (blob: Blob) => {
      const address = create(blob);
      types[address] = blob.type;
      return address;
    };
  }, hasViewer);
  await prepare(context);
  return await stage.open(url, context);
}

/** The type of the blob that a frame or link shows. */
const readBlobType = (page: Page, address: string | null) =>
  page.evaluate(
    (url) => (globalThis as unknown as { types: Record<string, string> }).types[url],
    (address ?? "").replace(/#.*$/, ""),
  );

const choosePdf = (page: Page) =>
  page
    .locator("#pick-file")
    .setInputFiles({ name: "contract.pdf", mimeType: "application/pdf", buffer: PDF });

export function pdfPreviews(): void {
  describe("a PDF", () => {
    it.each([
      ["on a phone", {}, true],
      ["in a browser without a viewer", DESKTOP, false],
    ])("%s, a PDF is a card with its name, pages and size", async (_name, options, hasViewer) => {
      const page = await openPage(options, hasViewer);
      const card = page.locator(".context a", { hasText: "plan.pdf" });
      await card.waitFor();
      const text = (await card.textContent()) ?? "";
      expect(text).toContain(t("pages", { n: 3 }));
      expect(text).toMatch(/123\s?kB/);
      expect(await card.getAttribute("download")).toBe("plan.pdf");

      await choosePdf(page);
      const tile = page.locator(".tile", { hasText: "contract.pdf" });
      await tile.getByRole("link", { name: t("enlarge", { name: "contract.pdf" }) }).waitFor();

      expect(await page.locator("iframe").count()).toBe(0);
    });

    it("a small PDF inside of a message is a card that saves it, not its encoded bytes", async () => {
      const uri = `data:application/pdf;base64,${SMALL_PDF.toString("base64")}`;
      const asked = await stage.createRequest({
        intent: "Read the note",
        context: [{ file: { uri, name: "note.pdf" } }],
      });
      const page = await stage.open((await asked.createLink()).url);

      const card = page.locator(".context button", { hasText: "note.pdf" });
      const [download] = await Promise.all([page.waitForEvent("download"), card.click()]);

      expect(await card.textContent()).toMatch(/^note\.pdf\s*\d+ byte$/);
      expect(download.suggestedFilename()).toBe("note.pdf");
      expect(await readFile(await download.path())).toEqual(SMALL_PDF);
    });

    it("a received PDF shows its first page on a desktop, and opens in the browser's viewer", async () => {
      const page = await openPage(DESKTOP, true);

      const frame = page.locator('.context iframe[title="plan.pdf"]');
      await frame.waitFor();

      const source = await frame.getAttribute("src");
      expect(source).toMatch(/^blob:.*#toolbar=0/);
      expect(await readBlobType(page, source)).toBe("application/pdf");
      const link = page.locator(".context a", { hasText: "plan.pdf" });
      expect(await link.getAttribute("href")).toBe(source?.replace(/#.*$/, ""));
      expect(await link.getAttribute("download")).toBeNull();
    });

    it("a page that is served as the bytes of a PDF is never shown as a page", async () => {
      const page = await openPage(DESKTOP, true, (context) =>
        context.route("**/attachments/**", (route) =>
          route.fulfill({ contentType: "text/html", body: "<script>alert(1)</script>" }),
        ),
      );

      const frame = page.locator("iframe");
      await frame.waitFor();

      expect(await readBlobType(page, await frame.getAttribute("src"))).toBe("application/pdf");
    });

    it("a chosen PDF shows its first page on a desktop before it is sent", async () => {
      const page = await openPage(DESKTOP, true);

      await choosePdf(page);
      const frame = page.locator('.tile iframe[title="contract.pdf"]');
      await frame.waitFor();

      expect(await readBlobType(page, await frame.getAttribute("src"))).toBe("application/pdf");
      await page.getByRole("button", { name: `${t("remove")}: contract.pdf` }).click();
      await frame.waitFor({ state: "detached" });
    });
  });
}
