/** Voice notes that are recorded while the microphone button is held, with the browser's fake microphone. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { t } from "../../../../support/page-texts.ts";
import { sendNow } from "../../../../support/respond-setup.ts";
import { answerField } from "../../page-controls.ts";
import { stage } from "../../shared-stage.ts";

interface Point {
  x: number;
  y: number;
}

/** One finger on the screen. */
async function createFinger(page: Page) {
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd" | "touchCancel", points: Point[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  return {
    press: (at: Point) => touch("touchStart", [at]),
    /** In several steps, as a finger moves. */
    slide: async (from: Point, by: Point) => {
      for (const part of [0.25, 0.5, 0.75, 1])
        await touch("touchMove", [{ x: from.x + by.x * part, y: from.y + by.y * part }]);
    },
    lift: () => touch("touchEnd", []),
    lose: () => touch("touchCancel", []),
  };
}

/** Opens the page of a new request, which keeps the streams that it opens. */
async function openPage(options: BrowserContextOptions = {}) {
  const asked = await stage.createRequest({ intent: "How does the pump sound?" });
  const { url } = await asked.createLink();
  const context = await stage.openContext(options);
  await context.grantPermissions(["microphone"], { origin: stage.origin });
  await context.addInitScript(() => {
    const devices = navigator.mediaDevices;
    const open = devices.getUserMedia.bind(devices);
    const streams: MediaStream[] = [];
    Object.assign(globalThis, { streams });
    devices.getUserMedia = async (constraints) => {
      const stream = await open(constraints);
      streams.push(stream);
      return stream;
    };
  });
  const page = await stage.open(url, context);
  const button = page.locator("#add-voice");
  await button.scrollIntoViewIfNeeded();
  const box = (await button.boundingBox())!;
  const center = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return { asked, page, button, center };
}

/** Ends of the tracks of all streams that the page opened. */
const listTrackStates = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { streams: MediaStream[] }).streams.flatMap((stream) =>
      stream.getTracks().map(({ readyState }) => readyState),
    ),
  );

const waitForSecond = (page: Page) => page.locator(".voice-note").getByText("0:01").waitFor();
const hide = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, "hidden", { configurable: true, value: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });

async function expectNothingRecorded(page: Page): Promise<void> {
  await page.locator(".voice-note").waitFor({ state: "detached" });
  await expect.poll(() => listTrackStates(page)).toEqual(["ended"]);
  expect(await page.locator(".tile").count()).toBe(0);
  expect(await page.getByRole("dialog").count()).toBe(0);
}

