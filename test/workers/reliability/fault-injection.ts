/**
 * Injects faults wherever one store waits for another: calls between Worker and objects that fail before or after their
 * effect, statements that throw inside a transaction, objects that are aborted during a call, a D1 that throws, stalls
 * or responds late, an R2 that fails. All bindings are wrapped once for a test file; a fault occurs only at an armed
 * site.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { GroupObject } from "../../../src/groups/group-object.ts";
import { GroupsFacet } from "../../../src/household/memberships/groups-facet.ts";
import { ThreadsFacet } from "../../../src/household/threads/threads-facet.ts";
import { real } from "./real-bindings.ts";
import { ThreadObject } from "../../../src/thread/thread-object.ts";

/** The calls that can fail. Summaries, deliveries and alarms make the last ones in the background. */
export type Site =
  | "openThreads"
  | "resolveTarget"
  | "create"
  | "append"
  | "stageUpload"
  | "checkUpload"
  | "put"
  | "delete"
  | "recordSummary"
  | "findContacts"
  | "reportDeliveries"
  | "resolveDependency"
  | "index"
  | "list"
  | HouseholdGroupCall
  | GroupCall;

/** Calls of the household about AI groups. */
export type HouseholdGroupCall =
  | "initiate"
  | "join"
  | "rejoin"
  | "claim"
  | "release"
  | "transfer"
  | "close";

/** Calls of the object of an AI group; the household makes the first four. */
export type GroupCall =
  | "sync"
  | "post"
  | "endAssignment"
  | "listSeen"
  | "send"
  | "read"
  | "markRead"
  | "receive";

/**
 * `before`: the call has no effect; `after`: it takes effect and the response is lost; `abort`: all objects are aborted
 * during the call; `sql`: a statement throws inside the object's transaction; `stall`: no response until the stall
 * ends, then an error; `late`: it takes effect when the stall ends; `ghost`: it fails, but takes effect at some later
 * time.
 */
export type Kind = "before" | "after" | "abort" | "sql" | "stall" | "late" | "ghost";

interface ArmedFault {
  site: Site;
  kind: Kind;
  /** Number of calls of the site that succeed before. */
  skip: number;
  /** For `sql`: number of statements that succeed before. */
  statement: number;
}

const FAULT_PREFIX = "fault: ";
const ABORTED_PATTERN = /abortAllDurableObjects|reset because|broken/;

/** True for an exception of this file, and for the error of a call whose object was aborted. */
export const isFault = (error: unknown): boolean =>
  String(error).includes(FAULT_PREFIX) || ABORTED_PATTERN.test(String(error));

const createLostError = (site: Site, kind: Kind): Error =>
  new Error(`${FAULT_PREFIX}${site} ${kind}`);

type Method = (...given: unknown[]) => Promise<unknown>;
type Methods = Record<string, Method>;
type Sync = (this: unknown, ...given: unknown[]) => unknown;

function replace(instance: object, name: string, by: Sync): void {
  Object.defineProperty(Object.getPrototypeOf(instance) as object, name, { value: by });
}

/** Sites that no caller waits for. */
const BACKGROUND_SITES: readonly Site[] = [
  "recordSummary",
  "findContacts",
  "reportDeliveries",
  "resolveDependency",
  "index",
  "sync",
  "post",
  "endAssignment",
  "listSeen",
];
const THREAD_SITES: readonly string[] = [
  "create",
  "append",
  "stageUpload",
  "checkUpload",
  "resolveDependency",
];
/** Calls about AI groups that the household decides. */
export const HOUSEHOLD_GROUP_SITES = [
  "initiate",
  "join",
  "rejoin",
  "claim",
  "release",
  "transfer",
  "close",
] as const satisfies readonly Site[];
const HOUSEHOLD_SITES: readonly string[] = [
  "openThreads",
  "resolveTarget",
  "recordSummary",
  "findContacts",
  "reportDeliveries",
  ...HOUSEHOLD_GROUP_SITES,
];
export const GROUP_SITES: readonly Site[] = [
  "sync",
  "post",
  "endAssignment",
  "listSeen",
  "send",
  "read",
  "markRead",
  "receive",
];
/** Methods whose transaction can fail, since it runs before their first await. */
const TRANSACTIONS: readonly [object, readonly string[]][] = [
  [ThreadObject.prototype, ["create", "append", "resolveDependency"]],
  [ThreadsFacet.prototype, ["openThreads", "recordSummary"]],
  [GroupsFacet.prototype, ["initiate", "join", "rejoin", "release", "transfer", "close"]],
  [GroupObject.prototype, ["sync", "post", "endAssignment", "send", "read", "markRead", "receive"]],
];
const THROWN_MESSAGE = "thrown inside the object";

