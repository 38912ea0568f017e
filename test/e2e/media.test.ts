/** A browser shows photos and videos without their metadata as it shows the originals. */
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sniffMime } from "../../src/attachments/sniff-mime.ts";
import { stripMetadata } from "../../src/attachments/metadata/strip-metadata.ts";
import { launchBrowser } from "../support/browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const readFixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/media/${name}`, import.meta.url)));

/** Draws the file as a page shows it, and returns its size and pixels. */
async function render(bytes: Uint8Array, mime: string): Promise<unknown> {
  const page = await browser.newPage();
  try {
    const uri = `data:${mime};base64,${Buffer.from(bytes).toString("base64")}`;
    return await page.evaluate(
      async ([source, isVideo]) => {
        const view = document.createElement(isVideo ? "video" : "img");
        const isShown = new Promise((resolve, reject) => {
          view.addEventListener(isVideo ? "loadeddata" : "load", resolve);
          view.addEventListener("error", reject);
        });
        view.src = source;
        await isShown;
        const [width, height] =
          view instanceof HTMLVideoElement
            ? [view.videoWidth, view.videoHeight]
            : [view.naturalWidth, view.naturalHeight];
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        canvas.getContext("2d")!.drawImage(view, 0, 0);
        return { width, height, pixels: canvas.toDataURL() };
      },
      [uri, mime.startsWith("video/")] as const,
    );
  } finally {
    await page.close();
  }
}

describe("a file without its metadata", () => {
  // The Chromium that npm installs decodes neither HEIC nor H.264.
  it.each(["photo.jpg", "photo.png", "photo.webp", "photo.gif", "photo.avif", "film.webm"])(
    "a browser shows %s without its metadata as it shows the original",
    async (name) => {
      const file = readFixture(name);
      const mime = name.endsWith("avif") ? "image/avif" : sniffMime(file, "");

      const clean = await render(await stripMetadata(file), mime);

      expect(clean).toEqual(await render(file, mime));
    },
  );
});
