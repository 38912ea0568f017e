/**
 * One crash schedule: a few requests and messages of several members, with or without faults, and with crashes, alarms
 * and outages in between, all chosen by a seed. At the end all outages end, the client repeats its unanswered calls,
 * and the alarms run until nothing is pending.
 */
import { getHouseholdStub } from "../../../src/stubs.ts";
import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { type Random, createSeededRandom } from "../../support/generators/random.ts";
import { ScheduleCalls } from "./schedule-calls.ts";
import { Client, type Sent } from "./retrying-client.ts";
import { getHouseholdObject, getThreadObject, prepare } from "./real-bindings.ts";
import type { Faults, Kind, Site } from "./fault-injection.ts";
import { type ReliabilityHousehold, advanceClock } from "./reliability-household.ts";
import { createThreadTables, isCreated } from "../../../src/thread/migrations.ts";

const MINUTE_MS = 60_000;
/** Longer than the pause between two summaries of a thread, so that no test waits for it. */
const STEP_MS = 300;
const MAX_ROUNDS = 12;

const WORKER_FAULTS: readonly [Site, Kind][] = [
  ["openThreads", "before"],
  ["openThreads", "after"],
  ["openThreads", "abort"],
  ["openThreads", "sql"],
  ["create", "before"],
  ["create", "after"],
  ["create", "abort"],
  ["create", "sql"],
  ["append", "before"],
  ["append", "after"],
  ["append", "abort"],
  ["append", "sql"],
  ["append", "sql"],
  ["resolveTarget", "before"],
  ["resolveTarget", "after"],
  ["openThreads", "ghost"],
  ["create", "ghost"],
  ["append", "ghost"],
  ["stageUpload", "before"],
  ["stageUpload", "after"],
  ["put", "before"],
  ["put", "after"],
  ["delete", "before"],
];
const SUMMARY_FAULTS: readonly [Site, Kind][] = [
  ["index", "before"],
  ["index", "after"],
  ["index", "ghost"],
  ["recordSummary", "ghost"],
  ["index", "stall"],
  ["index", "late"],
  ["recordSummary", "before"],
  ["recordSummary", "after"],
  ["recordSummary", "sql"],
  ["recordSummary", "stall"],
  ["recordSummary", "late"],
  ["findContacts", "before"],
  ["findContacts", "after"],
  ["findContacts", "stall"],
  ["reportDeliveries", "before"],
  ["reportDeliveries", "after"],
];
const UNBLOCK_FAULTS: readonly [Site, Kind][] = [
  ["resolveDependency", "before"],
  ["resolveDependency", "after"],
  ["resolveDependency", "ghost"],
  ["resolveDependency", "sql"],
];

const WAITING_JOBS_SQL = "SELECT 1 FROM jobs WHERE given_up IS NULL LIMIT 1";
const RECORDED_SQL = "SELECT ref, seq FROM threads WHERE ref IN (SELECT value FROM json_each(?))";
const INDEXED_SQL =
  "SELECT ref, seq FROM threads WHERE household = ? AND ref IN (SELECT value FROM json_each(?))";

type ThreadSeq = { ref: string; seq: number };

/** The thread's newest `seq`, and whether a delivery is due; undefined where it was not created. */
function readProgress(
  _object: unknown,
  { storage: { sql } }: DurableObjectState,
): { seq: number; hasDue: boolean } | undefined {
  const tables = createThreadTables(sql);
  if (!isCreated(tables)) return undefined;
  const { seq } = sql.exec<{ seq: number }>("SELECT seq FROM thread").one();
  const due = tables.run("deliveries", "SELECT 1 FROM deliveries WHERE state = 'due'");
  return { seq, hasDue: due.length > 0 };
}

export class CrashSchedule {
  readonly client: Client;
  /** Refs of threads that the client knows. */
  readonly threads: string[] = [];
  readonly #home: ReliabilityHousehold;
  readonly #faults: Faults;
  readonly #random: Random;
  readonly #calls: ScheduleCalls;

