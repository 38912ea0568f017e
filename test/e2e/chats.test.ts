import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { formatEvent } from "../../src/delivery/message-excerpts.ts";
import { expectNaming } from "../support/naming.ts";
import { startSlack } from "../support/local-servers/slack-server.ts";
import { type SharedExchange, joinExchange } from "../support/exchange-process.ts";
import { startTelegram } from "../support/local-servers/telegram-server.ts";

const ANN = "U04ANN";
const BEN = 1_002;
const LARGE = new Uint8Array(12 * 1024 * 1024).fill(7);

let stack: SharedExchange;
let slack: Awaited<ReturnType<typeof startSlack>>;
let telegram: Awaited<ReturnType<typeof startTelegram>>;

interface Read {
  envelope: { status: string; executor: string | null; history: { action: string }[] };
  messages: { channel?: string; MESS: object[] }[];
  attachments: { size: number; url: string }[];
}

const call = async (key: string, path: string, mess?: object): Promise<unknown> => {
  const response = await fetch(`${stack.ready.origin}${path}`, {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(mess === undefined ? {} : { method: "POST", body: JSON.stringify(mess) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json();
};

const waitUntil = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000, interval: 50 });

const createThread = async (intent: string): Promise<string> => {
  const asked = (await call(stack.ready.keys.agent, "/mess", {
    MESS: [{ request: { intent, requires: ["juggle"] } }],
  })) as { MESS: [{ ack: { ref: string } }] };
  return asked.MESS[0].ack.ref;
};
const read = async (ref: string): Promise<Read> =>
  (await call(stack.ready.keys.agent, `/mess/${ref}`)) as Read;
const listMessagesBy = async (ref: string, channel: string): Promise<string[]> =>
  (await read(ref)).messages
    .filter((message) => message.channel === channel)
    .flatMap(({ MESS }) => MESS.flatMap((block) => Object.keys(block)));

beforeAll(async () => {
  stack = await joinExchange();
  const { origin, household, keys } = stack.ready;
  slack = await startSlack({ hook: `${origin}/hooks/slack/${household}`, retries: [20, 100, 500] });
  telegram = await startTelegram({ retries: [20, 100, 500] });
  const buildExecutor = (id: string, notify: object) => ({
    config: { executor: { id, name: id, capabilities: ["juggle"], notify } },
  });
  await call(keys.owner, "/mess", {
    MESS: [
      { config: { dispatch: { slack: slack.settings(), telegram: telegram.settings() } } },
      buildExecutor("ann", { slack: ANN }),
      buildExecutor("ben", { telegram: BEN }),
    ],
  });
  await call(keys.owner, "/api/v1/channels/telegram/register", {});
  await telegram.act.start(BEN);
});
afterAll(async () => {
  await Promise.all([slack.stop(), telegram.stop()]);
});

const inSlack = (intent: string) =>
  waitUntil(() => {
    const found = slack.messages.find(({ text }) => text.includes(intent));
    expect(found).toBeDefined();
    return found!;
  });
const inTelegram = (intent: string) =>
  waitUntil(() => {
    const found = telegram.messages.find(({ text }) => text.includes(intent));
    expect(found).toBeDefined();
    return found!;
  });

it("a request goes to a member in Slack and one in Telegram, the first claims it and the other is told", async () => {
  const ref = await createThread("juggle three balls");
  const [anns, bens] = [await inSlack("three balls"), await inTelegram("three balls")];
  // The exchange has no public address here, and Telegram refuses buttons with a local one.
  expect(bens.text).toMatch(/\nhttp:\/\/\S+\/r\/\S+$/);
  expect(anns.shown).toContain("[claimed]");

  await telegram.act.tap(bens, "claimed");
  await waitUntil(() => expect(anns.shown.join("\n")).toEqual(expectNaming("ben")));
  expect(anns.shown).not.toContain("[claimed]");
  await telegram.act.write({
    chat: BEN,
    to: bens,
    text: "all in the air",
    file: { kind: "document", bytes: LARGE, name: "video.bin", type: "application/octet-stream" },
  });
  await telegram.act.tap(bens, "completed");

  const { envelope, attachments } = await read(ref);
  expect(envelope).toMatchObject({ status: "completed", executor: "ben" });
  expect(attachments[0]?.size).toBe(LARGE.byteLength);
  const completed = formatEvent({ what: "completed", by: "ben" }, {});
  await waitUntil(() => expect(anns.shown.join("\n").toLowerCase()).toContain(completed));
});

it("a large file from Slack is stored once although its event is repeated", async () => {
  const ref = await createThread("juggle four balls");
  const message = await inSlack("four balls");
  const file = { name: "film.bin", type: "application/octet-stream", bytes: LARGE };
  const write = (retry: number) =>
    slack.act.write({
      user: ANN,
      to: message,
      text: "see",
      files: [file],
      event: "EvLarge",
      retry,
    });

  const responses = await Promise.all([write(0), write(1), write(2)]);

  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await listMessagesBy(ref, "slack")).toEqual(["response"]);
  const { attachments } = await read(ref);
  expect(attachments).toHaveLength(1);
  const served = await fetch(`${stack.ready.origin}${attachments[0]?.url}`, {
    headers: { Authorization: `Bearer ${stack.ready.keys.agent}` },
  });
  expect((await served.arrayBuffer()).byteLength).toBe(LARGE.byteLength);
});

it("requests are delivered to Slack and Telegram after an outage of both", async () => {
  slack.outage({ status: 503 });
  telegram.outage({ status: 502 });
  const ref = await createThread("juggle five balls");
  await waitUntil(async () => {
    const { envelope } = await read(ref);
    expect(envelope.history.filter(({ action }) => action === "delivery_failed")).toHaveLength(2);
  });
  expect(slack.messages.some(({ text }) => text.includes("five balls"))).toBe(false);

  slack.endOutage();
  telegram.endOutage();

  const [anns] = [await inSlack("five balls"), await inTelegram("five balls")];
  await slack.act.write({ user: ANN, to: anns, text: "done" });
  expect((await read(ref)).envelope).toMatchObject({ status: "completed", executor: "ann" });
});
