/** Answers that a person gives on the page, and what the agent then reads. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { buildPhoto as cameraPhoto } from "../../../support/media/photo.ts";
import { openActionForm, type ReadThread, sendNow } from "../../../support/respond-setup.ts";
import { answerField, choose } from "../page-controls.ts";
import { pattern, t } from "../../../support/page-texts.ts";
import { stage } from "../shared-stage.ts";

/** Random noise, which compresses badly, as base64 of a JPEG. */
const drawNoise = (page: Page) =>
  page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [1500, 1100];
    const context = canvas.getContext("2d")!;
    const pixels = context.createImageData(canvas.width, canvas.height);
    let seed = 7;
    for (let at = 0; at < pixels.data.length; at++)
      pixels.data[at] = at % 4 === 3 ? 255 : (seed = (seed * 16_807) % 2_147_483_647) & 255;
    context.putImageData(pixels, 0, 0);
    return canvas.toDataURL("image/jpeg", 0.92).replace(/^.*,/, "");
  });

/** A photo with the header of an iPhone's format; its content cannot be decoded. */
function buildHeic(): Buffer {
  const buildBox = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + content.length);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, content]);
  };
  return Buffer.concat([
    buildBox("ftyp", Buffer.from("heic\0\0\0\0mif1heic", "latin1")),
    buildBox("mdat", Buffer.alloc(4_000, "the roof ")),
  ]);
}

/** The file names of an answer, in order. */
const listFiles = ({ messages }: ReadThread) =>
  messages
    .flatMap(({ MESS }) =>
      MESS.flatMap(({ response }) => (response?.["content"] ?? []) as object[]),
    )
    .flatMap((entry) => Object.entries(entry) as [string, { file: string; name: string }][])
    .filter(([, { file }]) => file !== undefined)
    .map(([kind, { file, name }]) => ({ kind, file, name }));

/** The EXIF segment of a photo, for insertion into another. */
function readExif(bytes: Uint8Array): Buffer {
  const start = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xe1]));
  const length = (bytes[start + 2]! << 8) | bytes[start + 3]!;
  return Buffer.from(bytes.subarray(start, start + 2 + length));
}

