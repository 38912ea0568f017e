import { getThreadStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { postMessages } from "../../../src/exchange/exchange.ts";
import { toCanonicalJson } from "../../../src/mess/json.ts";
import { writeThreadYaml } from "../../../src/mess/messe-af/write.ts";
import { type Random, createSeededRandom } from "../../support/generators/random.ts";
import { Faults } from "./fault-injection.ts";
import {
  type ReliabilityHousehold,
  createReliabilityHousehold,
  advanceClock,
} from "./reliability-household.ts";

const CASES = Number(env.RELIABILITY_CASES);
const SEED = Number(env.RELIABILITY_SEED);
const COPIES = 3;

beforeAll(() => {
  // The index is not under test here, and would take most of the time.
  new Faults().install().setOutage("index", "before");
  advanceClock(0);
});

/** Messages of a robot about one task, in order; `FILE` stands for a photo of its own. */
const SCRIPTS: readonly object[][] = [
  [
    { status: { code: "claimed", eta: "5m" } },
    { status: { code: "in_progress", progress_pct: 40 } },
    { response: { content: ["swept", { file: "FILE" }] } },
    { followup: { message: "the bin is full" } },
  ],
  [
    { status: { code: "in_progress", message: "on my way" } },
    { status: { code: "waiting", waiting_for: { type: "access", note: "door" } } },
    { status: { code: "completed" } },
  ],
  [
    { status: { code: "failed", recoverable: true, message: "stuck" } },
    { status: { code: "claimed" } },
    { status: { code: "completed" } },
    { followup: { message: "done after all", context: [{ file: "FILE" }] } },
  ],
];

interface Callback {
  key: string;
  text: string;
}

describe("a robot's messages, each three times, late and out of order", () => {
  it(
    `a robot's messages that arrive three times and out of order leave the same thread as single ones, in ${CASES} cases (seed ${SEED})`,
    async () => {
      const random = createSeededRandom(SEED);
      const home = await createReliabilityHousehold("robot");
      let delivered = 0;
      for (let at = 0; at < CASES; at++) {
        const script = SCRIPTS[random.pickBetween(0, SCRIPTS.length - 1)]!;
        const photo = Array.from({ length: 4_200 }, () => random.pickBetween(0, 9)).join("");
        const [once, thrice] = [await createThread(home, at), await createThread(home, at)];
        const acks = new Map<string, string>();
        /** Copies that have not arrived yet. */
        let late: Callback[] = [];
        for (const [step, block] of script.entries()) {
          advanceClock(2_000);
          const buildCallback = (re: string): Callback => ({
            key: `${at}-${step}-${re}`,
            text: JSON.stringify({ MESS: [withTarget(block, re, photo)] }),
          });
          await deliver(home, buildCallback(once), acks);
          const first = buildCallback(thrice);
          const early = step === 0 ? [] : takeSome(late, random);
          late = late.filter((one) => !early.includes(one));
          // The first copy arrives in order; other copies of it and of earlier messages arrive at the same time.
          const now = [...early, first, ...(random.next() < 0.3 ? [first] : [])];
          await Promise.all(shuffleItems(now, random).map((one) => deliver(home, one, acks)));
          for (let copy = now.filter((one) => one === first).length; copy < COPIES; copy++)
            late.push(first);
          delivered += 1 + now.length;
        }
        advanceClock(2_000);
        for (const one of shuffleItems(late, random)) await deliver(home, one, acks);
        delivered += late.length;

        expect(await snapshotThread(home, thrice), `case ${at}, seed ${SEED}`).toBe(
          await snapshotThread(home, once),
        );
      }
      expect(delivered).toBeGreaterThan(CASES * 3 * (1 + COPIES));
    },
    60_000 + CASES * 500,
  );
});

async function createThread(home: ReliabilityHousehold, at: number): Promise<string> {
  const raw = {
    text: JSON.stringify({ request: { intent: `sweep room ${at}` } }),
    channel: "http",
  };
  const posted = await postMessages(env, home.as("scout"), raw);
  const [entry] = posted.ok ? posted.value.entries : [];
  if (!entry || !("ack" in entry)) throw new Error(JSON.stringify(posted));
  return entry.ack["ref"] as string;
}

function withTarget(block: object, re: string, photo: string): object {
  const [[type, body] = ["", {}]] = Object.entries(block);
  const uri = `data:application/octet-stream;base64,${photo}`;
  return JSON.parse(JSON.stringify({ [type]: { re, ...body } }).replace('"FILE"', `"${uri}"`));
}

/** Every copy of a message gets the same ack. */
async function deliver(
  home: ReliabilityHousehold,
  { key, text }: Callback,
  acks: Map<string, string>,
) {
  const posted = await postMessages(env, home.as("robo"), { text, channel: "webhook", key });
  const [entry] = posted.ok ? posted.value.entries : [];
  if (!entry || !("ack" in entry)) throw new Error(JSON.stringify(posted));
  const ack = toCanonicalJson(entry.ack);
  expect(acks.get(key) ?? ack).toBe(ack);
  acks.set(key, ack);
}

/** The thread's file without its ref, and the number of its stored attachments. */
async function snapshotThread(home: ReliabilityHousehold, ref: string): Promise<string> {
  const view = await getThreadStub(env, home.id, ref).readThread(home.as("olga"));
  if (!view.ok) throw new Error(view.error.message);
  const { envelope, messages, attachments } = view.value;
  const files = attachments.map(({ name, size, mime }) => `${name} ${size} ${mime}`).join("\n");
  return `${writeThreadYaml({ envelope, messages })}\n${files}`.replaceAll(ref, "REF");
}

const takeSome = (list: readonly Callback[], random: Random): Callback[] =>
  list.filter(() => random.next() < 0.4);

function shuffleItems<T>(list: readonly T[], random: Random): T[] {
  const drawn = list.map((one) => ({ one, at: random.next() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ one }) => one);
}
