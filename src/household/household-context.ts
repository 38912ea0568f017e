/** The parts that all facets of a household share: its stores, transactions over them, secrets, jobs and the alarm. */
import { needsResealing } from "./secrets/reseal.ts";
import type { CredentialId } from "../auth/principal.ts";
import { getConfig } from "../config.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { Alarm } from "../object/alarm.ts";
import type { Jobs } from "../object/jobs.ts";
import { transact } from "../object/transaction.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { logDefect } from "../log.ts";
import { closeListeners } from "./events/listeners.ts";
import { closeEndedSessions } from "./mcp-sessions/session-sockets.ts";
import { getNextDigest } from "./message-sources/digest-times.ts";
import { closeNoticeWaits } from "./message-sources/notice-waits.ts";
import { isLive } from "./identity/end-access.ts";
import type { HouseholdJobs } from "./jobs/job-kinds.ts";
import { getNextListing } from "./jobs/list-household.ts";
import { getNextExpiry } from "./jobs/maintenance-jobs.ts";
import { createHouseholdJobs } from "./jobs/thread-jobs.ts";
import { isSetUp, migrate } from "./migrations.ts";
import { GeneratedSecrets } from "./secrets/generated-secrets.ts";
import { clearCaches, type Stores, createStores } from "./stores.ts";
import { getNextCleanup } from "./jobs/blob-cleanup.ts";
import { SecretVault } from "./secrets/secret-vault.ts";

/** How long a call that ends access waits for the threads. The alarm notifies those that take longer. */
const JOBS_WAIT_MS = 5_000;

export const refuseNoHousehold = () =>
  refuse("not_found", "household not found", "Create the household first.");

