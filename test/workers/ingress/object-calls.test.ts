/** Tests the calls to Durable Objects that one inbound message costs, and races between these calls. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { interceptCalls } from "../intercept-calls.ts";
import { householdIds, isOfHousehold } from "../support.ts";
import { PNG } from "../../support/media/png.ts";
import { createMailHousehold } from "./email/mail-household.ts";
import { createSlackHousehold } from "./chats/slack-household.ts";
import { createSmsHousehold } from "./sms/sms-household.ts";
import { createTelegramHousehold } from "./chats/telegram-household.ts";

/** Names of the called methods, in order. */
const calls: string[] = [];
/** A function that runs once, before or after the call with this name. */
let interruption:
  | { at: `${"before" | "after"} ${string}`; run: () => Promise<unknown> }
  | undefined;

const INBOUND = ["household.receiveInbound", "thread.receiveReply"];

/** Households of earlier tests, whose timers also cause calls. */
let earlierHouseholds: ReadonlySet<string> = new Set();

async function countCall(name: string, object: string, call: () => unknown): Promise<unknown> {
  if (isOfHousehold(object, earlierHouseholds)) return await call();
  calls.push(name);
  await interrupt(`before ${name}`);
  const result = await call();
  await interrupt(`after ${name}`);
  return result;
}

beforeEach(() => {
  earlierHouseholds = new Set(householdIds);
  interceptCalls(env.HOUSEHOLDS, "household", countCall);
  interceptCalls(env.THREADS, "thread", countCall);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function interrupt(at: string): Promise<void> {
  if (interruption?.at !== at) return;
  const { run } = interruption;
  interruption = undefined;
  await run();
}

/** Calls that follow a commit and are not part of the handling of a message. */
const CALLS_AFTER_COMMIT = /\.(?:findContacts|reportDeliveries|recordSummary)$/;

async function listCalls(work: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0;
  await work();
  return calls.splice(0).filter((call) => !CALLS_AFTER_COMMIT.test(call));
}

const PHOTO = { name: "box.png", type: "image/png", bytes: PNG };

describe("the calls to objects of an inbound message", () => {
  it("a Telegram button tap costs one call to the household and one to the thread", async () => {
    const { server, askLook, readStatus } = await createTelegramHousehold();
    const { ref, message } = await askLook("look into the box");

    // As it is shown before the exchange edits it, which takes the button away.
    const shown = structuredClone(message);
    const taken = await listCalls(() => server.act.tap(shown, "claimed"));
    const repeated = await listCalls(() => server.act.tap(shown, "claimed"));

    expect(taken).toEqual(INBOUND);
    expect(repeated).toEqual(INBOUND);
    expect(await readStatus(ref)).toBe("claimed");
  });

  it("a stale Telegram button costs no further call, although the refusal names the holder", async () => {
    const { server, ben, askLook, configureBoth } = await createTelegramHousehold();
    await configureBoth();
    const { ref, message } = await askLook("look into the box");
    await ben.claim(ref);

    const refused = await listCalls(() => server.act.tap(message, "claimed"));

    expect(refused).toEqual(INBOUND);
  });

  it("a Slack reply costs one call to the household and one to the thread", async () => {
    const { write, askLook, listMessagesIn } = await createSlackHousehold();
    const { ref, message } = await askLook("look into the box");

    const answered = await listCalls(() => write({ to: message, text: "two eggs" }));

    expect(answered).toEqual(INBOUND);
    expect(await listMessagesIn(ref)).toEqual(["response"]);
  });

  it("an SMS costs one call to the household and one to the thread", async () => {
    const { write, askLook, readStatus } = await createSmsHousehold();
    const ref = await askLook("look into the box");

    const answered = await listCalls(() => write("two eggs"));
    const completed = await listCalls(() => write("done"));

    expect([answered, completed]).toEqual([INBOUND, INBOUND]);
    expect(await readStatus(ref)).toBe("completed");
  });

  it("a mail costs one call to the household and one to the thread", async () => {
    const { answer, listMailMessages } = await createMailHousehold();

    const answered = await listCalls(() => answer({ text: "two eggs" }));

    expect(answered).toEqual(["household.resolveInbound", "thread.receiveReply"]);
    expect(await listMailMessages()).toHaveLength(1);
  });

  it("a message with files costs a second call to the thread before they are fetched, and one to the household for each file", async () => {
    const { answer, readOwnThread } = await createMailHousehold();

    const answered = await listCalls(() => answer({ text: "here", files: [PHOTO, PHOTO] }));

    expect(answered).toEqual([
      "household.resolveInbound",
      "thread.findReply",
      "household.reserveFiles",
      "household.reserveFiles",
      "thread.receiveReply",
    ]);
    expect((await readOwnThread()).attachments).toHaveLength(2);
  });
});

describe("an inbound message under races and failures", () => {
  it("a reply is interpreted in the state to which it is appended", async () => {
    const { ann, write, askLook, listMessagesIn, readStatus } = await createTelegramHousehold();
    const { ref, message } = await askLook("look into the box");
    interruption = { at: "before thread.receiveReply", run: () => ann.claim(ref) };

    await write({ to: message, text: "ok" });

    // In an unclaimed thread `ok` is a claim; in one that its author holds it is a followup.
    expect(await listMessagesIn(ref)).toEqual(["followup"]);
    expect(await readStatus(ref)).toBe("claimed");
  });

  it("a photo that Telegram sends again after a lost response is stored once", async () => {
    const { id, write, askLook, listMessagesIn, readThread } = await createTelegramHousehold();
    const { ref, message } = await askLook("look into the box");
    interruption = {
      at: "after thread.receiveReply",
      run: () => Promise.reject(new Error("lost")),
    };

    const sendPhoto = () =>
      write({ to: message, text: "here", file: { kind: "photo", bytes: PNG }, update: 77 });

    const failed = await sendPhoto();
    const repeated = await listCalls(sendPhoto);

    expect(failed.status).toBe(500);
    expect(repeated).toEqual(["household.receiveInbound", "thread.findReply"]);
    expect(await listMessagesIn(ref)).toEqual(["response"]);
    expect((await readThread(ref)).attachments).toHaveLength(1);
    expect((await env.BLOBS.list({ prefix: `${id}/` })).objects).toHaveLength(1);
  });
});
