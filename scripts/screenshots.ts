/**
 * Takes the screenshots of the respond page and the inbox in docs/screenshots/. Run it with
 * `node scripts/screenshots.ts`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import {
  openActionForm,
  sendNow,
  setStage,
  type RespondStage,
} from "../test/support/respond-setup.ts";
import { inboxText, t } from "../test/support/page-texts.ts";
import { ROOT } from "./lib/exchange/wrangler.ts";

const FOLDER = join(ROOT, "docs", "screenshots");
const FRIDGE = join(ROOT, "scripts", "assets", "fridge.jpg");

const SMALL: BrowserContextOptions = { viewport: { width: 320, height: 640 } };
const DESKTOP: BrowserContextOptions = {
  viewport: { width: 1280, height: 900 },
  deviceScaleFactor: 1,
  isMobile: false,
  hasTouch: false,
};
const DARK: BrowserContextOptions = { colorScheme: "dark" };

const getTimeIn90Minutes = () => new Date(Date.now() + 5_430_000).toISOString();

const buildDinnerRequest = () => ({
  intent: "What’s in the fridge?",
  priority: "elevated",
  needed_by: getTimeIn90Minutes(),
  requires: ["check-visual"],
  constraints: { location: "home kitchen" },
  context: [
    "Planning dinner for **four**; the children prefer pasta.\n\n- the top shelf\n- the drawer at the bottom",
    {
      json: [
        { item: "milk", least: "1 l" },
        { item: "eggs", least: 6 },
      ],
    },
    { url: { url: "https://example.com/recipes/stir-fry", title: "Stir-fry with what is left" } },
  ],
  response_hint: [
    "image",
    {
      choice: {
        field: "enough",
        question: "Is it enough for dinner?",
        options: ["Plenty", "Just so", "No"],
      },
    },
    { number: { field: "eggs", question: "How many eggs?", min: 0, max: 30 } },
  ],
});

const takeScreenshot = async (page: Page, name: string, of?: string) => {
  if (of) await page.locator(of).evaluate((element) => element.scrollIntoView({ block: "start" }));
  // Wait for images, fonts and modules loaded after the first view.
  await page.waitForLoadState("networkidle");
  await page.screenshot({
    path: join(FOLDER, `${name}.jpg`),
    type: "jpeg",
    quality: 84,
    animations: "disabled",
  });
  process.stdout.write(`docs/screenshots/${name}.jpg\n`);
};

async function fillForm(page: Page): Promise<void> {
  await page.getByRole("radio", { name: "Just so" }).check();
  await page.getByLabel("How many eggs?").fill("4");
  await page
    .locator("#answer-text")
    .fill("Milk, yoghurt, cheese, broccoli, carrots, and half a stew.");
  await page.locator("#pick-photos").setInputFiles(FRIDGE);
  await page.locator(".tile.image img").waitFor();
}

async function captureAnswer(
  stage: RespondStage,
  name: string,
  options: BrowserContextOptions,
): Promise<void> {
  const asked = await stage.createRequest(buildDinnerRequest());
  // Without animated scrolling, which a screenshot would show half-way.
  const page = await stage.open((await asked.createLink()).url, {
    ...options,
    reducedMotion: "reduce",
  });
  await takeScreenshot(page, `${name}/request`);
  await fillForm(page);
  await takeScreenshot(page, `${name}/answer`, "#answer");
  await page.locator('#bar .primary[data-action="completed"]').click();
  await page.locator('[data-action="undo"]').waitFor();
  await takeScreenshot(page, `${name}/undo`);
  await sendNow(page);
  await page.locator(".hero").waitFor();
  await page.locator('#bar [data-action="add"]').waitFor();
  await takeScreenshot(page, `${name}/done`);
}

async function captureConversation(stage: RespondStage): Promise<void> {
  const asked = await stage.createRequest({
    intent: "Paint the garden fence",
    context: ["The green from last year; two coats."],
    needed_by: getTimeIn90Minutes(),
  });
  const page = await stage.open((await asked.createLink()).url);
  await page.locator("#more").click();
  await takeScreenshot(page, "phone/actions");
  await page.keyboard.press("Escape");
  await openActionForm(page, "needs_input");
  await page.getByLabel(t("question_n", { n: 1 })).fill("The gate as well?");
  await page.getByLabel(t("question_options")).fill("Yes\nNo");
  await takeScreenshot(page, "phone/question");
  await page.locator(".sheet button[type=submit]").click();
  await page.getByText(t("asked_them", { name: "claude" })).waitFor();
  await asked.say({ reply: { answers: { q1: "Yes, and the posts" } } });
  await page.getByText("Yes, and the posts").waitFor();
  await page.locator('#bar [data-action="claim"]').click();
  await page.locator('#status[data-status="claimed"]').waitFor();
  await openActionForm(page, "in_progress");
  await page.locator(".sheet button[type=submit]").click();
  await page.locator('#status[data-status="in_progress"]').waitFor();
  await takeScreenshot(page, "phone/conversation", "#so-far");
  await page.context().setOffline(true);
  await page.locator("#answer-text").fill("First coat is on.");
  await page.locator('#bar .primary[data-action="completed"]').click();
  await sendNow(page);
  await page.locator('.send[data-state="queued"]').waitFor();
  await takeScreenshot(page, "phone/offline", "#outbox");
}

/** Creates threads for every group of the inbox. */
async function setUpDay(stage: RespondStage): Promise<void> {
  const createThread = (intent: string, more: object = {}) =>
    stage.createRequest({ intent, requires: ["check-visual"], ...more });
  const done = await createThread("Was the garage door closed?");
  const waiting = await createThread("Order new filters for the heating");
  const mine = [
    await createThread("Water the plants on the balcony", { priority: "elevated" }),
    await createThread("Photograph the meter in the cellar", { response_hint: ["image"] }),
  ];
  await createThread("Is there a parcel at the neighbours’?");
  await createThread("The dog has not been out since noon: can you take him?", {
    priority: "urgent",
    needed_by: getTimeIn90Minutes(),
  });
  const context = await stage.openSignedInContext();
  const appendBlocks = (ref: string, ...MESS: object[]) =>
    context.request.post(`${stage.origin}/mess?ref=${ref}`, {
      headers: { "X-MESS-Client": "respond" },
      data: { MESS },
    });
  for (const { ref } of mine) await appendBlocks(ref, { status: { code: "claimed" } });
  await appendBlocks(
    done.ref,
    { response: { content: ["Yes"] } },
    { status: { code: "completed" } },
  );
  await appendBlocks(
    waiting.ref,
    { status: { code: "claimed" } },
    { status: { code: "needs_input", questions: ["Which size?"] } },
  );
}