export function answers(): void {
  describe("a request with a form", () => {
    it("a form is filled in with large buttons, and the answer arrives as typed entries", async () => {
      const asked = await stage.createRequest({
        intent: "Is there enough milk?",
        context: ["Breakfast for **six**."],
        priority: "urgent",
        needed_by: new Date(Date.now() + 3_000_000).toISOString(),
        response_hint: [
          {
            choice: {
              field: "left",
              question: "How much is left?",
              options: ["None", "Half", "Full"],
            },
          },
          { number: { field: "bottles", question: "How many bottles?", min: 0, max: 20 } },
          { date: { field: "best_before", question: "Best before?" } },
          { confirmation: "Did you look behind the juice?" },
        ],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);

      await expect.poll(() => page.locator("h1").textContent()).toBe("Is there enough milk?");
      expect(await page.locator(".asker").textContent()).toContain("claude");
      const chips = await page.locator(".chips").textContent();
      for (const chip of [t("status_pending"), t("priority_urgent")]) expect(chips).toContain(chip);
      expect(await page.locator(".chips [data-until]").textContent()).toMatch(/\b\d\d\b/);
      await expect.poll(() => page.locator(".context strong").textContent()).toBe("six");

      await choose(page, "Half");
      await page.getByLabel("How many bottles?").fill("3");
      await page.getByLabel("Best before?").fill("2031-05-06");
      await choose(page, t("yes"), "Did you look behind the juice?");
      await answerField(page).fill("Two are open.");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);
      await page
        .locator("#outbox")
        .getByText(t("all_done", { name: "claude" }))
        .waitFor();

      const { envelope } = await asked.read();
      expect(envelope).toMatchObject({ status: "completed", executor: "ann-phone" });
      const [response, status] = await asked.listExecutorBlocks();
      expect(response?.["response"]?.["content"]).toEqual([
        { text: "Two are open." },
        { confirmation: true },
        { structured: { left: "Half", bottles: 3, best_before: "2031-05-06" } },
      ]);
      expect(status).toMatchObject({ status: { code: "completed" } });
    });
  });

  describe("attachments of an answer", () => {
    it("photos of an answer are reordered, scaled down, and sent without the location where they were taken", async () => {
      const asked = await stage.createRequest({
        intent: "Photograph the shelves",
        response_hint: ["image"],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      const large = Buffer.from(await drawNoise(page), "base64");
      const placed = Buffer.concat([
        large.subarray(0, 2),
        readExif(cameraPhoto({ place: true })),
        large.subarray(2),
      ]);
      expect(placed.length).toBeGreaterThan(1_000_000);
      expect(placed.includes("PLACE")).toBe(true);

      await page.locator("#pick-photos").setInputFiles([
        { name: "first.jpg", mimeType: "image/jpeg", buffer: placed },
        { name: "second.jpg", mimeType: "image/jpeg", buffer: placed },
      ]);
      await page.getByRole("button", { name: `${t("later_file")}: first.jpg` }).click();
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);

      const thread = await asked.until(({ envelope }) => envelope.status === "completed");
      expect(listFiles(thread).map(({ name }) => name)).toEqual(["second.jpg", "first.jpg"]);
      for (const { name, mime, size } of thread.attachments) {
        expect({ mime, small: size < 550_000 }).toEqual({ mime: "image/jpeg", small: true });
        const bytes = Buffer.from(await asked.readBytes(name));
        expect([bytes.includes("Exif"), bytes.includes("PLACE")]).toEqual([false, false]);
      }
    });

    it("a photo that the browser cannot read is sent unchanged, and the page says so", async () => {
      const asked = await stage.createRequest({
        intent: "Photograph the roof",
        response_hint: ["image"],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      const buffer = buildHeic();

      await page
        .locator("#pick-photos")
        .setInputFiles({ name: "IMG_0007.HEIC", mimeType: "image/heic", buffer });
      await page.getByText(t("photo_as_is", { name: "IMG_0007.HEIC" })).waitFor();
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);

      const { attachments } = await asked.until(({ envelope }) => envelope.status === "completed");
      expect(attachments).toMatchObject([{ mime: "image/heic", size: buffer.length }]);
      const arrived = await asked.readBytes(attachments[0]?.name ?? "");
      expect(Buffer.from(arrived).equals(buffer)).toBe(true);
    });

    it("audio, video and a drawing are recorded on the page and sent with the answer", async () => {
      const asked = await stage.createRequest({ intent: "Tell and show how the pump sounds" });
      const { url } = await asked.createLink();
      const context = await stage.openContext({ isMobile: false, hasTouch: false });
      await context.grantPermissions(["camera", "microphone"], { origin: stage.origin });
      const page = await stage.open(url, context);

      for (const [button, title] of [
        ["voice", "record_audio"],
        ["video", "record_video"],
      ] as const) {
        await page.getByRole("button", { name: t(button) }).click();
        const sheet = page.getByRole("dialog", { name: t(title) });
        await sheet.getByText("0:01").waitFor();
        // The fake microphone beeps, so the level must move.
        await expect
          .poll(() => sheet.locator("meter").evaluate((meter: HTMLMeterElement) => meter.value))
          .toBeGreaterThan(0);
        await sheet.getByRole("button", { name: t("stop") }).click();
        const played = sheet.locator(button === "voice" ? "audio" : "video");
        await expect.poll(() => played.getAttribute("src")).toMatch(/^blob:/);
        await sheet.getByRole("button", { name: t("use") }).click();
      }
      await page.getByRole("button", { name: t("camera") }).click();
      await page.getByRole("button", { name: t("shoot") }).click();
      await page.locator(".tile.image").waitFor();
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);

      const thread = await asked.until(({ envelope }) => envelope.status === "completed");
      expect(listFiles(thread).map(({ kind }) => kind)).toEqual(["audio", "video", "image"]);
      expect(thread.attachments.map(({ mime }) => mime).toSorted()).toEqual([
        "audio/webm",
        "image/jpeg",
        "video/webm",
      ]);
      expect(thread.attachments.filter(({ size }) => size < 1_000)).toEqual([]);
    });

    it("an answer contains the device's location, a named place, and notes", async () => {
      const asked = await stage.createRequest({
        intent: "Where is the car?",
        response_hint: ["location"],
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url, {
        geolocation: { latitude: 48.137, longitude: 11.575, accuracy: 12 },
        permissions: ["geolocation"],
      });

      await page.getByRole("button", { name: t("place") }).click();
      await page.getByLabel(t("place_name")).fill("Level 2");
      await page.getByRole("button", { name: t("place_here") }).click();
      await page.getByText("48.13700, 11.57500").waitFor();
      await page.getByText(t("notes"), { exact: true }).click();
      await page.getByLabel(t("notes")).fill("Ticket is in the glove box");
      await openActionForm(page, "respond");
      await sendNow(page);
      await page.locator('.send[data-state="sent"]').first().waitFor();

      const [{ response } = {}] = await asked.listExecutorBlocks();
      expect(response).toMatchObject({
        content: [{ location: { lat: 48.137, lng: 11.575, accuracy: 12, name: "Level 2" } }],
        notes: "Ticket is in the glove box",
      });
      expect((await asked.read()).envelope.status).toBe("claimed");
    });
  });

  describe("a conversation", () => {
    it("the agent's answer to a question is shown without a reload", async () => {
      const asked = await stage.createRequest({ intent: "Buy apples" });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      await openActionForm(page, "needs_input");
      await page.getByLabel(t("question_n", { n: 1 })).fill("Red or green?");
      await page.locator(".sheet button[type=submit]").click();
      await page.getByText(t("asked_them", { name: "claude" })).waitFor();

      await asked.say({ reply: { answers: { q1: "Green ones, please" } } });

      await page.getByText("Green ones, please").waitFor();
      await expect
        .poll(() => page.locator("#announcer").textContent())
        .toMatch(pattern("news", { name: "claude" }));
    });

    it("a request that needs confirmation offers no Done before the approval", async () => {
      const asked = await stage.createRequest({
        intent: "Cut down the tree",
        confirm_before: true,
      });
      const { url } = await asked.createLink();
      const page = await stage.open(url);
      expect(await page.locator('#bar [data-action="completed"]').count()).toBe(0);
      await page.locator('#bar [data-action="needs_confirmation"]').click();
      await page.getByLabel(t("confirm_action")).fill("Fell the ash");
      await page.locator(".sheet button[type=submit]").click();
      await page.getByText(t("awaits_approval", { name: "claude" })).waitFor();
      await page.locator('#bar [data-action="needs_confirmation"]').waitFor({ state: "detached" });

      await asked.say({ reply: { confirm: true } });
      await page.getByText(t("agreed")).waitFor();
      await page.locator('#bar [data-action="completed"]').click();
      await sendNow(page);

      await asked.until(({ envelope }) => envelope.status === "completed");
    });
  });
}
