/**
 * Starts an exchange and a browser with a fake camera, with both sides of a request: the agent's key and the person's
 * page.
 */
import { defined } from "../../src/mess/defined.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { createClient, type Client } from "../../scripts/lib/client.ts";
import { DEMO_PHONE_ID, DEMO_ROBOT_ID } from "../../scripts/lib/demo/demo-household.ts";
import { openState } from "../../scripts/lib/exchange/state-directory.ts";
import { launchBrowser } from "./browser.ts";
import { joinExchange, removeDirectories, type Stack, startStack } from "./exchange-process.ts";

export const PHONE_SIZE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

/** Milliseconds within which an expected change must occur. */
const TIMEOUT_MS = 10_000;

type Block = Record<string, Record<string, unknown>>;

export interface ReadThread {
  envelope: { status: string; executor: string | null; history: { action: string }[] };
  messages: { from: string; MESS: Block[] }[];
  attachments: { name: string; mime: string; size: number; url: string }[];
}

/** A request that was created, as the agent sees it. */
export interface CreatedRequest {
  ref: string;
  /** Creates a link for the phone's owner. */
  createLink(
    permissions?: readonly string[],
  ): Promise<{ url: string; short_url: string; jti: string }>;
  read(): Promise<ReadThread>;
  /** All blocks that the phone's owner sent, in order, without the protocol version. */
  listExecutorBlocks(): Promise<Block[]>;
  readBytes(name: string): Promise<Uint8Array>;
  /** Sends a block as the agent. */
  say(block: object): Promise<void>;
  /** Sends a block as another executor. */
  appendAsRobot(block: object): Promise<void>;
  /** Reads the thread until the condition holds. */
  until(isSo: (thread: ReadThread) => boolean): Promise<ReadThread>;
}

export class RespondStage {
  readonly stack: Pick<Stack, "ready" | "state" | "stop">;
  readonly browser: Browser;
  /** The origin by host name, which browsers on this machine treat as secure. */
  readonly origin: string;
  readonly agent: Client;
  readonly owner: Client;
  readonly #robot: Client;
  readonly #contexts: BrowserContext[] = [];
  /** Cookies of the phone's owner, who signs in once. */
  #session: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;
  #denying: Browser | undefined;
  #posix: Browser | undefined;
  #homes = 0;
  /** Errors that the pages reported. */
  readonly faults: string[] = [];

  constructor(stack: Pick<Stack, "ready" | "state" | "stop">, browser: Browser) {
    this.stack = stack;
    this.browser = browser;
    const { origin, keys } = stack.ready;
    this.origin = origin.replace("127.0.0.1", "localhost");
    this.agent = createClient(origin, keys.agent);
    this.owner = createClient(origin, keys.owner);
    this.#robot = createClient(origin, keys.executors[DEMO_ROBOT_ID] ?? "");
  }

  async createRequest(request: object): Promise<CreatedRequest> {
    const { agent, origin } = this;
    const made = await agent.post<{ MESS: { ack: { ref: string } }[] }>("/mess", {
      MESS: [{ request }],
    });
    const ref = made.MESS[0]?.ack.ref ?? "";
    const read = () => agent.get<ReadThread>(`/mess/${ref}`);
    const appendBy = async (who: Client, block: object) => {
      const [[type, body] = ["", {}]] = Object.entries(block) as [string, object][];
      await who.post("/mess", { MESS: [{ [type]: { re: ref, ...body } }] });
    };
    return {
      ref,
      createLink: async (permissions) => {
        const body = { executor: DEMO_PHONE_ID, ...defined({ permissions }) };
        const link = await agent.post<{ url: string; short_url: string; jti: string }>(
          `/mess/${ref}/links`,
          body,
        );
        const toLocalUrl = (url: string) => url.replace(/^http:\/\/[^/]+/, origin);
        return { ...link, url: toLocalUrl(link.url), short_url: toLocalUrl(link.short_url) };
      },
      read,
      listExecutorBlocks: async () =>
        (await read()).messages
          .filter(({ from }) => from === DEMO_PHONE_ID)
          .flatMap(({ MESS }) => MESS)
          .filter((item) => !("v" in item)),
      readBytes: (name) => agent.bytes(`/mess/${ref}/attachments/${name}`),
      say: (block) => appendBy(agent, block),
      appendAsRobot: (block) => appendBy(this.#robot, block),
      until: async (isSo) => {
        const end = Date.now() + TIMEOUT_MS;
        let thread = await read();
        while (!isSo(thread)) {
          if (Date.now() > end)
            throw new Error(`still ${thread.envelope.status} after ${TIMEOUT_MS} ms`);
          await sleep(50);
          thread = await read();
        }
        return thread;
      },
    };
  }

  async openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    return await this.#openContextIn(this.browser, options);
  }