const openInbox = async (stage: RespondStage, options: BrowserContextOptions): Promise<Page> => {
  const page = await stage.open(`${stage.origin}/inbox`, await stage.openSignedInContext(options));
  await page.locator("html[data-ready]").waitFor();
  await page.locator('[data-group="done"] .row-card').first().waitFor();
  return page;
};

async function captureInbox(stage: RespondStage): Promise<void> {
  for (const [name, options] of [
    ["phone", {}],
    ["phone-dark", DARK],
    ["desktop", DESKTOP],
    ["desktop-dark", { ...DESKTOP, ...DARK }],
    ["small", SMALL],
  ] as const)
    await takeScreenshot(await openInbox(stage, options), `${name}/inbox`);
  const page = await openInbox(stage, { locale: "fr-FR" });
  await page.locator("#settings").click();
  await page.getByRole("dialog").waitFor();
  await takeScreenshot(page, "phone/inbox-settings");
  await page.keyboard.press("Escape");
  await page.locator('[data-action="completed"]').first().click();
  await page.locator('[data-action="undo"]').waitFor();
  await page.context().setOffline(true);
  await page.locator("#connection .banner").waitFor();
  await takeScreenshot(page, "phone/inbox-offline");
  const offered = await stage.openSignedInContext();
  // Headless browsers deny notifications by default.
  await offered.addInitScript(() =>
    Object.defineProperty(Notification, "permission", { get: () => "default" }),
  );
  const offer = await stage.open(`${stage.origin}/inbox`, offered);
  await offer.locator('[data-offer="push"]').waitFor();
  await takeScreenshot(offer, "phone/inbox-offer");
  await offer.getByRole("button", { name: inboxText("push_on") }).click();
  await offer
    .getByRole("dialog")
    .getByRole("button", { name: inboxText("push_on") })
    .waitFor();
  await takeScreenshot(offer, "phone/inbox-notifications");
  const nobody = await stage.open(`${stage.origin}/inbox`, DARK);
  await nobody.getByRole("link", { name: inboxText("sign_in") }).waitFor();
  await takeScreenshot(nobody, "phone-dark/inbox-closed");
}

async function captureOtherPages(stage: RespondStage): Promise<void> {
  const asked = await stage.createRequest(buildDinnerRequest());
  const { url } = await asked.createLink();
  const small = await stage.open(url, SMALL);
  await small.evaluate(() => (document.documentElement.dataset["size"] = "large"));
  await takeScreenshot(small, "small/request");
  await takeScreenshot(small, "small/answer", "#answer");
  const german = await stage.open(url, { ...DARK, locale: "de-DE" });
  await german.locator("#settings").click();
  await takeScreenshot(german, "phone-dark/settings");
  const dead = await stage.open(`${stage.origin}/respond?ref=x&token=x`);
  await takeScreenshot(dead, "phone/closed");
}

mkdirSync(FOLDER, { recursive: true });
const stage = await setStage();
try {
  // The inbox comes first, before other threads exist.
  await setUpDay(stage);
  await captureInbox(stage);
  await captureAnswer(stage, "phone", {});
  await captureAnswer(stage, "phone-dark", DARK);
  await captureAnswer(stage, "desktop", DESKTOP);
  await captureConversation(stage);
  await captureOtherPages(stage);
} finally {
  await stage.end();
}
