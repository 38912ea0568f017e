/** What a person does on the page, and what the agent then reads. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { buildPhoto as cameraPhoto } from "../../support/photo.ts";
import { openActionForm, type ReadThread, sendNow } from "../../support/respond-setup.ts";
import { choose } from "./page-controls.ts";
import { stage } from "./shared-stage.ts";

/** A picture of noise, which compresses badly, in the base64 of a JPEG. */
const noise = (page: Page) =>
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

/** A photo as iPhones write it, as far as its first box tells; the picture is nothing that could be seen. */
function heic(): Buffer {
  const box = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + content.length);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, content]);
  };
  return Buffer.concat([
    box("ftyp", Buffer.from("heic\0\0\0\0mif1heic", "latin1")),
    box("mdat", Buffer.alloc(4_000, "the roof ")),
  ]);
}

/** The files that an answer names, in its own order. */
const filesOf = ({ messages }: ReadThread) =>
  messages
    .flatMap(({ MESS }) =>
      MESS.flatMap(({ response }) => (response?.["content"] ?? []) as object[]),
    )
    .flatMap((entry) => Object.entries(entry) as [string, { file: string; name: string }][])
    .filter(([, { file }]) => file !== undefined)
    .map(([kind, { file, name }]) => ({ kind, file, name }));

/** The EXIF segment of a photo, to be put into another. */
function exifOf(bytes: Uint8Array): Buffer {
  const start = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xe1]));
  const length = (bytes[start + 2]! << 8) | bytes[start + 3]!;
  return Buffer.from(bytes.subarray(start, start + 2 + length));
}

