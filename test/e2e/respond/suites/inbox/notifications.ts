/** Push messages in a real browser: the notification of the service worker, and the actions in it. */
import type { BrowserContext, Page, Worker as ServiceWorker } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_PHONE_ID } from "../../../../../scripts/lib/demo/demo-household.ts";
import { startPushService } from "../../../../support/local-servers/push-server.ts";
import { inboxText, t } from "../../../../support/page-texts.ts";
import { stage } from "../../shared-stage.ts";

let service: Awaited<ReturnType<typeof startPushService>>;

/** A notification as the browser would show it. */
interface Shown {
  title: string;
  body: string;
  tag: string;
  actions: string[];
}

/** The part of a service worker's global scope that the injected functions use. */
interface Scope {
  registration: { scope: string };
  tray: Map<string, Shown & { data: unknown; close(): void }>;
}

/** Opens a signed-in browser and subscribes through the inbox; its push service is local. */
async function openSubscribedBrowser(browser: string) {
  const context = await stage.openSignedInContext({ serviceWorkers: "allow" });
  // Real browsers subscribe with their vendor's service, and headless ones show no notifications, even with permission.
  await context.exposeFunction("subscribeHere", (key: string) => service.subscribe(browser, key));
  await context.addInitScript(() => {
    let permission = "default";
    Object.defineProperty(Notification, "permission", { get: () => permission });
    Object.assign(Notification, { requestPermission: async () => (permission = "granted") });
    let mine: object | null = null;
    Object.assign(PushManager.prototype, {
      subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
        const key = btoa(String.fromCharCode(...applicationServerKey))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replaceAll("=", "");
        const { subscribeHere } = globalThis as unknown as {
          subscribeHere: (key: string) => Promise<object>;
        };
        const made = await subscribeHere(key);
        mine = { toJSON: () => made, unsubscribe: async () => Boolean((mine = null)) };
        return mine;
      },
      getSubscription: async () => mine,
    });
  });
  const page = await stage.open(`${stage.origin}/inbox`, context);
  await page.locator("html[data-ready]").waitFor();
  await page.getByRole("button", { name: inboxText("push_on") }).click();
  const sheet = page.getByRole("dialog", { name: inboxText("push") });
  // The page explains notifications before it asks for permission.
  await sheet.getByText(inboxText("push_how")).waitFor();
  expect(await page.evaluate(() => Notification.permission)).toBe("default");
  await sheet.getByRole("button", { name: inboxText("push_on") }).click();
  await sheet.getByText(inboxText("push_is_on")).waitFor();
  return { context, page, sheet };
}

/** The service worker for the household's push messages, with its notifications. */
async function pushWorker(context: BrowserContext, page: Page) {
  const cdp = await context.newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const push = registrations.find(({ scopeURL }) => scopeURL.includes("/inbox/push/"));
      if (push) resolve(push.registrationId);
    });
  });
  await cdp.send("ServiceWorker.enable");
  const registrationId = await found;
  const isPush = (worker: ServiceWorker) =>
    worker.evaluate(() => (self as unknown as Scope).registration.scope.includes("/inbox/push/"));
  let worker: ServiceWorker | undefined;
  for (const one of context.serviceWorkers()) if (await isPush(one)) worker = one;
  if (!worker) throw new Error("no service worker takes push messages");
  const mine = worker;
  await mine.evaluate(() => {
    const scope = self as unknown as Scope;
    scope.tray = new Map();
    Object.assign(ServiceWorkerRegistration.prototype, {
      showNotification: async (title: string, options: NotificationOptions) => {
        const {
          body = "",
          tag = "",
          data,
          actions,
        } = options as NotificationOptions & {
          actions: { action: string }[];
        };
        const close = () => void scope.tray.delete(tag);
        const shown = { title, body, tag, data, actions: actions.map(({ action }) => action) };
        scope.tray.set(tag, { ...shown, close });
      },
      getNotifications: async ({ tag = "" } = {}) =>
        [...scope.tray.values()].filter((one) => tag === "" || one.tag === tag),
    });
  });
  return {
    deliver: async (note: object) => {
      const data = JSON.stringify(note);
      const { origin } = stage;
      await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
    },
    shown: () =>
      mine.evaluate(() =>
        [...(self as unknown as Scope).tray.values()].map(
          ({ title, body, tag, actions }): Shown => ({ title, body, tag, actions }),
        ),
      ),
    /** Taps twice in quick succession. */
    tapTwice: (action: string) =>
      mine.evaluate((name) => {
        const [notification] = (self as unknown as Scope).tray.values();
        for (let n = 0; n < 2; n++) {
          const event = new ExtendableEvent("notificationclick");
          dispatchEvent(Object.assign(event, { notification, action: name }));
        }
      }, action),
  };
}