export class Faults {
  /** Number of faults that occurred, by class. */
  readonly injectedCounts = new Map<string, number>();
  /** Keys that were put into R2 since the last `takePut`. */
  #put: string[] = [];
  #armed: ArmedFault[] = [];
  readonly #outages = new Map<Site, Kind>();
  readonly #lostCalls: (() => Promise<unknown>)[] = [];
  readonly #stalled = new Set<{ ended: boolean }>();
  /** Number of statements that still succeed. */
  #statements = Infinity;

  /** Wraps the bindings and the objects permanently, since each test file has its own isolate. */
  install(): this {
    env.THREADS.getByName = (name: string) => this.#wrapStub(() => real.thread(name), THREAD_SITES);
    env.HOUSEHOLDS.getByName = (name: string) =>
      this.#wrapStub(() => real.household(name), HOUSEHOLD_SITES);
    env.GROUPS.getByName = (name: string) => this.#wrapStub(() => real.group(name), GROUP_SITES);
    env.BLOBS.put = ((key: string, ...rest: unknown[]) => {
      this.#put.push(key);
      return this.#call("put", () => (real.put as unknown as Method)(key, ...rest));
    }) as typeof real.put;
    env.BLOBS.delete = (keys) => this.#call("delete", () => real.delete(keys));
    env.INDEX.prepare = (sql) => this.#statement(sql);
    env.INDEX.batch = <T>(statements: D1PreparedStatement[]) =>
      this.#call("list", () => real.batch<T>(statements.map((one) => this.#bound.get(one) ?? one)));
    for (const [prototype, names] of TRANSACTIONS)
      for (const name of names) this.#breakable(prototype as Methods, name);
    return this;
  }

  /** Wraps the storage through the first object that is called, since the isolate's objects share their prototypes. */
  wrapStorage(storage: DurableObjectStorage): void {
    const { exec } = Object.getPrototypeOf(storage.sql) as { exec: Sync };
    const { transactionSync } = Object.getPrototypeOf(storage) as { transactionSync: Sync };
    // oxlint-disable-next-line typescript/no-this-alias
    const faults = this;
    replace(storage.sql, "exec", function (this: unknown, ...given) {
      if (--faults.#statements < 0) {
        faults.#statements = Infinity;
        throw new Error(`${FAULT_PREFIX}statement`);
      }
      return exec.apply(this, given);
    });
    replace(storage, "transactionSync", function (this: unknown, ...given) {
      try {
        return transactionSync.apply(this, given);
      } finally {
        // Statements after the commit may read again.
        faults.#statements = Infinity;
      }
    });
  }

  arm(site: Site, kind: Kind, skip = 0, statement = 0): void {
    this.#armed.push({ site, kind, skip, statement });
  }

  /** Removes faults that have not occurred; those of summaries and alarms stay, unless `all`. */
  disarm(all = false): void {
    this.#armed = all ? [] : this.#armed.filter(({ site }) => BACKGROUND_SITES.includes(site));
    this.#broken.clear();
  }

