/** What every part of the household's object works with: its stores, transactions over them, and its one alarm. */
import { configOf } from "../config.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { within } from "../object/with-timeout.ts";
import { endListeners } from "./events/listeners.ts";
import { isLive } from "./identity/end-access.ts";
import { pushRevocations } from "./identity/link-revocations.ts";
import { nextChore } from "./jobs/maintenance-jobs.ts";
import { exists, migrate } from "./migrations.ts";
import { OwnSecrets } from "./secrets/generated-secrets.ts";
import { type Stores, storesOver } from "./stores.ts";
import { nextSweep } from "./jobs/blob-cleanup.ts";
import { Vault } from "./secrets/secret-vault.ts";

/** How long a call that ends access waits for the threads; the alarm sees to those that take longer. */
const PUSH_TIMEOUT_MS = 5_000;

export const noHousehold = () =>
  refuse("not_found", "no such household", "Set the household up before you use it.");

export class Home {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  #stores: Stores | undefined;
  #vault: Vault | undefined;
  /** The alarm that this instance knows of, in milliseconds; unknown after an eviction. */
  #armed = Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
  }

  /** The stores, or undefined where no household was set up: then nothing but the schema has been read. */
  open(): Stores | undefined {
    if (!this.#stores && exists(this.#ctx.storage.sql)) {
      this.#ctx.storage.transactionSync(() => migrate(this.#ctx.storage.sql));
      this.#stores = storesOver(this.#ctx.storage.sql);
    }
    return this.#stores;
  }

  /** Secrets, by their names. To be asked for where the household exists. */
  vault({ secrets, settings }: Stores): Vault {
    this.#vault ??= new Vault(configOf(this.#env).secret, settings.household().id, secrets);
    return this.#vault;
  }

  /** Secrets that the household makes for itself. */
  own(stores: Stores): OwnSecrets {
    return new OwnSecrets(stores, this.vault(stores));
  }

  /** Commits what `work` writes unless it refuses. */
  transaction<T>(work: () => Outcome<T>): Outcome<T> {
    const refused = new Error("refused");
    let outcome: Outcome<T> | undefined;
    try {
      this.#ctx.storage.transactionSync(() => {
        outcome = work();
        if (!outcome.ok) throw refused;
      });
    } catch (error) {
      this.#stores?.members.forget();
      if (error !== refused) throw error;
    }
    return outcome!;
  }

  /** A transaction over the stores of a household that exists. */
  within<T>(work: (stores: Stores, now: number) => Outcome<T>): Outcome<T> {
    const stores = this.open();
    return stores ? this.transaction(() => work(stores, Date.now())) : noHousehold();
  }

  /** The same for work that refuses nothing. */
  write(work: (stores: Stores, now: number) => void): void {
    this.within((stores, now) => {
      work(stores, now);
      return ok(true as const);
    });
  }

  /** The alarm went off: it is to be set anew. */
  disarm(): void {
    this.#armed = Infinity;
  }

  /**
   * To be called at once after a transaction in which credentials or memberships ended: closes the sockets here, and has
   * the threads end what they hold. The alarm is set before the first thread is asked, and asks again after a crash.
   */
  async accessEnded(): Promise<void> {
    const stores = this.open();
    if (!stores) return;
    const now = Date.now();
    endListeners(this.#ctx, (credential) => isLive(stores, credential, now));
    await this.arm(stores);
    const pushing = pushRevocations(this.#env, stores, now);
    this.#ctx.waitUntil(pushing);
    await within(PUSH_TIMEOUT_MS, pushing).catch(() => undefined);
  }

  /** Only ever moves the alarm forward: one that comes too early finds nothing to do and sets the next. */
  async arm(stores: Stores): Promise<void> {
    const due = Math.min(nextChore(stores), nextSweep(stores));
    if (due >= this.#armed) return;
    this.#armed = due;
    await this.#ctx.storage.setAlarm(due);
  }
}