export function answers(): void {
  describe("a request with a form", () => {
    it("is read at a glance, filled in by big buttons, and arrives in typed entries", async () => {
      const asked = await stage.ask({
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
      const { url } = await asked.link();
      const page = await stage.open(url);

      await expect.poll(() => page.locator("h1").textContent()).toBe("Is there enough milk?");
      expect(await page.locator(".asker").textContent()).toContain("claude");
      expect(await page.locator(".chips").textContent()).toMatch(/Open.*Urgent.*mins? left/);
      await expect.poll(() => page.locator(".context strong").textContent()).toBe("six");

      await choose(page, "Half");
      await page.getByLabel("How many bottles?").fill("3");
      await page.getByLabel("Best before?").fill("2031-05-06");
      await choose(page, "Yes", "Did you look behind the juice?");
      await page.getByRole("textbox", { name: "Your answer" }).fill("Two are open.");
      await page.getByRole("button", { name: "Send answer" }).click();
      await sendNow(page);
      await page.locator("#outbox").getByText("Done. claude can see your answer.").waitFor();

      const { envelope } = await asked.read();
      expect(envelope).toMatchObject({ status: "completed", executor: "ann-phone" });
      const [response, status] = await asked.said();
      expect(response?.["response"]?.["content"]).toEqual([
        { text: "Two are open." },
        { confirmation: true },
        { structured: { left: "Half", bottles: 3, best_before: "2031-05-06" } },
      ]);
      expect(status).toMatchObject({ status: { code: "completed" } });
    });
  });

  describe("what goes with an answer", () => {
    it("is photos, put in order, made small, and without the place where they were taken", async () => {
      const asked = await stage.ask({ intent: "Photograph the shelves", response_hint: ["image"] });
      const { url } = await asked.link();
      const page = await stage.open(url);
      const large = Buffer.from(await noise(page), "base64");
      const placed = Buffer.concat([
        large.subarray(0, 2),
        exifOf(cameraPhoto({ place: true })),
        large.subarray(2),
      ]);
      expect(placed.length).toBeGreaterThan(1_000_000);
      expect(placed.includes("PLACE")).toBe(true);

      await page.locator("#pick-photos").setInputFiles([
        { name: "first.jpg", mimeType: "image/jpeg", buffer: placed },
        { name: "second.jpg", mimeType: "image/jpeg", buffer: placed },
      ]);
      await page.getByRole("button", { name: "Move back: first.jpg" }).click();
      await page.getByRole("button", { name: "Send answer" }).click();
      await sendNow(page);

      const thread = await asked.until(({ envelope }) => envelope.status === "completed");
      expect(filesOf(thread).map(({ name }) => name)).toEqual(["second.jpg", "first.jpg"]);
      for (const { name, mime, size } of thread.attachments) {
        expect({ mime, small: size < 550_000 }).toEqual({ mime: "image/jpeg", small: true });
        const bytes = Buffer.from(await asked.bytes(name));
        expect([bytes.includes("Exif"), bytes.includes("PLACE")]).toEqual([false, false]);
      }
    });

    it("is a photo that this browser cannot read: it goes out as it is, and the person is told", async () => {
      const asked = await stage.ask({ intent: "Photograph the roof", response_hint: ["image"] });
      const { url } = await asked.link();
      const page = await stage.open(url);
      const buffer = heic();

      await page
        .locator("#pick-photos")
        .setInputFiles({ name: "IMG_0007.HEIC", mimeType: "image/heic", buffer });
      await page.getByText("IMG_0007.HEIC can’t be resized here").waitFor();
      await page.getByRole("button", { name: "Send answer" }).click();
      await sendNow(page);

      const { attachments } = await asked.until(({ envelope }) => envelope.status === "completed");
      expect(attachments).toMatchObject([{ mime: "image/heic", size: buffer.length }]);
      const arrived = await asked.bytes(attachments[0]?.name ?? "");
      expect(Buffer.from(arrived).equals(buffer)).toBe(true);
    });

    it("is a voice, heard before it is sent, a video and a picture of the page's own camera", async () => {
      const asked = await stage.ask({ intent: "Tell and show how the pump sounds" });
      const { url } = await asked.link();
      const context = await stage.context({ isMobile: false, hasTouch: false });
      await context.grantPermissions(["camera", "microphone"], { origin: stage.origin });
      const page = await stage.open(url, context);

      for (const [button, title] of [
        ["Voice", "Record your voice"],
        ["Video", "Record a video"],
      ] as const) {
        await page.getByRole("button", { name: button }).click();
        const sheet = page.getByRole("dialog", { name: title });
        await sheet.getByText("0:01").waitFor();
        // The fake microphone beeps: the level moves.
        await expect
          .poll(() => sheet.locator("meter").evaluate((meter: HTMLMeterElement) => meter.value))
          .toBeGreaterThan(0);
        await sheet.getByRole("button", { name: "Stop" }).click();
        const played = sheet.locator(button === "Voice" ? "audio" : "video");
        await expect.poll(() => played.getAttribute("src")).toMatch(/^blob:/);
        await sheet.getByRole("button", { name: "Use this" }).click();
      }
      await page.getByRole("button", { name: "Camera" }).click();
      await page.getByRole("button", { name: "Take photo" }).click();
      await page.locator(".tile.image").waitFor();
      await page.getByRole("button", { name: "Send answer" }).click();
      await sendNow(page);

      const thread = await asked.until(({ envelope }) => envelope.status === "completed");
      expect(filesOf(thread).map(({ kind }) => kind)).toEqual(["audio", "video", "image"]);
      expect(thread.attachments.map(({ mime }) => mime).toSorted()).toEqual([
        "audio/webm",
        "image/jpeg",
        "video/webm",
      ]);
      expect(thread.attachments.filter(({ size }) => size < 1_000)).toEqual([]);
    });

    it("is a place, from the device or by its name, and notes", async () => {
      const asked = await stage.ask({ intent: "Where is the car?", response_hint: ["location"] });
      const { url } = await asked.link();
      const page = await stage.open(url, {
        geolocation: { latitude: 48.137, longitude: 11.575, accuracy: 12 },
        permissions: ["geolocation"],
      });

      await page.getByRole("button", { name: "Location" }).click();
      await page.getByLabel("Name of the place").fill("Level 2");
      await page.getByRole("button", { name: "Use my current location" }).click();
      await page.getByText("48.13700, 11.57500").waitFor();
      await page.getByText("Notes", { exact: true }).click();
      await page.getByLabel("Notes").fill("Ticket is in the glove box");
      await openActionForm(page, "respond");
      await sendNow(page);
      await page
        .getByText(/Sent at/)
        .first()
        .waitFor();

      const [{ response } = {}] = await asked.said();
      expect(response).toMatchObject({
        content: [{ location: { lat: 48.137, lng: 11.575, accuracy: 12, name: "Level 2" } }],
        notes: "Ticket is in the glove box",
      });
      expect((await asked.read()).envelope.status).toBe("claimed");
    });
  });

  describe("a conversation", () => {
    it("shows the agent's answer to a question without a reload", async () => {
      const asked = await stage.ask({ intent: "Buy apples" });
      const { url } = await asked.link();
      const page = await stage.open(url);
      await openActionForm(page, "needs_input");
      await page.getByLabel("Question 1").fill("Red or green?");
      await page.locator(".sheet button[type=submit]").click();
      await page.getByText("We asked claude.").waitFor();

      await asked.say({ reply: { answers: { q1: "Green ones, please" } } });

      await page.getByText("Green ones, please").waitFor();
      await expect
        .poll(() => page.locator("#announcer").textContent())
        .toContain("New message from claude");
    });

    it("lets nobody act before the approval that was asked for", async () => {
      const asked = await stage.ask({ intent: "Cut down the tree", confirm_before: true });
      const { url } = await asked.link();
      const page = await stage.open(url);
      expect(await page.locator('#bar [data-act="completed"]').count()).toBe(0);
      await page.locator('#bar [data-act="needs_confirmation"]').click();
      await page.getByLabel("What do you want to do?").fill("Fell the ash");
      await page.locator(".sheet button[type=submit]").click();
      await page.getByText("Waiting for claude to approve.").waitFor();

      await asked.say({ reply: { confirm: true } });
      await page.getByText("Approved").waitFor();
      await page.getByRole("button", { name: "Done", exact: true }).click();
      await sendNow(page);

      await asked.until(({ envelope }) => envelope.status === "completed");
    });
  });
}
