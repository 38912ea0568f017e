/**
 * Callbacks of Slack and Telegram, each repeated three times, out of order and mixed with forged ones: the thread must
 * be the same as after the first deliveries alone. RELIABILITY_CASES sets the number of cases, RELIABILITY_SEED the
 * seed.
 */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { type Random, createSeededRandom } from "../../support/generators/random.ts";
import { ANN, createSlackHousehold } from "../ingress/chats/slack-household.ts";
import { ANN as ANNS_CHAT, createTelegramHousehold } from "../ingress/chats/telegram-household.ts";
import type { Answered } from "../support.ts";

const CASES = Math.ceil(Number(env.RELIABILITY_CASES) / 10);
const SEED = Number(env.RELIABILITY_SEED);

/** One event of a channel: the same in each repetition, and a forged form. */
interface Event {
  deliver: () => Promise<Response>;
  forge: () => Promise<Response>;
}

interface Home<Message> {
  askLook(intent: string): Promise<{ ref: string; message: Message }>;
  readThread(ref: string): Promise<Answered>;
}

const WORDS = ["under the sofa", "which room?", "ok", "or behind the door", "👍"];

let serial = 0;

/** The person's messages in the thread, without refs and times. */
const listMessagesIn = ({ envelope, messages }: Answered, channel: string): object => ({
  status: envelope.status,
  executor: envelope.executor,
  said: messages
    .filter((message: { channel?: string }) => message.channel === channel)
    .map(({ from, MESS }: { from: string; MESS: object[] }) => ({ from, MESS })),
});

function shuffleItems<T>(items: readonly T[], random: Random): T[] {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.pickBetween(0, at);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}

async function check<Message>(
  home: Home<Message>,
  channel: string,
  eventsFor: (message: Message) => Event[],
  seed: number,
): Promise<{ accepted: number }> {
  const random = createSeededRandom(seed);
  const [one, other] = [
    await home.askLook(`look ${++serial}`),
    await home.askLook(`look ${++serial}`),
  ];
  const events = eventsFor(one.message);
  const plan = shuffleItems(
    events.flatMap((_event, index) => [index, index, index]),
    random,
  );
  let accepted = 0;
  for (const index of plan) {
    if (random.next() < 0.3 && (await events[index]!.forge()).status !== 401) accepted++;
    // Some deliveries run concurrently.
    await Promise.all(
      Array.from({ length: random.pickBetween(1, 2) }, () => events[index]!.deliver()),
    );
  }
  const once = eventsFor(other.message);
  for (const index of new Set(plan)) await once[index]!.deliver();
  const [given, expected] = [await home.readThread(one.ref), await home.readThread(other.ref)];
  expect(listMessagesIn(given, channel), `seed ${seed}`).toEqual(listMessagesIn(expected, channel));
  expect(given.messages.length, `seed ${seed}`).toBe(expected.messages.length);
  return { accepted };
}

afterEach(() => vi.unstubAllGlobals());

it(`repeated, forged and overlapping Slack events leave the same thread as single ones: ${CASES} times`, async () => {
  const home = await createSlackHousehold();
  const { workspace } = home;
  const eventsFor = (message: Parameters<typeof workspace.act.tap>[0]): Event[] => {
    const frozen = { ...message, blocks: structuredClone(message.blocks) };
    const id = `Ev${++serial}`;
    const at = `1900000000.${String(serial).padStart(6, "0")}`;
    const tap = (more: object) => workspace.act.tap(frozen, "claimed", { user: ANN, at, ...more });
    const write = (text: string, more: object) =>
      workspace.act.write({ user: ANN, to: frozen, text, event: `${id}${text}`, ...more });
    const forged = { secret: "another" };
    return [
      { deliver: () => tap({}), forge: () => tap(forged) },
      ...WORDS.map((text) => ({
        deliver: () => write(text, {}),
        forge: () => write(text, forged),
      })),
    ];
  };

  let accepted = 0;
  for (let count = 0; count < CASES; count++)
    accepted += (await check(home, "slack", eventsFor, SEED + count)).accepted;

  expect(accepted).toBe(0);
}, 300_000);

it(`repeated, forged and overlapping Telegram updates leave the same thread as single ones: ${CASES} times`, async () => {
  const home = await createTelegramHousehold();
  const { server } = home;
  const eventsFor = (message: Parameters<typeof server.act.tap>[0]): Event[] => {
    const frozen = { ...message };
    const update = 1_000_000 + ++serial * 10;
    const tap = (more: object) => server.act.tap(frozen, "claimed", { update, ...more });
    const write = (text: string, index: number, more: object) =>
      server.act.write({ chat: ANNS_CHAT, to: frozen, text, update: update + index, ...more });
    const forged = { secret: "another" };
    return [
      { deliver: () => tap({}), forge: () => tap(forged) },
      ...WORDS.map((text, index) => ({
        deliver: () => write(text, index + 1, {}),
        forge: () => write(text, index + 1, forged),
      })),
    ];
  };

  let accepted = 0;
  for (let count = 0; count < CASES; count++)
    accepted += (await check(home, "telegram", eventsFor, SEED + count)).accepted;

  expect(accepted).toBe(0);
}, 300_000);
