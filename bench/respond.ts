/**
 * The respond page on a slow phone, in a real browser against the exchange as it is started: first view, ten photos,
 * and how soon the agent hears of a tap. Floors: an empty page with the same headers, and bare POSTs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { ROOT } from "../scripts/lib/wrangler.ts";
import { type CreatedRequest, setStage, type RespondStage } from "../test/support/respond-setup.ts";
import { type Served, serveLocally } from "../test/support/serve.ts";
import { measureMedian } from "./lib/measure.ts";

const OPENED = 7;
const TAPPED = 15;
const PHOTOS = 10;
/** Slow 4G as Lighthouse has it: bytes a second, and milliseconds of latency. */
const SLOW = {
  downloadThroughput: 204_800,
  uploadThroughput: 93_750,
  latency: 150,
  offline: false,
};
const SLOWDOWN = 4;
const PHOTO = join(ROOT, "scripts", "assets", "fridge.jpg");

interface PageMarks {
  intent?: number;
  button?: number;
}

/** Notes when the intent can first be read and the large button be pressed, in milliseconds from the tap. */
const watchPage = () => {
  const marks: PageMarks = {};
  Object.assign(globalThis, { marks });
  const openView = () => {
    const intent = document.querySelector("h1");
    const button = document.querySelector("#bar .primary");
    if (intent?.textContent && intent.getClientRects().length > 0)
      marks.intent ??= performance.now();
    if (button && button.getClientRects().length > 0) marks.button ??= performance.now();
    if (marks.intent === undefined || marks.button === undefined) requestAnimationFrame(openView);
  };
  openView();
};

async function openSlowPage(stage: RespondStage): Promise<Page> {
  const context = await stage.openContext();
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.emulateNetworkConditions", SLOW);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  return page;
}

interface View extends Required<PageMarks> {
  bytes: number;
}

/** Opens a page until its button can be pressed. `bytes` is what came until then, compressed. */
async function measureView(stage: RespondStage, url: string): Promise<View> {
  const page = await openSlowPage(stage);
  const coming: Promise<number>[] = [];
  page.on("response", (response) => {
    const measureSize = async () => gzipSync(await response.body()).length;
    coming.push(measureSize().catch(() => 0));
  });
  await page.goto(url);
  await page.waitForFunction(() => {
    const { marks } = globalThis as unknown as { marks: PageMarks };
    return marks.intent !== undefined && marks.button !== undefined;
  });
  const counted = coming.slice();
  const marks = await page.evaluate(
    () => (globalThis as unknown as { marks: Required<PageMarks> }).marks,
  );
  const bytes = (await Promise.all(counted)).reduce((sum, one) => sum + one, 0);
  await page.context().close();
  return { ...marks, bytes };
}

/** A page with nothing but a heading and a button, and an address that takes what is posted. */
async function startFloor(stage: RespondStage): Promise<Served> {
  const ours = await fetch(`${stage.origin}/respond`);
  await ours.arrayBuffer();
  const headers = Object.fromEntries(
    ["content-type", "content-security-policy", "cache-control", "referrer-policy"].flatMap(
      (name) => (ours.headers.has(name) ? [[name, ours.headers.get(name) ?? ""]] : []),
    ),
  );
  const page = `<!doctype html><title>x</title><h1>x</h1><div id="bar"><button class="primary">x</button></div>`;
  return await serveLocally(async (request) => {
    if (request.method === "POST") await request.arrayBuffer();
    return new Response(request.method === "POST" ? "{}" : page, { headers });
  });
}

const formatRatio = (ours: number, floor: number): string => `**${(ours / floor).toFixed(1)}**`;
const formatRow = (name: string, ours: number, floor: number, unit: string): string =>
  `| ${name} | ${ours.toFixed(0)} ${unit} | ${floor.toFixed(0)} ${unit} | ${formatRatio(ours, floor)} |`;

const getMedian = (views: readonly View[], what: keyof View): number =>
  measureMedian(views.map((one) => one[what]));

