/**
 * Runs crash schedules in one household after another and checks the invariants of each. Then checks the households as
 * a whole: no trace of refused requests in their refs, and no blob that the cleanup misses.
 *
 * RELIABILITY_SCHEDULES sets the total number of schedules, RELIABILITY_SEED the first seed.
 */
import { getHouseholdStub, getThreadStub } from "../../../src/stubs.ts";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { NoticeRecorder } from "../deliveries/support.ts";
import { getHouseholdObject, getThreadObject } from "./real-bindings.ts";
import { Faults } from "./fault-injection.ts";
import {
  type ReliabilityHousehold,
  createReliabilityHousehold,
  advanceClock,
} from "./reliability-household.ts";
import { listDeliveryViolations } from "./delivery-invariants.ts";
import { listViolations } from "./invariants.ts";
import { CrashSchedule } from "./crash-schedule.ts";

const WEEK_MS = 7 * 86_400_000;
const SCHEDULES_PER_HOUSEHOLD = 20;

/** Number in all test files, each of which runs its share. */
const SCHEDULES = Number(env.RELIABILITY_SCHEDULES);
const SEED = Number(env.RELIABILITY_SEED);
const TEST_FILE_COUNT = 2;

/** Accepts all notices to Ann. */
const recorder = new NoticeRecorder();

interface Report {
  run: number;
  calls: number;
  acked: number;
  refused: number;
  retries: number;
  injectedCounts: Record<string, number>;
  /** Descriptions of the violations, by seed. */
  violations: string[];
}

/** The share of one test file, as a test. */
export function testSchedules(file: number): void {
  const count = Math.ceil(SCHEDULES / TEST_FILE_COUNT);
  const first = SEED + file * count;
  it(
    `an exchange in which every call may fail loses, duplicates and truncates nothing in ${count} schedules (seeds from ${first})`,
    { timeout: 60_000 + count * 1_000 },
    async () => {
      // Faults that pass through HTTP are logged as defects, as intended.
      const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
      const { violations, injectedCounts, ...figures } = await runSchedules(first, count);
      log.mockRestore();
      console.log(JSON.stringify({ ...figures, injectedCounts }));
      expect(violations).toEqual([]);
      expect(figures.run).toBe(count);
      expect(figures.acked).toBeGreaterThan(2 * count);
      expect(Object.keys(injectedCounts).length).toBeGreaterThanOrEqual(18);
    },
  );
}

async function runSchedules(first: number, count: number): Promise<Report> {
  const faults = new Faults().install();
  const report: Report = {
    run: 0,
    calls: 0,
    acked: 0,
    refused: 0,
    retries: 0,
    injectedCounts: {},
    violations: [],
  };
  advanceClock(0);
  for (let at = 0; at < count && report.violations.length === 0; at += SCHEDULES_PER_HOUSEHOLD) {
    const home = await createReliabilityHousehold("crash");
    await getHouseholdStub(env, home.id).settings.configure({
      executor: { id: "ann", capabilities: ["look"], notify: { ntfy: "ann" } },
    });
    recorder.clear();
    await runInDurableObject(getHouseholdObject(home.id), (_, { storage }) =>
      faults.wrapStorage(storage),
    );
    const schedules: CrashSchedule[] = [];
    for (
      let seed = first + at;
      seed < first + Math.min(at + SCHEDULES_PER_HOUSEHOLD, count);
      seed++
    ) {
      const schedule = new CrashSchedule(home, seed, faults);
      schedules.push(schedule);
      await schedule.run();
      const found = [
        ...(await listViolations(home, schedule)),
        ...(await listDeliveryViolations(home, schedule.threads, recorder)),
      ];
      report.violations.push(...found.map((violation) => `seed ${seed}: ${violation}`));
      if (found.length > 0) report.violations.push(`seed ${seed} said: ${schedule.client.trace}`);
      report.run++;
      const { sent, retries } = schedule.client;
      report.calls += sent.length;
      report.acked += sent.filter(({ ack }) => ack !== undefined).length;
      report.refused += sent.filter(({ refused }) => refused !== undefined).length;
      report.retries += retries;
    }
    const found = await findHouseholdViolations(home, schedules);
    report.violations.push(
      ...found.map(
        (violation) =>
          `seeds ${first + at} to ${first + at + SCHEDULES_PER_HOUSEHOLD - 1}: ${violation}`,
      ),
    );
  }
  report.injectedCounts = Object.fromEntries(faults.injectedCounts);
  return report;
}

/** Checks the household after its schedules, and again after a week. */
async function findHouseholdViolations(
  home: ReliabilityHousehold,
  schedules: readonly CrashSchedule[],
): Promise<string[]> {
  const violations: string[] = [];
  const threads = schedules.flatMap((one) => one.threads);
  const object = getHouseholdObject(home.id);
  const kept = await runInDurableObject(object, (_, { storage: { sql } }) => ({
    refs: sql
      .exec<{ ref: string }>("SELECT ref FROM threads")
      .toArray()
      .map(({ ref }) => ref),
    calls: sql.exec<{ refs: string }>("SELECT refs FROM calls").toArray(),
  }));
  const called = kept.calls.flatMap(({ refs }) => JSON.parse(refs) as string[]);
  for (const ref of new Set([...kept.refs, ...called]))
    if (!threads.includes(ref))
      violations.push(`trace: the household knows ${ref}, which was not acked`);
  const orphanKeys = new Set(schedules.flatMap(({ client }) => [...client.orphanKeys]));
  const referenced = await listBlobs(home, threads);
  for (const key of await listStored(home))
    if (!referenced.has(key) && !orphanKeys.has(key))
      violations.push(`stray: ${key} of a call that was answered`);

  advanceClock(WEEK_MS);
  for (const ref of threads) await runDurableObjectAlarm(getThreadObject(home.id, ref));
  await runDurableObjectAlarm(object);
  const after = new Set(await listStored(home));
  const wanted = await listBlobs(home, threads);
  for (const key of after) if (!wanted.has(key)) violations.push(`not swept: ${key}`);
  for (const key of wanted)
    if (!after.has(key)) violations.push(`swept: ${key} that a thread refers to`);
  return violations;
}

async function listStored({ id }: ReliabilityHousehold): Promise<string[]> {
  const { objects } = await env.BLOBS.list({ prefix: `${id}/` });
  return objects.map(({ key }) => key);
}

async function listBlobs(
  { id }: ReliabilityHousehold,
  refs: readonly string[],
): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const ref of refs)
    for (const key of await getThreadStub(env, id, ref).listBlobKeys()) keys.add(key);
  return keys;
}