  constructor(home: ReliabilityHousehold, seed: number, faults: Faults) {
    this.#home = home;
    this.#faults = faults;
    this.#random = createSeededRandom(seed);
    this.#calls = new ScheduleCalls(home, seed, this.#random);
    this.client = new Client(faults);
  }

  async run(): Promise<void> {
    // The index is down in most schedules, which also makes them faster, since its rows cost the most time.
    if (this.#chance(0.7)) {
      this.#faults.setOutage("index", "before");
      this.#faults.note("index down");
    }
    await this.#send(this.#calls.request());
    const steps = this.#random.pickBetween(2, 3);
    for (let step = 0; step < steps; step++) {
      if (this.#chance(0.5)) await this.#runRandomEvent();
      const unanswered = this.client.unanswered;
      if (unanswered.length > 0 && this.#chance(0.5)) await this.#send(this.#one(unanswered));
      else if (this.threads.length === 0 || this.#chance(0.15))
        await this.#send(this.#calls.request());
      else if (this.#chance(0.2)) await this.#send(this.#message(), this.#message());
      else await this.#send(this.#message());
    }
    await this.#clear();
    await this.#repeat();
    await this.#endDependency();
    await this.drain();
    await this.#faults.runLostCalls();
    await this.drain();
  }

  /** Advances the time and runs the alarms until all summaries and notices are delivered and no dependent waits. */
  async drain(): Promise<void> {
    const home = getHouseholdObject(this.#home.id);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { outdated, hasPendingJobs } = await this.#findPendingWork();
      if (outdated.length === 0 && !hasPendingJobs) return;
      advanceClock(5 * MINUTE_MS);
      for (const ref of outdated) await runDurableObjectAlarm(getThreadObject(this.#home.id, ref));
      if (hasPendingJobs) await runDurableObjectAlarm(home);
    }
    this.client.violations.push(`still not drained after ${MAX_ROUNDS} rounds of alarms`);
  }

  /** Threads whose newest change is not in the index or the household, or with due deliveries, and whether jobs wait. */
  async #findPendingWork(): Promise<{ outdated: string[]; hasPendingJobs: boolean }> {
    const { id } = this.#home;
    const refs = JSON.stringify(this.threads);
    const { recorded, hasPendingJobs } = await runInDurableObject(
      getHouseholdObject(id),
      (_, { storage: { sql } }) => ({
        recorded: sql.exec<ThreadSeq>(RECORDED_SQL, refs).toArray(),
        hasPendingJobs: sql.exec(WAITING_JOBS_SQL).toArray().length > 0,
      }),
    );
    const { results: indexed } = await prepare(INDEXED_SQL).bind(id, refs).all<ThreadSeq>();
    const outdated: string[] = [];
    for (const ref of this.threads) {
      const progress = await runInDurableObject(getThreadObject(id, ref), readProgress);
      if (!progress) continue;
      const hasNewest = (rows: readonly ThreadSeq[]) =>
        rows.some((row) => row.ref === ref && row.seq === progress.seq);
      if (progress.hasDue || !hasNewest(indexed) || !hasNewest(recorded)) outdated.push(ref);
    }
    return { outdated, hasPendingJobs };
  }

  async #send(...calls: Sent[]): Promise<void> {
    advanceClock(STEP_MS);
    if (this.#chance(0.6)) this.#arm(WORKER_FAULTS);
    if (this.#chance(0.35)) this.#arm(SUMMARY_FAULTS);
    await this.client.send(...calls);
    this.#faults.disarm();
    this.#learn();
  }

  #learn(): void {
    for (const { requests, refs } of this.client.sent)
      if (requests > 0)
        for (const ref of refs ?? []) if (!this.threads.includes(ref)) this.threads.push(ref);
  }

  #arm(faults: readonly [Site, Kind][]): void {
    const [site, kind] = this.#one(faults);
    this.#faults.arm(site, kind, this.#chance(0.2) ? 1 : 0, this.#random.pickBetween(0, 14));
  }

  /** An event that no client caused. */
  async #runRandomEvent(): Promise<void> {
    const home = getHouseholdObject(this.#home.id);
    const ref = this.threads.length > 0 ? this.#one(this.threads) : undefined;
    const thread = ref === undefined ? home : getThreadObject(this.#home.id, ref);
    const what = this.#random.pickBetween(0, 9);
    if (what < 3) await this.#faults.endStalls();
    switch (what) {
      case 0:
        this.#faults.note("household evicted");
        return await this.#evict(home);
      case 1:
        this.#faults.note("thread evicted");
        return await this.#evict(thread);
      case 2:
        this.#faults.note("alarm twice");
        await this.#runWithoutStalls(runDurableObjectAlarm(thread));
        return await this.#fireAlarm(thread);
      case 3:
        this.#faults.note("alarm for nothing");
        return await this.#fireAlarm(home);
      case 4:
        this.#faults.note("clock ahead");
        return advanceClock(this.#random.pickBetween(1, 180) * MINUTE_MS);
      case 5:
        this.#faults.note("alarm late");
        advanceClock(this.#random.pickBetween(1, 180) * MINUTE_MS);
        return await this.#runWithoutStalls(runDurableObjectAlarm(thread));
      case 9:
        return await this.#faults.runLostCalls();
      case 8:
        this.#faults.note("ann comes or goes");
        await getHouseholdStub(env, this.#home.id).contacts.setPresence(
          "ann",
          this.#chance(0.7) ? "away" : "here",
        );
        return;
      case 6:
        this.#faults.note("stalls end");
        return await this.#faults.endStalls();
      default:
        this.#faults.note("all objects aborted");
        return await abortAllDurableObjects();
    }
  }

  async #evict(stub: DurableObjectStub): Promise<void> {
    // Throws if the object does not run, so that there is nothing to evict.
    await evictDurableObject(stub).catch(() => undefined);
  }

  /** Fires an alarm although nothing is due, like one whose write was never committed. */
  async #fireAlarm(stub: DurableObjectStub): Promise<void> {
    const fireAlarm = async (object: unknown) =>
      await (object as { alarm(): Promise<void> }).alarm();
    await this.#runWithoutStalls(runInDurableObject(stub, fireAlarm));
  }

  /** Ends all stalls during the work, so that nothing waits for a timeout. */
  async #runWithoutStalls(work: Promise<unknown>): Promise<void> {
    const run = { done: false };
    const ended = work.finally(() => (run.done = true));
    while (!run.done) {
      await this.#faults.endStalls();
      await scheduler.wait(1);
    }
    await ended;
  }

  /** Completes a thread with dependents; the first notification of a dependent fails. */
  async #endDependency(): Promise<void> {
    const batch = this.client.sent.find(({ requests, refs }) => requests > 1 && refs);
    if (!batch?.refs) return;
    advanceClock(STEP_MS);
    await this.client.send(this.#calls.completion(batch.refs[0]!));
    this.#arm(UNBLOCK_FAULTS);
  }

  async #clear(): Promise<void> {
    this.#faults.disarm(true);
    this.#faults.setOutage("index", undefined);
    await this.#faults.endStalls();
  }

  /** Repeats every unanswered call until it is answered, then the last answered one once more. */
  async #repeat(): Promise<void> {
    for (const call of this.client.unanswered) {
      advanceClock(STEP_MS);
      await this.client.send(call);
      if (call.answeredAt === undefined)
        this.client.violations.push(`${call.marker} is not answered although nothing fails`);
    }
    this.#learn();
    const acked = this.client.sent.filter(({ ack }) => ack !== undefined);
    for (const call of acked.slice(-1)) {
      advanceClock(STEP_MS);
      await this.client.send(call);
      await this.client.sendOther(call);
    }
  }

  readonly #message = (): Sent => this.#calls.message(this.threads, this.client.sent);

  #chance(of: number): boolean {
    return this.#random.next() < of;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random.pickBetween(0, list.length - 1)]!;
  }
}