/** Milliseconds from the tap that sends ten photos until the agent has them. */
async function sendPhotos(stage: RespondStage, asked: CreatedRequest): Promise<number> {
  const { url } = await asked.createLink();
  const page = await openSlowPage(stage);
  await page.goto(url);
  await page.locator("#answer-text").waitFor();
  const files = Array.from({ length: PHOTOS }, (_, n) => ({
    name: `photo-${n}.jpg`,
    mimeType: "image/jpeg",
    buffer: readFileSync(PHOTO),
  }));
  await page.locator("#pick-photos").setInputFiles(files);
  await page
    .locator(".tile.image")
    .nth(PHOTOS - 1)
    .waitFor({ timeout: 60_000 });
  await page.locator('#bar [data-act="completed"]').click();
  const begun = performance.now();
  await page.locator('[data-does="now"]').click();
  await page.locator(".hero").waitFor({ timeout: 300_000 });
  const took = performance.now() - begun;
  await page.context().close();
  return took;
}

/** Milliseconds that one bare POST of as many bytes takes on the same line. */
async function postBytes(stage: RespondStage, floor: Served, size: number): Promise<number> {
  const page = await openSlowPage(stage);
  await page.goto(floor.origin);
  // Its own policy would stop it from talking to anybody but itself; this is itself.
  const took = await page.evaluate(async (bytes) => {
    const begun = performance.now();
    await fetch("/", { method: "POST", body: new Uint8Array(bytes) });
    return performance.now() - begun;
  }, size);
  await page.context().close();
  return took;
}

/** Milliseconds from the tap on Done until the agent's wait returns. */
async function tapToWake(stage: RespondStage): Promise<number> {
  const asked = await stage.createRequest({ intent: "Turn off the light" });
  const page = await stage.open((await asked.createLink()).url);
  await page.locator('#bar [data-act="completed"]').click();
  const woken = waitFor(stage, asked.ref);
  const now = page.locator('[data-does="now"]');
  await now.waitFor();
  const begun = performance.now();
  await now.click();
  await woken;
  const took = performance.now() - begun;
  await page.context().close();
  return took;
}

/** The same without a browser: one POST of the same message. */
async function postToWake(stage: RespondStage): Promise<number> {
  const asked = await stage.createRequest({ intent: "Turn off the light" });
  const { url } = await asked.createLink();
  const token = new URL(url).searchParams.get("token") ?? "";
  const woken = waitFor(stage, asked.ref);
  const begun = performance.now();
  await fetch(`${stage.stack.ready.origin}/thread/${asked.ref}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ MESS: [{ status: { re: asked.ref, code: "completed" } }] }),
  });
  await woken;
  return performance.now() - begun;
}

const waitFor = (stage: RespondStage, ref: string): Promise<unknown> =>
  stage.agent.get(`/mess/${ref}/wait?timeout=30`);

export async function runRespondBench(): Promise<string> {
  const stage = await setStage();
  const floor = await startFloor(stage);
  try {
    const asked = await stage.createRequest({
      intent: "What is in the fridge?",
      context: ["The top shelf"],
    });
    const { url } = await asked.createLink();
    const views: View[] = [];
    const empty: View[] = [];
    for (let run = 0; run < OPENED; run++) {
      empty.push(await measureView(stage, floor.origin));
      views.push(await measureView(stage, url));
    }
    const album = await stage.createRequest({ intent: "Photograph the shelves" });
    const photos = await sendPhotos(stage, album);
    const { attachments } = await album.read();
    const size = attachments.reduce((sum, one) => sum + one.size, 0);
    const posted = await postBytes(stage, floor, size);
    const taps: number[] = [];
    const posts: number[] = [];
    for (let run = 0; run < TAPPED; run++) {
      posts.push(await postToWake(stage));
      taps.push(await tapToWake(stage));
    }
    return `## The respond page

A phone ${SLOWDOWN} times slower than this machine, on slow 4G; floors are an empty page with the same headers, one
bare POST of the same ${(size / 1_000).toFixed(0)} kB, and the same message posted by a program.

| | ours | floor | ratio |
| --- | --- | --- | --- |
${formatRow("bytes of the first view, compressed", getMedian(views, "bytes"), getMedian(empty, "bytes"), "B")}
${formatRow("the intent can be read", getMedian(views, "intent"), getMedian(empty, "intent"), "ms")}
${formatRow("the answer's button can be pressed", getMedian(views, "button"), getMedian(empty, "button"), "ms")}
${formatRow(`${PHOTOS} photos arrive`, photos, posted, "ms")}
${formatRow("from the tap on Done to the agent's wake-up, at full speed", measureMedian(taps), measureMedian(posts), "ms")}`;
  } finally {
    await floor.stop();
    await stage.end();
  }
}