export function voiceNotes(): void {
  describe("a voice note", () => {
    it("a voice note is recorded while the button is held, and sent with the answer", async () => {
      const { asked, page, center } = await openPage();
      const finger = await createFinger(page);

      await finger.press(center);
      await waitForSecond(page);
      await page.getByText(t("slide_cancel")).waitFor();
      await finger.lift();
      await page.locator(".tile.audio audio").waitFor();
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(await listTrackStates(page)).toEqual(["ended"]);
      await page.getByRole("button", { name: t("send_answer") }).click();
      await sendNow(page);

      const { attachments } = await asked.until(({ envelope }) => envelope.status === "completed");
      expect(attachments).toMatchObject([{ mime: "audio/webm" }]);
      expect(attachments[0]?.size).toBeGreaterThan(1_000);
    });

    it.each([
      ["to the left", "en-GB", -1],
      ["to the right in a language that is written from right to left", "ar-EG", 1],
    ])("sliding %s discards the recording", async (_name, locale, direction) => {
      const { page, center } = await openPage({ locale });
      const finger = await createFinger(page);
      await finger.press(center);
      await waitForSecond(page);

      // Towards the end of the line, nothing happens.
      await finger.slide(center, { x: -70 * direction, y: 0 });
      expect(await page.locator(".voice-note").count()).toBe(1);
      await finger.slide(center, { x: 130 * direction, y: 0 });
      await expectNothingRecorded(page);
      await finger.lift();

      await expectNothingRecorded(page);
    });

    it("sliding up locks the recording, which continues without the finger until it is used", async () => {
      const { page, center } = await openPage();
      const finger = await createFinger(page);
      await finger.press(center);
      await waitForSecond(page);

      await finger.slide(center, { x: 0, y: -100 });
      await finger.lift();
      await page.locator(".voice-note").getByText("0:02").waitFor();
      await answerField(page).fill("Listen");
      await page.getByRole("button", { name: t("send_answer") }).click();
      await page.getByText(t("still_recording")).waitFor();
      await page
        .locator(".voice-note")
        .getByRole("button", { name: t("use") })
        .click();

      await page.locator(".tile.audio").waitFor();
      expect(await listTrackStates(page)).toEqual(["ended"]);
    });

    it("a locked recording is discarded by its button and by Escape", async () => {
      const { page, center } = await openPage();
      const finger = await createFinger(page);
      for (const end of ["button", "Escape"]) {
        await finger.press(center);
        await waitForSecond(page);
        await finger.slide(center, { x: 0, y: -100 });
        await finger.lift();

        const discard = page.locator(".voice-note").getByRole("button", { name: t("discard") });
        await (end === "button" ? discard.click() : page.keyboard.press("Escape"));

        await page.locator(".voice-note").waitFor({ state: "detached" });
      }
      await expect.poll(() => listTrackStates(page)).toEqual(["ended", "ended"]);
      expect(await page.locator(".tile").count()).toBe(0);
    });

    it("Escape discards a recording while the mouse holds the button", async () => {
      const { page, center } = await openPage({ isMobile: false, hasTouch: false });
      await page.mouse.move(center.x, center.y);
      await page.mouse.down();
      await waitForSecond(page);

      await page.keyboard.press("Escape");
      await page.mouse.up();

      await expectNothingRecorded(page);
    });

    it.each([
      ["a gesture of the phone takes the finger away", "cancel"],
      ["the tab is hidden", "hide"],
    ])("the recording ends and is kept when %s", async (_name, event) => {
      const { page, center } = await openPage();
      const finger = await createFinger(page);
      await finger.press(center);
      await waitForSecond(page);

      await (event === "hide" ? hide(page) : finger.lose());

      await page.locator(".tile.audio").waitFor();
      expect(await page.locator(".voice-note").count()).toBe(0);
      expect(await listTrackStates(page)).toEqual(["ended"]);
    });

    it("a recording in the recorder's sheet ends when the tab is hidden", async () => {
      const { page, button } = await openPage();
      await button.focus();
      await page.keyboard.press("Enter");
      const sheet = page.getByRole("dialog", { name: t("record_audio") });
      await sheet.getByText("0:01").waitFor();

      await hide(page);

      await sheet.locator("audio").waitFor();
      expect(await listTrackStates(page)).toEqual(["ended"]);
    });

    it("the keyboard starts, stops and uses a recording", async () => {
      const { page, button } = await openPage({ isMobile: false, hasTouch: false });
      await button.focus();

      await page.keyboard.press("Enter");
      const sheet = page.getByRole("dialog", { name: t("record_audio") });
      await sheet.getByText("0:01").waitFor();
      await page.keyboard.press("Enter");
      await sheet.locator("audio").waitFor();
      await page.keyboard.press("Enter");

      await page.locator(".tile.audio").waitFor();
      expect(await listTrackStates(page)).toEqual(["ended"]);
    });

    it("a refused microphone is explained after a hold", async () => {
      const asked = await stage.createRequest({ intent: "Sing" });
      const { url } = await asked.createLink();
      const page = await stage.open(url, await stage.openDenyingContext());
      const box = (await page.locator("#add-voice").boundingBox())!;
      const finger = await createFinger(page);

      await finger.press({ x: box.x + 20, y: box.y + 20 });
      await page.getByText(t("mic_denied")).waitFor();
      await finger.lift();

      expect(await page.locator(".voice-note").count()).toBe(0);
      expect(await page.getByRole("dialog").count()).toBe(0);
    });
  });
}