  async #openContextIn(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext({
      ...(browser === this.#posix ? {} : { locale: "en-GB" }),
      // The service worker loads the whole shell, so only tests of that allow it.
      serviceWorkers: "block",
      ...PHONE_SIZE,
      ...options,
      // Each context has a separate address, since calls without a credential are counted by address.
      extraHTTPHeaders: { "CF-Connecting-IP": `2001:db8:0:${(this.#homes += 1)}::1` },
    });
    this.#contexts.push(context);
    return context;
  }

  /** Opens a context in which the phone's owner is signed in, with a shared session. */
  async openSignedInContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    if (this.#session) return await this.openContext({ ...options, storageState: this.#session });
    const context = await this.signIn(options);
    this.#session = await context.storageState();
    return context;
  }

  /** Opens a context with a separate session, which the test may end; that of an owner is verified. */
  async signIn(
    options: BrowserContextOptions = {},
    member: { actor: string; role: "owner" | "executor" } = {
      actor: DEMO_PHONE_ID,
      role: "executor",
    },
  ): Promise<BrowserContext> {
    const context = await this.openContext(options);
    const made = await this.owner.post<{ url: string }>("/api/v1/sign-in-links", member);
    const { url } = member.role === "owner" ? await this.#createOperatorLink(member.actor) : made;
    const page = await context.newPage();
    await page.goto(url.replace(/^http:\/\/[^/]+/, this.origin));
    await page.locator('form[action="/sign-in"] button[type="submit"]').click();
    await page.locator('form[action="/sign-out"]').waitFor();
    await page.close();
    return context;
  }

  #createOperatorLink(actor: string): Promise<{ url: string }> {
    const { ready, state } = this.stack;
    const operator = createClient(ready.origin, openState(state).operatorKey);
    return operator.post(`/api/v1/households/${ready.household}/sign-in-links`, { actor });
  }

  /** Opens the page of a link and waits until the request is visible. */
  async open(url: string, options: BrowserContextOptions | BrowserContext = {}): Promise<Page> {
    const context = "newPage" in options ? options : await this.openContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", ({ message }) => this.faults.push(message));
    page.on("console", (line) => {
      // The browser logs responses that are refusals; these are not errors of the page.
      if (line.type() === "error" && !/Failed to load resource|WebSocket|ERR_/.test(line.text()))
        this.faults.push(line.text());
    });
    await page.goto(url);
    await page.locator("h1").first().waitFor();
    return page;
  }

  /** Opens a context in a separate browser that denies access to microphone and camera. */
  async openDenyingContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    this.#denying ??= await launchBrowser([
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream=deny",
    ]);
    return await this.#openContextIn(this.#denying, options);
  }

  /** Opens a context in a separate browser without a system locale; on Linux its language is not a valid tag. */
  async openContextWithoutLocale(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    this.#posix ??= await launchBrowser([], { LANG: "C", LC_ALL: "C" });
    return await this.#openContextIn(this.#posix, options);
  }

  async closeContexts(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  async end(): Promise<void> {
    await this.closeContexts();
    await Promise.all([this.browser.close(), this.#denying?.close(), this.#posix?.close()]);
    await this.stack.stop();
    removeDirectories();
  }
}

const launchBrowserWithMedia = (): Promise<Browser> =>
  launchBrowser(["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]);

/** @param options further options of `npm start` */
export async function setStage(options: readonly string[] = []): Promise<RespondStage> {
  const [stack, browser] = await Promise.all([
    startStack(undefined, options),
    launchBrowserWithMedia(),
  ]);
  return new RespondStage(stack, browser);
}

/** Creates a stage with its own household in the exchange that test files share. */
export async function joinStage(): Promise<RespondStage> {
  const [exchange, browser] = await Promise.all([joinExchange(), launchBrowserWithMedia()]);
  return new RespondStage({ ...exchange, stop: async () => 0 }, browser);
}

/** Opens the sheet with all actions, then the form of one. */
export async function openActionForm(page: Page, action: string): Promise<void> {
  await page.locator("#more").click();
  await page.locator(`.sheet [data-action="${action}"]`).click();
}

/** Sends at once, without the time to undo. */
export const sendNow = (page: Page): Promise<void> => page.locator('[data-action="now"]').click();
