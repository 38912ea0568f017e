/** What every part of the household's object works with: its stores, transactions over them, and its one alarm. */
import { getConfig } from "../config.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { closeListeners } from "./events/listeners.ts";
import { isLive } from "./identity/end-access.ts";
import { pushRevocations } from "./identity/link-revocations.ts";
import { getNextMaintenance } from "./jobs/maintenance-jobs.ts";
import { isSetUp, migrate } from "./migrations.ts";
import { GeneratedSecrets } from "./secrets/generated-secrets.ts";
import { type Stores, createStores } from "./stores.ts";
import { getNextCleanup } from "./jobs/blob-cleanup.ts";
import { SecretVault } from "./secrets/secret-vault.ts";

/** How long a call that ends access waits for the threads; the alarm sees to those that take longer. */
const PUSH_TIMEOUT_MS = 5_000;

export const refuseNoHousehold = () =>
  refuse("not_found", "no such household", "Set the household up before you use it.");

export class HouseholdContext {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  #stores: Stores | undefined;
  #vault: SecretVault | undefined;
  /** The alarm that this instance knows of, in milliseconds; unknown after an eviction. */
  #alarmAt = Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
  }

  /** The stores, or undefined where no household was set up: then nothing but the schema has been read. */
  openStores(): Stores | undefined {
    if (!this.#stores && isSetUp(this.#ctx.storage.sql)) {
      this.#ctx.storage.transactionSync(() => migrate(this.#ctx.storage.sql));
      this.#stores = createStores(this.#ctx.storage.sql);
    }
    return this.#stores;
  }

  /** Secrets, by their names. To be asked for where the household exists. */
  getVault({ secrets, settings }: Stores): SecretVault {
    this.#vault ??= new SecretVault(
      getConfig(this.#env).secret,
      settings.getHousehold().id,
      secrets,
    );
    return this.#vault;
  }

  /** Secrets that the household makes for itself. */
  getGeneratedSecrets(stores: Stores): GeneratedSecrets {
    return new GeneratedSecrets(stores, this.getVault(stores));
  }

  /** Commits what `work` writes unless it refuses. */
  runTransaction<T>(work: () => Outcome<T>): Outcome<T> {
    const refused = new Error("refused");
    let outcome: Outcome<T> | undefined;
    try {
      this.#ctx.storage.transactionSync(() => {
        outcome = work();
        if (!outcome.ok) throw refused;
      });
    } catch (error) {
      this.#stores?.members.clearCache();
      if (error !== refused) throw error;
    }
    return outcome!;
  }

  /** A transaction over the stores of a household that exists. */
  transact<T>(work: (stores: Stores, now: number) => Outcome<T>): Outcome<T> {
    const stores = this.openStores();
    return stores ? this.runTransaction(() => work(stores, Date.now())) : refuseNoHousehold();
  }

  /** The same for work that refuses nothing. */
  write(work: (stores: Stores, now: number) => void): void {
    this.transact((stores, now) => {
      work(stores, now);
      return ok(true as const);
    });
  }

  /** The alarm went off: it is to be set anew. */
  forgetAlarm(): void {
    this.#alarmAt = Infinity;
  }

  /**
   * To be called at once after a transaction in which credentials or memberships ended: closes the sockets here, and has
   * the threads end what they hold. The alarm is set before the first thread is asked, and asks again after a crash.
   */
  async accessEnded(): Promise<void> {
    const stores = this.openStores();
    if (!stores) return;
    const now = Date.now();
    closeListeners(this.#ctx, (credential) => isLive(stores, credential, now));
    await this.setAlarm(stores);
    const pushing = pushRevocations(this.#env, stores, now);
    this.#ctx.waitUntil(pushing);
    await withTimeout(PUSH_TIMEOUT_MS, pushing).catch(() => undefined);
  }

  /** Only ever moves the alarm forward: one that comes too early finds nothing to do and sets the next. */
  async setAlarm(stores: Stores): Promise<void> {
    const due = Math.min(getNextMaintenance(stores), getNextCleanup(stores));
    if (due >= this.#alarmAt) return;
    this.#alarmAt = due;
    await this.#ctx.storage.setAlarm(due);
  }
}
