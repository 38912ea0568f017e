/** What a person does on the page, and what the agent then reads. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { photo as cameraPhoto } from "../../support/photo.ts";
import {
  openAct,
  type ReadThread,
  sendNow,
  setStage,
  type Stage,
} from "../../support/respond-stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.end());
afterEach(async () => {
  await stage.closeContexts();
  expect(stage.faults.splice(0)).toEqual([]);
});

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
    expect(await page.locator(".chips").textContent()).toMatch(/Open.*Urgent.*min left/);
    await expect.poll(() => page.locator(".context strong").textContent()).toBe("six");

    await choose(page, "Half");
    await page.getByLabel("How many bottles?").fill("3");
    await page.getByLabel("Best before?").fill("2031-05-06");
    await choose(page, "Yes", "Did you look behind the juice?");
    await page.getByRole("textbox", { name: "Your answer" }).fill("Two are open.");
    await page.getByRole("button", { name: "Send answer" }).click();
    await sendNow(page);
    await page.getByText("Done. claude has your answer.").waitFor();

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

/** The files that an answer names, in its own order. */
const filesOf = ({ messages }: ReadThread) =>
  messages
    .flatMap(({ MESS }) =>
      MESS.flatMap(({ response }) => (response?.["content"] ?? []) as object[]),
    )
    .flatMap((entry) => Object.entries(entry) as [string, { file: string; name: string }][])
    .filter(([, { file }]) => file !== undefined)
    .map(([kind, { file, name }]) => ({ kind, file, name }));

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
      expect(
        await sheet.locator(button === "Voice" ? "audio" : "video").getAttribute("src"),
      ).toMatch(/^blob:/);
      await sheet.getByRole("button", { name: "Use it" }).click();
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

    await page.getByRole("button", { name: "Place" }).click();
    await page.getByLabel("Name of the place").fill("Level 2");
    await page.getByRole("button", { name: "Where I am now" }).click();
    await page.getByText("48.13700, 11.57500").waitFor();
    await page.getByText("Notes", { exact: true }).click();
    await page.getByLabel("Notes").fill("Ticket is in the glove box");
    await openAct(page, "respond");
    await sendNow(page);
    await page
      .getByText(/Arrived at/)
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

/** The EXIF segment of a photo, to be put into another. */
function exifOf(bytes: Uint8Array): Buffer {
  const start = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xe1]));
  const length = (bytes[start + 2]! << 8) | bytes[start + 3]!;
  return Buffer.from(bytes.subarray(start, start + 2 + length));
}

/** Presses one of the big buttons. */
const choose = (page: Page, option: string, question?: string) =>
  (question === undefined ? page : page.getByRole("group", { name: question }))
    .getByRole("radio", { name: option, exact: true })
    .check();

interface Case {
  act: string;
  fill: (page: Page) => Promise<void>;
  says: object;
  becomes: string;
}

const reason = (page: Page) => page.getByLabel("Reason").fill("The shop is shut");

const ACTS: Case[] = [
  {
    act: "claim",
    fill: (page) => choose(page, "30 min"),
    says: { status: { code: "claimed", estimate: "PT30M" } },
    becomes: "claimed",
  },
  {
    act: "in_progress",
    fill: async (page) => {
      await page.getByLabel("How far are you?").fill("35");
      await page.getByLabel("What is happening? (optional)").fill("On the ladder");
    },
    says: { status: { code: "in_progress", progress_pct: 35, message: "On the ladder" } },
    becomes: "in_progress",
  },
  {
    act: "needs_input",
    fill: async (page) => {
      await page.getByLabel("Question 1").fill("Which shop?");
      await page.getByLabel("Answers to choose from").fill("The near one\nThe cheap one");
      await page.getByRole("button", { name: "One more question" }).click();
      await page.getByLabel("Question 2").fill("How many?");
    },
    says: {
      status: {
        code: "needs_input",
        questions: [
          {
            id: "q1",
            field: "q1",
            question: "Which shop?",
            options: ["The near one", "The cheap one"],
          },
          { id: "q2", field: "q2", question: "How many?" },
        ],
      },
    },
    becomes: "needs_input",
  },
  {
    act: "needs_confirmation",
    fill: async (page) => {
      await page.getByLabel("What do you want to do?").fill("Throw away the old paint");
      await page.getByLabel("What follows from it?").fill("It is gone");
      await choose(page, "No", "Can it be undone?");
    },
    says: {
      status: {
        code: "needs_confirmation",
        action: "Throw away the old paint",
        consequences: "It is gone",
        reversible: false,
      },
    },
    becomes: "needs_confirmation",
  },
  {
    act: "waiting",
    fill: async (page) => {
      await choose(page, "Access");
      await page.getByLabel("What exactly?").fill("Cellar key");
    },
    says: { status: { code: "waiting", waiting_for: { type: "access", location: "Cellar key" } } },
    becomes: "waiting",
  },
  {
    act: "held",
    fill: reason,
    says: { status: { code: "held", reason: "The shop is shut" } },
    becomes: "held",
  },
  {
    act: "partial",
    fill: async (page) => {
      await page.getByRole("textbox", { name: "Done" }).fill("- hall\n- stairs");
      await page.getByLabel("Still to do").fill("attic");
    },
    says: { status: { code: "partial", completed: ["hall", "stairs"], remaining: ["attic"] } },
    becomes: "partial",
  },
  {
    act: "delegate",
    fill: async (page) => {
      await choose(page, "Roomba");
      await reason(page);
    },
    says: { status: { code: "delegated", delegated_to: "roomba", reason: "The shop is shut" } },
    becomes: "pending",
  },
  {
    act: "suggest",
    fill: async (page) => {
      await choose(page, "Later");
      await page.getByLabel("What exactly?").fill("tomorrow");
    },
    says: { suggestion: { type: "defer", proposed: { until: "tomorrow" } } },
    becomes: "pending",
  },
  {
    act: "followup",
    fill: (page) => page.getByLabel("Note", { exact: true }).fill("The bell is broken"),
    says: { followup: { message: "The bell is broken" } },
    becomes: "pending",
  },
  {
    act: "decline",
    fill: reason,
    says: { status: { code: "declined", reason: "The shop is shut" } },
    becomes: "pending",
  },
  {
    act: "failed",
    fill: async (page) => {
      await reason(page);
      await choose(page, "No", "Could another try work?");
    },
    says: { status: { code: "failed", reason: "The shop is shut", recoverable: false } },
    becomes: "failed",
  },
];

