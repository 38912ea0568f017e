/** Photos that are rotated and cropped before they are sent. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { t } from "../../../../support/page-texts.ts";
import { type CreatedRequest, sendNow } from "../../../../support/respond-setup.ts";
import { findViolations } from "../../accessibility.ts";
import { stage } from "../../shared-stage.ts";

const WIDTH = 400;
const HEIGHT = 200;

/** A JPEG of 400 by 200 pixels: its left half is red above and green below, its right half blue above and white below. */
const drawQuarters = async (page: Page): Promise<Buffer> =>
  Buffer.from(
    await page.evaluate(
      ([width, height]) => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [width!, height!];
        const context = canvas.getContext("2d")!;
        const colors = ["#ff0000", "#0000ff", "#00ff00", "#ffffff"];
        for (const [index, color] of colors.entries()) {
          context.fillStyle = color;
          const [column, row] = [index % 2, Math.floor(index / 2)];
          context.fillRect((column * width!) / 2, (row * height!) / 2, width! / 2, height! / 2);
        }
        return canvas.toDataURL("image/jpeg", 0.95).replace(/^.*,/, "");
      },
      [WIDTH, HEIGHT],
    ),
    "base64",
  );

/** Inserts an EXIF orientation of 6: the photo must be turned clockwise by 90 degrees to be upright. */
function turnByExif(jpeg: Buffer): Buffer {
  const exif = Buffer.from(
    "ffe1002245786966000049492a000800000001001201030001000000060000000000",
    "hex",
  );
  exif.writeUInt16BE(exif.length - 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}

/** The names of the colors in the four quarters of an image: above left, above right, below left, below right. */
const readQuarters = (page: Page, bytes: Uint8Array) =>
  page.evaluate(async (base64) => {
    const blob = await (await fetch(`data:image/jpeg;base64,${base64}`)).blob();
    const bitmap = await createImageBitmap(blob);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    const context = canvas.getContext("2d")!;
    context.drawImage(bitmap, 0, 0);
    const nameOf = (x: number, y: number) => {
      const [red, green, blue] = context.getImageData(
        Math.floor(bitmap.width * x),
        Math.floor(bitmap.height * y),
        1,
        1,
      ).data;
      const bits = [red, green, blue].map((value) => (value! > 127 ? 1 : 0)).join("");
      return (
        ({ "100": "red", "010": "green", "001": "blue", "111": "white" } as const)[bits] ?? bits
      );
    };
    return {
      size: [bitmap.width, bitmap.height],
      colors: [nameOf(0.2, 0.2), nameOf(0.8, 0.2), nameOf(0.2, 0.8), nameOf(0.8, 0.8)],
    };
  }, Buffer.from(bytes).toString("base64"));

/** Opens the page of a new request with the photo in the answer, and the sheet that edits it. */
async function openEditor(
  options: BrowserContextOptions = {},
  change: (jpeg: Buffer) => Buffer = (jpeg) => jpeg,
) {
  const asked = await stage.createRequest({
    intent: "Photograph the label",
    response_hint: ["image"],
  });
  const page = await stage.open((await asked.createLink()).url, options);
  // A blank page draws and reads images, since the page's security policy forbids data URLs.
  const studio = await page.context().newPage();
  const buffer = change(await drawQuarters(studio));
  await page
    .locator("#pick-photos")
    .setInputFiles({ name: "label.jpg", mimeType: "image/jpeg", buffer });
  const openSheet = async () => {
    await page.getByRole("button", { name: `${t("edit_photo")}: label.jpg` }).click();
    const sheet = page.getByRole("dialog", { name: t("edit_photo") });
    await sheet.locator("canvas").waitFor();
    return sheet;
  };
  const press = (key: string) => page.getByRole("button", { name: t(key), exact: true }).click();
  const finish = async () => {
    await press("edit_done");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await openSheet();
  return { asked, page, studio, openSheet, press, finish };
}

async function sendPhoto(page: Page, studio: Page, asked: CreatedRequest) {
  await page.getByRole("button", { name: t("send_answer") }).click();
  await sendNow(page);
  const { attachments } = await asked.until(({ envelope }) => envelope.status === "completed");
  expect(attachments).toMatchObject([{ mime: "image/jpeg" }]);
  return await readQuarters(studio, await asked.readBytes(attachments[0]?.name ?? ""));
}

/** Drags a corner of the crop frame by fractions of the photo. */
async function dragCorner(page: Page, corner: string, dx: number, dy: number): Promise<void> {
  const photo = (await page.locator(".crop-photo").boundingBox())!;
  const box = (await page.getByRole("button", { name: t(corner) }).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + (dx * photo.width) / 2, y + (dy * photo.height) / 2);
  await page.mouse.move(x + dx * photo.width, y + dy * photo.height);
  await page.mouse.up();
}

export function photoEdits(): void {
  describe("a photo of an answer", () => {
    it("a rotated photo is sent turned clockwise, at its full size", async () => {
      const { asked, page, studio, press, finish } = await openEditor();

      await press("rotate");
      await finish();

      expect(await sendPhoto(page, studio, asked)).toEqual({
        size: [HEIGHT, WIDTH],
        colors: ["green", "red", "white", "blue"],
      });
    });

    it("a photo that the camera turned by its metadata is rotated from how it is shown", async () => {
      const { asked, page, studio, press, finish } = await openEditor({}, turnByExif);

      await press("rotate");
      await finish();

      expect(await sendPhoto(page, studio, asked)).toEqual({
        size: [WIDTH, HEIGHT],
        colors: ["white", "green", "blue", "red"],
      });
    });

    it("only the chosen part of a cropped photo is sent", async () => {
      const { asked, page, studio, finish } = await openEditor();

      await dragCorner(page, "corner_top_left", 0.5, 0);
      await dragCorner(page, "corner_bottom_right", 0, -0.5);
      await finish();

      const { size, colors } = await sendPhoto(page, studio, asked);
      expect(Math.abs(size[0]! - WIDTH / 2)).toBeLessThan(6);
      expect(Math.abs(size[1]! - HEIGHT / 2)).toBeLessThan(6);
      expect(new Set(colors)).toEqual(new Set(["blue"]));
    });

    it("a finger moves a corner, and the frame turns with the photo", async () => {
      const { asked, page, studio, press, finish } = await openEditor();
      const session = await page.context().newCDPSession(page);
      const photo = (await page.locator(".crop-photo").boundingBox())!;
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...at: number[][]) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: at.map(([x, y]) => ({
            x: photo.x + photo.width * x!,
            y: photo.y + photo.height * y!,
          })),
        });

      await touch("touchStart", [1, 1]);
      await touch("touchMove", [0.7, 0.7]);
      await touch("touchMove", [0.5, 0.5]);
      await touch("touchEnd");
      await press("rotate");
      await finish();

      const { size, colors } = await sendPhoto(page, studio, asked);
      expect(size[1]! / size[0]!).toBeGreaterThan(1.8);
      expect(new Set(colors)).toEqual(new Set(["red"]));
    });

    it("the arrow keys crop a photo, and the size of the frame is announced", async () => {
      const { asked, page, studio, finish } = await openEditor({
        isMobile: false,
        hasTouch: false,
      });

      await page.getByRole("button", { name: t("corner_top_left") }).focus();
      for (let n = 0; n < 5; n++) await page.keyboard.press("Shift+ArrowRight");
      await page.getByRole("button", { name: t("corner_bottom_left") }).focus();
      for (let n = 0; n < 5; n++) await page.keyboard.press("Shift+ArrowUp");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      const status = page.locator(".sheet [role=status]");
      await expect
        .poll(() => status.textContent())
        .toBe(t("crop_size", { width: t("percent", { n: 50 }), height: t("percent", { n: 50 }) }));
      await finish();

      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
        `${t("edit_photo")}: label.jpg`,
      );
      const { colors } = await sendPhoto(page, studio, asked);
      expect(new Set(colors)).toEqual(new Set(["blue"]));
    });

    it.each(["cancel", "Escape"])("%s keeps the photo as it was", async (end) => {
      const { asked, page, studio, press } = await openEditor();
      await press("rotate");

      await (end === "cancel" ? press("cancel") : page.keyboard.press("Escape"));
      await page.getByRole("dialog").waitFor({ state: "detached" });

      expect(await sendPhoto(page, studio, asked)).toEqual({
        size: [WIDTH, HEIGHT],
        colors: ["red", "blue", "green", "white"],
      });
    });

    it("an edited photo opens again with its frame, and Reset brings the original back", async () => {
      const { asked, page, studio, openSheet, press, finish } = await openEditor();
      await press("rotate");
      await dragCorner(page, "corner_bottom_right", -0.5, -0.5);
      await finish();

      await openSheet();
      const photo = (await page.locator(".crop-photo").boundingBox())!;
      const area = (await page.getByRole("button", { name: t("crop_area") }).boundingBox())!;
      expect(photo.height).toBeGreaterThan(photo.width);
      expect(Math.abs(area.width / photo.width - 0.5)).toBeLessThan(0.03);
      await press("crop_reset");
      await finish();

      expect(await sendPhoto(page, studio, asked)).toEqual({
        size: [WIDTH, HEIGHT],
        colors: ["red", "blue", "green", "white"],
      });
    });

    it("the sheet that edits a photo is accessible, and its corners are large enough for a finger", async () => {
      const { page } = await openEditor({ viewport: { width: 320, height: 640 } });

      expect(await findViolations(page)).toEqual([]);
      for (const corner of await page.locator(".crop-corner").all()) {
        const { width, height } = (await corner.boundingBox())!;
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    });
  });
}
