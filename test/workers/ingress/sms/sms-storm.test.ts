import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { createSeededRandom } from "../../../support/generators/random.ts";
import { type SmsIn, createTwilio } from "../../../support/channels/twilio.ts";
import {
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  sendRequest,
} from "../../support.ts";
import { snapshotThread } from "../thread-snapshot.ts";
import { reachOutside } from "../local-services.ts";

const MESSAGES = Math.ceil(Number(env.RELIABILITY_CASES) / 2);
const SEED = Number(env.RELIABILITY_SEED);
const COPIES = 3;
const ANN = "+15005550101";
const BEN = "+15005550102";
const PHOTO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

/** The messages of a member about one task, in order. */
const SCRIPT: readonly Pick<SmsIn, "body" | "media">[] = [
  { body: "1" },
  { body: "under the sofa", media: [{ type: "image/png", bytes: PHOTO }] },
  { body: "or behind it" },
  { body: "done" },
];

/** Changes that make an SMS a forgery: another signer, or parameters changed after signing. */
const FORGERIES: readonly Partial<SmsIn>[] = [
  { token: "another-token" },
  { hook: `${ORIGIN}/hooks/twilio/nobody`, token: "nobody signs with this" },
  { tamper: (form) => form.set("From", ANN) },
  { tamper: (form) => form.set("Body", "0") },
  { tamper: (form) => form.append("Body", "0") },
  { tamper: (form) => form.delete("NumMedia") },
  { tamper: (form) => form.set("MessageSid", "SM00000000000000000000000000000000") },
  { tamper: (form) => form.set("AccountSid", "AC00000000000000000000000000000000") },
  { tamper: (form) => form.set("To", "+15005550009") },
  { tamper: (form) => form.set("extra", "") },
  { hook: `${ORIGIN}/hooks/twilio/nobody` },
];

afterEach(() => vi.unstubAllGlobals());

it(
  `${MESSAGES} SMS, each sent ${COPIES} times, reordered and mixed with forgeries, have the same result as each sent once (seed ${SEED})`,
  async () => {
    const random = createSeededRandom(SEED);
    const { id, owner, agent } = await createFreshHousehold();
    const phones = createTwilio({
      hook: `${ORIGIN}/hooks/twilio/${id}`,
      deliver: async (request) => await sendRequest(new URL(request.url).pathname, request),
    });
    reachOutside({ "https://api.twilio.com": phones.handle });
    const buildExecutor = (name: string, can: string, sms: string) => ({
      config: { executor: { id: name, capabilities: [can], notify: { sms } } },
    });
    await expectOkJson(
      await owner.postBlocks(
        { config: { dispatch: { sms: phones.settings() } } },
        buildExecutor("ann", "look", ANN),
        buildExecutor("ben", "carry", BEN),
      ),
    );
    const createThread = async (can: string, to: string): Promise<string> => {
      const before = phones.messages.length;
      const ref = await agent.createThread("look for the keys", { requires: [can] });
      await waitUntil(async () =>
        expect(phones.messages.slice(before).map((message) => message.to)).toContain(to),
      );
      return ref;
    };
    const threads = Math.ceil(MESSAGES / SCRIPT.length);
    let sent = 0;
    let forgedTaken = 0;
    let late: SmsIn[] = [];
    for (let at = 0; at < threads; at++) {
      const alone = await createThread("look", ANN);
      const stormy = await createThread("carry", BEN);
      for (const [step, said] of SCRIPT.entries()) {
        const response = await phones.act.receiveSms({ ...said, from: ANN });
        expect(response.status).toBe(200);
        const one: SmsIn = { ...said, from: BEN, sid: `MM${at}x${step}` };
        // Copies of earlier messages arrive at the same time, also those of earlier tasks.
        const early = late.filter(() => random.next() < 0.3);
        late = late.filter((copy) => !early.includes(copy));
        const forged = FORGERIES[random.pickBetween(0, FORGERIES.length - 1)];
        const responses = await Promise.all([
          ...early.map((copy) => phones.act.receiveSms(copy)),
          phones.act.receiveSms(one),
          ...(random.next() < 0.3 ? [phones.act.receiveSms(one)] : []),
        ]);
        expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
        const refused = await phones.act.receiveSms({ ...one, sid: `MMforged${sent}`, ...forged });
        if (refused.status !== 401) forgedTaken += 1;
        sent += responses.length + 1;
        late.push(...Array.from({ length: COPIES - 1 }, () => one));
      }
      expect(
        await snapshotThread(agent, stormy, "sms", ["ann", "ben"]),
        `thread ${at}, seed ${SEED}`,
      ).toBe(await snapshotThread(agent, alone, "sms", ["ann", "ben"]));
    }
    for (const copy of late) await phones.act.receiveSms(copy);

    expect(forgedTaken).toBe(0);
    expect(sent + late.length).toBeGreaterThan(MESSAGES * COPIES);
  },
  120_000 + MESSAGES * 500,
);