describe("an act", () => {
  it.each(ACTS)("$act reaches the agent", async ({ act, fill, says, becomes }) => {
    const asked = await stage.ask({ intent: `Try ${act}` });
    const { url } = await asked.link();
    const page = await stage.open(url);

    await openAct(page, act);
    await fill(page);
    await page.locator(".sheet button[type=submit]").click();
    const now = page.locator('[data-does="now"]');
    const row = page.locator(".send");
    await row.first().waitFor();
    if (await now.isVisible()) await now.click();
    await page.locator('.send[data-state="sent"]').waitFor();

    expect(await asked.said()).toMatchObject([says]);
    expect((await asked.read()).envelope.status).toBe(becomes);
  });

  it("of one tap can be taken back for five seconds, and is not sent then", async () => {
    const asked = await stage.ask({ intent: "Lock the door" });
    const { url } = await asked.link();
    const page = await stage.open(url);

    await page.getByRole("button", { name: "Done", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".send").waitFor({ state: "detached" });
    expect(await asked.said()).toEqual([]);

    await page.getByRole("button", { name: "Done", exact: true }).click();
    await sendNow(page);
    await asked.until(({ envelope }) => envelope.status === "completed");
    expect(await asked.said()).toMatchObject([{ status: { code: "completed" } }]);
  });

  it("goes on from a pause, and what is not possible says why", async () => {
    const asked = await stage.ask({ intent: "Paint the fence" });
    const { url } = await asked.link(["respond", "claim"]);
    const page = await stage.open(url);

    await openAct(page, "held");
    await page.locator(".sheet button[type=submit]").click();
    await page.getByRole("button", { name: "Go on", exact: true }).click();
    await asked.until(({ envelope }) => envelope.status === "in_progress");

    await page.locator("#more").click();
    expect(await page.locator('.sheet [data-act="decline"]').count()).toBe(0);
    await page.getByText("Not possible now").click();
    await page.getByText("Decline – Your link does not allow it.").waitFor();
  });
});

describe("a conversation", () => {
  it("shows the agent's answer to a question without a reload", async () => {
    const asked = await stage.ask({ intent: "Buy apples" });
    const { url } = await asked.link();
    const page = await stage.open(url);
    await openAct(page, "needs_input");
    await page.getByLabel("Question 1").fill("Red or green?");
    await page.locator(".sheet button[type=submit]").click();
    await page.getByText("claude has been asked.").waitFor();

    await asked.say({ reply: { answers: { q1: "Green ones, please" } } });

    await page.getByText("Green ones, please").waitFor();
    await expect.poll(() => page.locator("#announcer").textContent()).toContain("claude wrote");
  });

  it("lets nobody act before the approval that was asked for", async () => {
    const asked = await stage.ask({ intent: "Cut down the tree", confirm_before: true });
    const { url } = await asked.link();
    const page = await stage.open(url);
    expect(await page.locator('#bar [data-act="completed"]').count()).toBe(0);
    await page.locator('#bar [data-act="needs_confirmation"]').click();
    await page.getByLabel("What do you want to do?").fill("Fell the ash");
    await page.locator(".sheet button[type=submit]").click();
    await page.getByText("claude has to approve.").waitFor();

    await asked.say({ reply: { confirm: true } });
    await page.getByText("Approved").waitFor();
    await page.getByRole("button", { name: "Done", exact: true }).click();
    await sendNow(page);

    await asked.until(({ envelope }) => envelope.status === "completed");
  });
});
