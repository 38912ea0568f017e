import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSeededRandom } from "../../support/generators/random.ts";
import { type RobotCallback, type Robot, createRobot } from "../../support/channels/robot.ts";
import { type Caller, expectOkJson, createFreshHousehold } from "../support.ts";
import { readCallback, postCallback, PHOTO, readSecret } from "./support.ts";

const CALLBACKS = Number(env.RELIABILITY_CASES);
const SEED = Number(env.RELIABILITY_SEED);
const COPIES = 3;
const START = Date.UTC(2032, 5, 1, 8);

/** Messages of a robot about its task, in order. */
const SCRIPT: readonly ((re: string) => Pick<RobotCallback, "message" | "files">)[] = [
  (re) => ({ message: { status: { re, code: "claimed", eta: "20m" } } }),
  (re) => ({ message: `MESS:\n- status: {re: ${re}, code: in_progress, progress_pct: 40}\n` }),
  (re) => ({ message: { status: { re, code: "partial", message: "half of it" } } }),
  (re) => ({
    message: {
      MESS: [
        { response: { re, content: [{ image: { file: "floor.png" } }, "all clean"] } },
        { status: { re, code: "completed" } },
      ],
    },
    files: [new File([PHOTO], "floor.png", { type: "image/png" })],
  }),
];

/** Invalid forms of the same messages. */
const FORGERIES: readonly Partial<RobotCallback>[] = [
  { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
  { tamper: ({ body }) => new Uint8Array([...body, 0x20]) },
  { tamper: ({ headers }) => headers.set("webhook-id", "msg_of_another") },
  { tamper: ({ headers }) => headers.delete("webhook-signature") },
  { token: "a.b.c" },
];

let now = START;

beforeEach(() => {
  now = START;
  vi.useFakeTimers({ now, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it(
  `${CALLBACKS} callbacks, each ${COPIES} times and out of order, among forged and old ones, leave the same thread as single ones (seed ${SEED})`,
  async () => {
    const random = createSeededRandom(SEED);
    const { id, owner, agent } = await createFreshHousehold();
    const moppy = createRobot({ secret: await readSecret(owner, "robo"), deliver: postCallback });
    const url = readCallback(id, "robo");
    const threads = Math.ceil(CALLBACKS / SCRIPT.length);
    let sent = 0;
    let forgedTaken = 0;
    for (let at = 0; at < threads; at++) {
      const [alone, stormy] = [await createThread(agent), await createThread(agent)];
      const late: RobotCallback[] = [];
      for (const [step, say] of SCRIPT.entries()) {
        now += 2_000;
        vi.setSystemTime(now);
        await expectCallback(moppy, { url, id: `alone-${at}-${step}`, ...say(alone) });
        const call = { url, id: `storm-${at}-${step}`, at: now, ...say(stormy) };
        const early = late.filter(() => random.next() < 0.4);
        const forgery = FORGERIES[random.pickBetween(0, FORGERIES.length - 1)]!;
        const forged = { ...call, id: `forged-${at}-${step}`, ...forgery };
        const old = { ...call, id: `old-${at}-${step}`, at: now - 301_000 };
        const answers = await Promise.all([
          ...[...early, call].map((one) => expectCallback(moppy, one)),
          ...[forged, old].map(async (one) => (await moppy.callBack(one)).status),
        ]);
        forgedTaken += answers.filter((answer) => answer === 200).length;
        sent += 1 + early.length;
        for (const one of early) late.splice(late.indexOf(one), 1);
        for (let copy = 1; copy < COPIES; copy++) late.push(call);
      }
      for (const one of late) await expectCallback(moppy, one);
      sent += late.length;

      expect(await snapshotThread(agent, stormy), `thread ${at}, seed ${SEED}`).toBe(
        await snapshotThread(agent, alone),
      );
    }
    expect(sent).toBe(threads * SCRIPT.length * COPIES);
    expect(forgedTaken).toBe(0);
  },
  60_000 + CALLBACKS * 500,
);

const createThread = (agent: Caller): Promise<string> =>
  agent.createThread("vacuum the rice", { requires: ["vacuum-floor"] });

const expectCallback = async (moppy: Robot, call: RobotCallback): Promise<void> => {
  await expectOkJson(await moppy.callBack(call));
};

/** The thread without its ref. */
async function snapshotThread(agent: Caller, ref: string): Promise<string> {
  const { envelope, messages, attachments } = await agent.read(`/mess/${ref}`);
  return JSON.stringify({ envelope, messages, attachments }).replaceAll(ref, "REF");
}