export class HouseholdContext {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  #stores: Stores | undefined;
  #vault: SecretVault | undefined;
  #jobs: Jobs<keyof HouseholdJobs> | undefined;
  readonly #alarm: Alarm;
  /** For work that calls no other method here. A rollback clears what the stores have cached. */
  readonly storage: Pick<DurableObjectStorage, "transactionSync">;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.storage = {
      transactionSync: (work) => {
        try {
          return ctx.storage.transactionSync(work);
        } catch (error) {
          this.#clearCaches();
          throw error;
        }
      },
    };
    this.#alarm = new Alarm(ctx.storage, {
      listDueTimes: (now) => this.#listDueTimes(now),
      onError: (error) => logDefect(error, { object: "household" }),
    });
  }

  /** Returns undefined where no household was set up, without creating a table. */
  openStores(): Stores | undefined {
    if (!this.#stores && isSetUp(this.#ctx.storage.sql)) {
      this.#ctx.storage.transactionSync(() => migrate(this.#ctx.storage.sql));
      this.#stores = createStores(this.#ctx.storage.sql, getConfig(this.#env).limits);
    }
    return this.#stores;
  }

  /** The stores are those of a household that exists. */
  getVault({ secrets, settings }: Stores): SecretVault {
    this.#vault ??= new SecretVault(
      getConfig(this.#env).secret,
      settings.getHousehold().id,
      secrets,
    );
    return this.#vault;
  }

  /** Reseals in an object that starts after a rotation. Households that have never reported wait for their alarm. */
  async resealAfterRotation(stores: Stores): Promise<void> {
    if (stores.settings.get("sealing_reported") === undefined) return;
    await this.resealIfNeeded(stores).catch((error: unknown) =>
      logDefect(error, { object: "household", while: "resealing" }),
    );
  }

  /**
   * Queues the resealing of the household's secrets if the Worker's secret was rotated, and begins with it.
   * @param force report to the registry in any case, in case it was lost
   */
  async resealIfNeeded(stores: Stores, force = false): Promise<void> {
    if (!force && !(await needsResealing(stores, this.getVault(stores)))) return;
    this.write(({ jobs, settings }, now) => {
      if (force) settings.set("sealing_reported", "");
      // A pending job keeps its backoff.
      if (force || !jobs.isPending("reseal")) jobs.put("reseal", "reseal", {}, now);
    });
    await this.setAlarm();
    await this.runJobs(stores, "reseal");
  }

  getGeneratedSecrets(stores: Stores): GeneratedSecrets {
    return new GeneratedSecrets(stores, this.getVault(stores));
  }

  /** Commits what `work` writes unless it refuses. */
  runTransaction<T>(work: () => Outcome<T>): Outcome<T> {
    return transact(this.#ctx.storage, work, () => this.#clearCaches());
  }

  /** A transaction over the stores. Refuses where the household does not exist. */
  transact<T>(work: (stores: Stores, now: number) => Outcome<T>): Outcome<T> {
    const stores = this.openStores();
    return stores ? this.runTransaction(() => work(stores, Date.now())) : refuseNoHousehold();
  }

  /** A transaction whose work refuses nothing. Without a household it does nothing. */
  write(work: (stores: Stores, now: number) => void): void {
    this.transact((stores, now) => {
      work(stores, now);
      return ok(true as const);
    });
  }

  /** Creates the tables of a new household, and commits them with the rows that `work` writes. */
  createStores<T>(work: (stores: Stores, now: number) => Outcome<T>): Outcome<T> {
    const { sql } = this.#ctx.storage;
    const stores = createStores(sql, getConfig(this.#env).limits);
    return this.runTransaction(() => {
      migrate(sql);
      return work(stores, Date.now());
    });
  }

  /** A transaction after which a job or schedule may be due earlier. */
  async transactAndSetAlarm<T>(
    work: (stores: Stores, now: number) => Outcome<T>,
  ): Promise<Outcome<T>> {
    const outcome = this.transact(work);
    if (outcome.ok) await this.setAlarm();
    return outcome;
  }

  /** A transaction in which credentials end; then closes the sockets and links that were made with them. */
  async transactEndingAccess<T>(
    work: (stores: Stores, now: number) => Outcome<T>,
  ): Promise<Outcome<T>> {
    const outcome = this.transact(work);
    if (outcome.ok) await this.enforceAccessEnd();
    return outcome;
  }

  /**
   * Call it directly after a transaction in which credentials or memberships ended: closes the sockets of this object,
   * then notifies the threads and groups. The alarm is set first, so that it notifies them after a crash.
   */
  async enforceAccessEnd(): Promise<void> {
    const stores = this.openStores();
    if (!stores) return;
    this.closeEndedSockets(stores);
    await this.runJobsNow("revokeLinks", "syncGroup");
  }

  /**
   * Runs the due jobs of the kinds, one kind after the other, and waits for them for a while. The alarm is set first and
   * repeats what is left.
   */
  async runJobsNow(...kinds: readonly (keyof HouseholdJobs)[]): Promise<void> {
    const stores = this.openStores();
    if (!stores) return;
    await this.setAlarm();
    const running = kinds.reduce(
      (before, kind) => before.then(() => this.runJobs(stores, kind)),
      Promise.resolve(),
    );
    this.#ctx.waitUntil(running);
    await withTimeout(JOBS_WAIT_MS, running).catch(() => undefined);
  }

  /** Closes the sockets of this object whose credential has ended. */
  closeEndedSockets(stores: Stores): void {
    const now = Date.now();
    const isActive = (credential: CredentialId) => isLive(stores, credential, now);
    closeListeners(this.#ctx, isActive);
    closeEndedSessions(this.#ctx, isActive);
    closeNoticeWaits(this.#ctx, isActive);
  }

  /** Runs every due job once, or those of one kind. */
  async runJobs(stores: Stores, kind?: keyof HouseholdJobs): Promise<void> {
    await this.#getJobs(stores).run(kind);
  }

  async setAlarm(): Promise<void> {
    await this.#alarm.set();
  }

  /** Sets the alarm after a change that added only work that is due at the given time. */
  async setAlarmBefore(due: number): Promise<void> {
    await this.#alarm.setBefore(due);
  }

  /** Runs the work of an alarm and sets the next one. Never throws. */
  async runAlarm(work: () => Promise<void>): Promise<void> {
    await this.#alarm.run(work);
  }

  #getJobs(stores: Stores): Jobs<keyof HouseholdJobs> {
    return (this.#jobs ??= createHouseholdJobs(this.#env, this.storage, stores));
  }

  #clearCaches(): void {
    if (this.#stores) clearCaches(this.#stores);
  }

  #listDueTimes(now: number): (number | undefined)[] {
    const stores = this.openStores();
    if (!stores) return [];
    // Schedules and digests wait for the end of a suspension.
    const isSuspended = stores.settings.isSuspended();
    return [
      this.#getJobs(stores).getNextDue(now),
      isSuspended ? undefined : stores.schedules.getNextDue(),
      getNextExpiry(stores),
      stores.credentials.getNextExpiry(),
      stores.pool.getNextCheck(),
      isSuspended ? undefined : getNextDigest(stores),
      getNextCleanup(stores),
      getNextListing(stores),
    ];
  }
}
