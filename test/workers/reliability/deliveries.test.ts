/**
 * Deliveries under random failures, outages, crashes and changes of their threads, over all 75 hours: every one is
 * delivered, given up with a record, or dropped with a reason. RELIABILITY_CASES sets the number of cases,
 * RELIABILITY_SEED the seed.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { ChannelKind, SendResult } from "../../../src/channels/channel.ts";
import type { Delivery } from "../../../src/delivery/delivery.ts";
import { type Random, createSeededRandom } from "../../support/generators/random.ts";
import {
  createDeliveryHousehold,
  type DeliveryHousehold,
  HOUR_MS,
  MINUTE_MS,
  NoticeRecorder,
  START,
  NOTIFY_CHANNELS,
} from "../deliveries/support.ts";
import { real } from "./real-bindings.ts";

const CASES = Number(env.RELIABILITY_CASES);
const SEED = Number(env.RELIABILITY_SEED);
const STEPS = 6;

const recorder = new NoticeRecorder();

afterEach(() => {
  env.HOUSEHOLDS.getByName = real.household;
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A notice that a channel accepted. */
const taken = new Set<string>();

/** The state of a channel: working, failing for a while, or failing forever. */
function setWeather(random: Random): void {
  const kinds: ChannelKind[] = ["ntfy", "discord", "webhook"];
  const ill = new Map(
    kinds.map((kind) => {
      const luck = random.next();
      return [kind, luck < 0.4 ? 0 : luck < 0.7 ? Infinity : random.pickBetween(1, 60) * HOUR_MS];
    }),
  );
  recorder.setAnswer(({ channel, notice }): SendResult => {
    const luck = random.next();
    if (Date.now() - START < (ill.get(channel) ?? 0) || luck < 0.1) {
      if (luck < 0.03) throw new Error("the channel fell over");
      const wait = luck > 0.9 ? { retryAfterSeconds: random.pickBetween(1, 200_000) } : {};
      return {
        ok: false,
        reason: "out of order",
        ...wait,
        ...(luck > 0.98 ? { isPermanent: true } : {}),
      };
    }
    taken.add(notice.id);
    return recorder.accept();
  });
}

async function happen(home: DeliveryHousehold, ref: string, random: Random): Promise<void> {
  const members = [home.ann, home.ben, home.robo];
  const member = members[random.pickBetween(0, 2)]!;
  const appendBlock = (who: typeof member, block: object) =>
    who.post(`/thread/${ref}`, { MESS: [block] }).then((response) => response.text());
  switch (random.pickBetween(0, 6)) {
    case 0:
      await appendBlock(member, { status: { code: "claimed", estimate: "PT20H" } });
      break;
    case 1:
      await appendBlock(member, { status: { code: "declined" } });
      break;
    case 2:
      await appendBlock(home.agent, { followup: { message: "by the way" } });
      break;
    case 3:
      await appendBlock(home.agent, { cancel: { reason: "found it" } });
      break;
    case 4:
      await abortAllDurableObjects();
      break;
    case 5:
      env.HOUSEHOLDS.getByName = () => {
        throw new Error("the household is down");
      };
      break;
    default:
      await appendBlock(member, { status: { code: "needs_input", questions: ["which one?"] } });
  }
  await home.pass(ref, random.pickBetween(1, 400) * MINUTE_MS);
  env.HOUSEHOLDS.getByName = real.household;
}

async function findFaults(
  home: DeliveryHousehold,
  ref: string,
  rows: readonly Delivery[],
): Promise<string[]> {
  const failures = await home.notes(ref, "delivery_failed");
  const { events } = await home.owner.read("/api/v1/events?limit=500");
  const isLogged = (executor: string): boolean =>
    events.some(
      (one: { ref: string; action?: string; by?: string }) =>
        one.ref === ref && one.action === "delivery_failed" && one.by === executor,
    );
  const isAlerted = (executor: string): boolean =>
    rows.some(({ kind, event: happening }) => kind === "alert" && happening?.by === executor);

  const endOf = ({ id, kind, executor, state, error }: Delivery): string | undefined => {
    switch (state) {
      case "due":
        return "never ended";
      case "delivered":
        return taken.has(id) ? undefined : "nobody took";
      case "dropped":
        return error === null ? "dropped without a reason" : undefined;
      case "dead":
        if (!failures.some((note) => note.includes(executor))) return "not in the history";
        if (!isLogged(executor)) return "no event";
        return kind === "alert" || isAlerted(executor) ? undefined : "no alert";
      default:
        return "in no state";
    }
  };
  return rows.flatMap((row) => {
    const fault = endOf(row);
    return fault === undefined ? [] : [`${fault}: ${row.kind} to ${row.executor}, ${row.error}`];
  });
}

it(
  `none of ${CASES} deliveries is dropped without a record (seeds from ${SEED})`,
  { timeout: 600_000 },
  async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const faults: string[] = [];
    const ends: Record<string, number> = {};
    let seen = 0;
    let seed = SEED;
    for (; seen < CASES && faults.length === 0; seed++) {
      const random = createSeededRandom(seed);
      recorder.clear();
      taken.clear();
      const home = await createDeliveryHousehold(
        random.next() < 0.5 ? { ann: { ...NOTIFY_CHANNELS.chat, ...NOTIFY_CHANNELS.phone } } : {},
      );
      setWeather(random);
      const refs = [
        await home.agent.createThread("anybody"),
        await home.agent.createThread("look at once", { requires: ["look"], priority: "urgent" }),
      ];
      for (let step = 0; step < STEPS; step++)
        await happen(home, refs[random.pickBetween(0, 1)]!, random);
      for (const ref of refs) await home.pass(ref, 200 * HOUR_MS);
      const known = new Set<unknown>();
      for (const ref of refs) {
        const rows = await home.deliveries(ref);
        seen += rows.length;
        for (const { id } of rows) known.add(id);
        for (const { state } of rows) ends[state] = (ends[state] ?? 0) + 1;
        const found = await findFaults(home, ref, rows);
        faults.push(...found.map((fault) => `seed ${seed}: ${fault}`));
      }
      for (const { notice } of recorder.notices)
        if (!known.has(notice.id)) faults.push(`seed ${seed}: no row: ${notice.id}`);
    }
    log.mockRestore();
    console.log(JSON.stringify({ households: seed - SEED, deliveries: seen, ...ends }));
    expect(faults).toEqual([]);
    expect(seen).toBeGreaterThanOrEqual(CASES);
    for (const state of ["delivered", "dead", "dropped"]) expect(ends[state]).toBeGreaterThan(0);
  },
);
