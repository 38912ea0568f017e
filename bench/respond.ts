/**
 * The respond page on a slow phone, in a real browser against a started exchange: first view, upload of ten photos,
 * and time from a tap to the agent's wake-up. Baselines: an empty page with the same headers, and bare POSTs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { ROOT } from "../scripts/lib/exchange/wrangler.ts";
import { type CreatedRequest, setStage, type RespondStage } from "../test/support/respond-setup.ts";
import { type Served, serveLocally } from "../test/support/local-servers/serve.ts";
import { measureMedian } from "./lib/measure.ts";

const VIEW_RUNS = 7;
const TAP_RUNS = 15;
const PHOTOS = 10;
/** Slow 4G as Lighthouse defines it: bytes a second, and milliseconds of latency. */
const SLOW_4G = {
  downloadThroughput: 204_800,
  uploadThroughput: 93_750,
  latency: 150,
  offline: false,
};
const CPU_SLOWDOWN_FACTOR = 4;
const PHOTO = join(ROOT, "scripts", "assets", "fridge.jpg");

interface PageMarks {
  intent?: number;
  button?: number;
}

/** Runs in the page: records when the intent is visible and the main button can be pressed, in milliseconds. */
const watchPage = () => {
  const marks: PageMarks = {};
  Object.assign(globalThis, { marks });
  const checkView = () => {
    const intent = document.querySelector("h1");
    const button = document.querySelector("#bar .primary");
    if (intent?.textContent && intent.getClientRects().length > 0)
      marks.intent ??= performance.now();
    if (button && button.getClientRects().length > 0) marks.button ??= performance.now();
    if (marks.intent === undefined || marks.button === undefined) requestAnimationFrame(checkView);
  };
  checkView();
};

async function openSlowPage(stage: RespondStage): Promise<Page> {
  const context = await stage.openContext();
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.emulateNetworkConditions", SLOW_4G);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN_FACTOR });
  return page;
}

interface View extends Required<PageMarks> {
  bytes: number;
}

/** Opens a page until its main button can be pressed. `bytes` counts the compressed bodies loaded until then. */
async function measureView(stage: RespondStage, url: string): Promise<View> {
  const page = await openSlowPage(stage);
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    const measureSize = async () => gzipSync(await response.body()).length;
    sizes.push(measureSize().catch(() => 0));
  });
  await page.goto(url);
  await page.waitForFunction(() => {
    const { marks } = globalThis as unknown as { marks: PageMarks };
    return marks.intent !== undefined && marks.button !== undefined;
  });
  const counted = sizes.slice();
  const marks = await page.evaluate(
    () => (globalThis as unknown as { marks: Required<PageMarks> }).marks,
  );
  const bytes = (await Promise.all(counted)).reduce((sum, one) => sum + one, 0);
  await page.context().close();
  return { ...marks, bytes };
}

/** Serves a page with only a heading and a button, and accepts POSTs. */
async function startBaseline(stage: RespondStage): Promise<Served> {
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

const formatRatio = (ours: number, baseline: number): string =>
  `**${(ours / baseline).toFixed(1)}**`;
const formatRow = (name: string, ours: number, baseline: number, unit: string): string =>
  `| ${name} | ${ours.toFixed(0)} ${unit} | ${baseline.toFixed(0)} ${unit} | ${formatRatio(ours, baseline)} |`;

const getMedian = (views: readonly View[], key: keyof View): number =>
  measureMedian(views.map((one) => one[key]));

/** Measures the milliseconds from the tap that sends ten photos until they are stored. */
async function measurePhotos(stage: RespondStage, request: CreatedRequest): Promise<number> {
  const { url } = await request.createLink();
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

/** Measures the milliseconds of one bare POST of the same size on the same network. */
async function measurePost(stage: RespondStage, baseline: Served, size: number): Promise<number> {
  const page = await openSlowPage(stage);
  await page.goto(baseline.origin);
  // The page's content security policy allows requests to its own origin only, so the POST goes there.
  const took = await page.evaluate(async (bytes) => {
    const begun = performance.now();
    await fetch("/", { method: "POST", body: new Uint8Array(bytes) });
    return performance.now() - begun;
  }, size);
  await page.context().close();
  return took;
}

/** Measures the milliseconds from the tap on Done until the agent's wait returns. */
async function measureTapToWake(stage: RespondStage): Promise<number> {
  const asked = await stage.createRequest({ intent: "Turn off the light" });
  const page = await stage.open((await asked.createLink()).url);
  await page.locator('#bar [data-act="completed"]').click();
  const woken = waitForChange(stage, asked.ref);
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
async function measurePostToWake(stage: RespondStage): Promise<number> {
  const asked = await stage.createRequest({ intent: "Turn off the light" });
  const { url } = await asked.createLink();
  const token = new URL(url).searchParams.get("token") ?? "";
  const woken = waitForChange(stage, asked.ref);
  const begun = performance.now();
  await fetch(`${stage.stack.ready.origin}/thread/${asked.ref}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ MESS: [{ status: { re: asked.ref, code: "completed" } }] }),
  });
  await woken;
  return performance.now() - begun;
}

const waitForChange = (stage: RespondStage, ref: string): Promise<unknown> =>
  stage.agent.get(`/mess/${ref}/wait?timeout=30`);

export async function runRespondBench(): Promise<string> {
  const stage = await setStage();
  const baseline = await startBaseline(stage);
  try {
    const asked = await stage.createRequest({
      intent: "What is in the fridge?",
      context: ["The top shelf"],
    });
    const { url } = await asked.createLink();
    const views: View[] = [];
    const empty: View[] = [];
    for (let run = 0; run < VIEW_RUNS; run++) {
      empty.push(await measureView(stage, baseline.origin));
      views.push(await measureView(stage, url));
    }
    const album = await stage.createRequest({ intent: "Photograph the shelves" });
    const photos = await measurePhotos(stage, album);
    const { attachments } = await album.read();
    const size = attachments.reduce((sum, one) => sum + one.size, 0);
    const posted = await measurePost(stage, baseline, size);
    const taps: number[] = [];
    const posts: number[] = [];
    for (let run = 0; run < TAP_RUNS; run++) {
      posts.push(await measurePostToWake(stage));
      taps.push(await measureTapToWake(stage));
    }
    return `## The respond page

A CPU ${CPU_SLOWDOWN_FACTOR} times slower than this machine, on slow 4G. The baselines are an empty page with the same headers, one
bare POST of the same ${(size / 1_000).toFixed(0)} kB, and the same message posted by a program.

| | exchange | baseline | ratio |
| --- | --- | --- | --- |
${formatRow("bytes of the first view, compressed", getMedian(views, "bytes"), getMedian(empty, "bytes"), "B")}
${formatRow("the intent can be read", getMedian(views, "intent"), getMedian(empty, "intent"), "ms")}
${formatRow("the main button can be pressed", getMedian(views, "button"), getMedian(empty, "button"), "ms")}
${formatRow(`${PHOTOS} photos arrive`, photos, posted, "ms")}
${formatRow("from the tap on Done to the agent's wake-up, at full speed", measureMedian(taps), measureMedian(posts), "ms")}`;
  } finally {
    await baseline.stop();
    await stage.end();
  }
}