  /** Ends all stalls: stalled calls fail now, or take effect now. */
  async endStalls(): Promise<void> {
    for (const stall of this.#stalled) stall.ended = true;
    for (let turn = 0; turn < 5 && this.#stalled.size > 0; turn++) await scheduler.wait(1);
    // The remaining stalls were in aborted objects.
    this.#stalled.clear();
  }

  /** Applies this fault to every call of the site from now on, or none. */
  setOutage(site: Site, kind: Kind | undefined): void {
    if (kind) this.#outages.set(site, kind);
    else this.#outages.delete(site);
  }

  /** Runs the calls that were reported as lost, after their callers have given up. */
  async runLostCalls(): Promise<void> {
    for (const lostCall of this.#lostCalls.splice(0)) {
      this.note("a lost call arrives");
      await lostCall();
    }
  }

  /** Number of lost calls that have not run yet. */
  get lostCallCount(): number {
    return this.#lostCalls.length;
  }

  takePut(): string[] {
    return this.#put.splice(0);
  }

  note(name: string): void {
    this.injectedCounts.set(name, (this.injectedCounts.get(name) ?? 0) + 1);
  }

  #strike(site: Site): Pick<ArmedFault, "kind" | "statement"> | undefined {
    const outage = this.#outages.get(site);
    if (outage) return { kind: outage, statement: 0 };
    const armed = this.#armed.find((one) => one.site === site);
    if (!armed || armed.skip-- > 0) return undefined;
    this.#armed.splice(this.#armed.indexOf(armed), 1);
    this.note(`${site} ${armed.kind}`);
    return armed;
  }

  /** `stubOf` creates a stub for each caller, since a stub cannot be used in another context. */
  #wrapStub<T extends object>(stubOf: () => T, sites: readonly string[]): T {
    return new Proxy(stubOf(), {
      get: (target, name) => {
        const method = (target as Methods)[name as string];
        if (typeof method !== "function") return method;
        const call = async (given: unknown[]) => {
          const result = await (target as Methods)[name as string]!(...given);
          if (result === THROWN_MESSAGE) throw new Error(`${FAULT_PREFIX}${String(name)}`);
          return result;
        };
        return (...given: unknown[]) => {
          const site = String(name === "callFacet" ? given[1] : name);
          return sites.includes(site)
            ? this.#call(
                site as Site,
                () => call(given),
                () => (stubOf() as Methods)[name as string]!(...given),
              )
            : (target as Methods)[name as string]!(...given);
        };
      },
    });
  }

  /** @param again the same call from any context, for calls that run later */
  async #call<T>(site: Site, work: () => Promise<T>, again?: () => Promise<unknown>): Promise<T> {
    const armed = this.#strike(site);
    switch (armed?.kind) {
      case "before":
        throw createLostError(site, "before");
      case "ghost":
        if (again) this.#lostCalls.push(again);
        throw createLostError(site, "ghost");
      case "after":
        await work();
        throw createLostError(site, "after");
      case "abort": {
        const pending = work().catch((error: unknown) => {
          throw isFault(error) ? error : createLostError(site, "abort");
        });
        const [result] = await Promise.allSettled([pending, abortAllDurableObjects()]);
        if (result.status === "rejected") throw result.reason;
        return result.value;
      }
      case "sql":
        this.#broken.set(site, armed.statement);
        return await work();
      case "stall":
        await this.#stall();
        throw createLostError(site, "stall");
      case "late":
        await this.#stall();
        return await work();
      default:
        return await work();
    }
  }

  /** Polls, since code outside cannot resolve a promise of an object. */
  async #stall(): Promise<void> {
    const stall = { ended: false };
    this.#stalled.add(stall);
    while (!stall.ended) await scheduler.wait(1);
    this.#stalled.delete(stall);
  }

  /** The real D1 statements of the wrapped ones. */
  readonly #bound = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

  /** Number of statements after which the next transaction of a method fails. */
  readonly #broken = new Map<string, number>();

  #breakable(prototype: Methods, name: string): void {
    const method = prototype[name]!;
    // oxlint-disable-next-line typescript/no-this-alias
    const faults = this;
    prototype[name] = async function (this: unknown, ...given: unknown[]) {
      faults.#statements = faults.#broken.get(name) ?? Infinity;
      faults.#broken.delete(name);
      try {
        const running = method.apply(this, given);
        faults.#statements = Infinity;
        return await running;
      } catch (error) {
        // The test runner would report a rejected call as an error, so the caller throws it instead.
        if (isFault(error)) return THROWN_MESSAGE;
        throw error;
      }
    };
  }

  /** Only the write of one thread's row can fail, which the summary of a thread does. */
  #statement(sql: string): D1PreparedStatement {
    const statement = real.prepare(sql);
    if (!/^\s*INSERT INTO threads/.test(sql)) return statement;
    return {
      bind: (...values: unknown[]) => {
        const bound = statement.bind(...values);
        const faulty = new Proxy(bound, {
          get: (target, name) =>
            name === "run"
              ? () =>
                  this.#call(
                    "index",
                    () => target.run(),
                    () =>
                      real
                        .prepare(sql)
                        .bind(...values)
                        .run(),
                  )
              : (Reflect.get(target, name) as unknown),
        });
        this.#bound.set(faulty, bound);
        return faulty;
      },
    } as unknown as D1PreparedStatement;
  }
}