declare const ExtendableEvent: new (type: string) => Event;

export function notes(): void {
  describe("a notification", () => {
    beforeAll(async () => {
      service = await startPushService();
      const { config } = await stage.owner.get<{
        config: { executors: Record<string, object> };
      }>("/api/v1/config");
      const phone = { ...config.executors[DEMO_PHONE_ID], notify: { push: true } };
      await stage.owner.post("/mess", {
        MESS: [{ config: { executors: { [DEMO_PHONE_ID]: phone } } }],
      });
    });
    afterAll(() => service.stop());

    it("a notification shows the request, claims it once, and closes when another executor has claimed it", async () => {
      const { context, page, sheet } = await openSubscribedBrowser("phone");
      const asked = await stage.createRequest({
        intent: "Is the oven off?",
        requires: ["check-visual"],
        context: ["Ground floor"],
      });
      await expect.poll(() => service.messages.length, { timeout: 10_000 }).toBe(1);
      const { deliver, shown, tapTwice } = await pushWorker(context, page);
      const { note } = service.messages[0]!;

      await deliver(note);
      await expect.poll(shown).toMatchObject([
        {
          title: "Is the oven off?",
          body: `${inboxText("note_offer", { name: "claude" })}\nGround floor`,
          actions: ["claim", "decline", "open"],
        },
      ]);
      await tapTwice("claim");
      await asked.until(({ envelope }) => envelope.executor === DEMO_PHONE_ID);
      await expect.poll(shown).toMatchObject([{ body: inboxText("note_mine"), actions: ["open"] }]);
      expect(await asked.listExecutorBlocks()).toMatchObject([{ status: { code: "claimed" } }]);

      const other = { ...note, id: "n2", ref: "2031-01-01-001" };
      await deliver(other);
      await expect.poll(async () => (await shown()).length).toBe(2);
      await deliver({ ...other, kind: "over", holder: "Roomba" });
      await expect.poll(async () => (await shown()).length).toBe(1);

      // The exchange sends the same notice for a thread that another executor claims.
      const lost = await stage.createRequest({ intent: "Let the cat in" });
      const listCases = (kind: string) =>
        service.messages.filter(({ note }) => note["ref"] === lost.ref && note["kind"] === kind);
      await expect.poll(() => listCases("offer").length, { timeout: 10_000 }).toBe(1);
      await lost.appendAsRobot({ status: { code: "claimed" } });
      await expect
        .poll(() => listCases("over"), { timeout: 10_000 })
        .toMatchObject([{ note: { holder: "Roomba", actions: [] } }]);

      await sheet.getByRole("button", { name: inboxText("push_off") }).click();
      await sheet.getByText(inboxText("push_is_off")).waitFor();
    });

    it("a yes-or-no request is answered from its notification, once", async () => {
      const { context, page, sheet } = await openSubscribedBrowser("watch");
      const before = service.messages.length;
      const asked = await stage.createRequest({
        intent: "Is the window shut?",
        requires: ["check-visual"],
        response_hint: ["confirmation"],
      });
      await expect.poll(() => service.messages.length, { timeout: 10_000 }).toBe(before + 1);
      const { deliver, shown, tapTwice } = await pushWorker(context, page);

      await deliver(service.messages.at(-1)!.note);
      await expect.poll(shown).toMatchObject([{ actions: ["reply-0", "reply-1", "open"] }]);
      await tapTwice("reply-1");

      await asked.until(({ envelope }) => envelope.status === "completed");
      await expect
        .poll(shown)
        .toMatchObject([
          { body: inboxText("note_answered", { text: t("no") }), actions: ["open"] },
        ]);
      expect(await asked.listExecutorBlocks()).toMatchObject([
        { response: { content: [{ confirmation: false }] } },
        { status: { code: "completed" } },
      ]);
      await sheet.getByRole("button", { name: inboxText("push_off") }).click();
      await sheet.getByText(inboxText("push_is_off")).waitFor();
    });
  });
}
