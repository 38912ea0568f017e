/**
 * The courier: sends what is due. Members are served side by side, each one's deliveries in their order, so that
 * nobody waits for another's dead endpoint. What became of an attempt is written down before the next is made; a
 * crash in between sends the same id again (at least once).
 */
import { householdStub } from "../stubs.ts";
import type { Contact, Contacts, DeliveryReport } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import { within } from "../object/with-timeout.ts";
import { type Delivery, laneOf, OWNERS, UNDER_WAY, UNREACHED } from "./delivery.ts";
import type { PostReply } from "./delivery-attempt.ts";
import type { Desk } from "./delivery-port.ts";
import { Lane } from "./member-queue.ts";
import { whyUseless } from "./drop-reason.ts";

/** Milliseconds that the household is waited for. */
const PATIENCE = 10_000;
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 5 * 60_000;
/** Milliseconds after which a member who is being sent to is looked at again, should the object have died meanwhile. */
const WATCH = 90_000;
/** Reports that are kept for a household that does not answer. */
const MOST_REPORTS = 200;

export class Courier {
  readonly #env: Env;
  readonly #desk: Desk;
  readonly #postReply: PostReply;
  readonly #lanes = new Map<string, Promise<void>>();
  #round: Promise<void> | undefined;
  #wanted = false;
  #telling: Promise<void> | undefined;
  #reports: DeliveryReport[] = [];
  /** Failures to reach the household, in a row; forgotten with the isolate, which only tries sooner. */
  #failures = 0;
  #restUntil = 0;

  constructor(env: Env, desk: Desk, postReply: PostReply) {
    this.#env = env;
    this.#desk = desk;
    this.#postReply = postReply;
  }

  /** Sends everything that is due, and resolves when it has been tried; never rejects. */
  async drain(): Promise<void> {
    if (!this.#desk.deliveries.any()) return;
    this.#wanted = true;
    await (this.#round ??= this.#rounds());
    await Promise.all(this.#lanes.values());
    await this.#tell();
  }

  /** Its member is being sent to right now. */
  readonly busy = (delivery: Pick<Delivery, "executor" | "kind">): boolean =>
    this.#lanes.has(laneOf(delivery));

  /** When to come back, given the earliest instant at which something is due; undefined where nothing is left. */
  nextTry(due: number | undefined, now: number): number | undefined {
    const watch = this.#lanes.size > 0 ? now + WATCH : Infinity;
    // What is due already is being seen to; the alarm is for when that goes wrong.
    const soon = due === undefined || due > now ? due : now + FIRST_PAUSE;
    const next = soon === undefined ? Infinity : Math.max(soon, this.#restUntil);
    return Math.min(watch, next) === Infinity ? undefined : Math.min(watch, next);
  }

  async #rounds(): Promise<void> {
    try {
      while (this.#wanted) {
        this.#wanted = false;
        await this.#start();
      }
    } catch (error) {
      logDefect(error, { object: "thread", part: "courier" });
      this.#rest();
    } finally {
      this.#round = undefined;
    }
  }

  /** Starts a lane for every member who has something due and has none yet. */
  async #start(): Promise<void> {
    const now = Date.now();
    if (now < this.#restUntil) return;
    const { deliveries } = this.#desk;
    this.#dropUseless(deliveries.due(now));
    const due = deliveries.due(now).filter((one) => !this.busy(one));
    if (due.length === 0) return;
    const reached = await this.#ask(due);
    if (!reached) return this.#rest();
    this.#failures = 0;
    this.#restUntil = 0;
    const { contacts, names } = reached;
    await this.#putBehind(contacts, due);
    this.#dropUnreached(contacts, due);
    for (const [key, contact] of contacts) {
      if (contact.addresses.length === 0 || this.#lanes.has(key)) continue;
      const report = (one: DeliveryReport) => {
        this.#reports.push(one);
        // At once: what is answered to it is understood by it, while the lane may have long to go.
        void this.#tell();
      };
      const lane = new Lane(this.#env, this.#desk, key, contact, names, this.#postReply, report);
      this.#lanes.set(key, this.#run(lane, key));
    }
  }

  async #run(lane: Lane, key: string): Promise<void> {
    try {
      await lane.run();
    } catch (error) {
      logDefect(error, { object: "thread", part: "lane" });
      this.#rest();
    } finally {
      this.#lanes.delete(key);
    }
    try {
      await Promise.all([this.#tell(), this.#desk.arm()]);
    } catch (error) {
      logDefect(error, { object: "thread", part: "lane" });
    }
  }

  /** Whoever is about to be told of the offer is judged anew: much may have changed since the thread was routed. */
  async #putBehind(
    contacts: ReadonlyMap<string, Contact>,
    due: readonly Delivery[],
  ): Promise<void> {
    const hindered = due.filter(isFresh).flatMap(({ executor }) => {
      const { hindered: why, hold } = contacts.get(executor) ?? {};
      if (why === undefined && !hold) return [];
      return [{ id: executor, ...(why ? { hindered: why } : {}), ...(hold ? { hold } : {}) }];
    });
    if (hindered.length > 0) await this.#desk.putBehind(hindered);
  }

  #dropUseless(due: readonly Delivery[]): void {
    const state = this.#desk.state();
    this.#drop(due, (one) => (this.busy(one) ? undefined : whyUseless(one, state)));
  }

  #dropUnreached(contacts: ReadonlyMap<string, Contact>, due: readonly Delivery[]): void {
    this.#drop(due, (one) =>
      contacts.get(laneOf(one))?.addresses.length === 0 ? UNREACHED : undefined,
    );
  }

  #drop(due: readonly Delivery[], why: (delivery: Delivery) => string | undefined): void {
    const dropped = due.flatMap((one) => {
      const error = why(one);
      return error === undefined ? [] : [{ id: one.id, error }];
    });
    if (dropped.length === 0) return;
    this.#desk.write(() => {
      for (const { id, error } of dropped)
        this.#desk.deliveries.change(id, { state: "dropped", error }, Date.now());
    });
  }

  /** How whose deliveries are due is reached, by lane; undefined where the household does not answer. */
  async #ask(
    due: readonly Delivery[],
  ): Promise<{ contacts: Map<string, Contact>; names: Contacts["names"] } | undefined> {
    const { priority } = this.#desk.state();
    const offering = due.some(isFresh) ? { offering: true as const } : {};
    const alerts = due.filter(({ kind }) => kind === "alert");
    const others = due.filter(({ kind }) => kind !== "alert");
    const members = [...new Set(others.map(({ executor }) => executor))];
    try {
      const household = householdStub(this.#env, this.#desk.household());
      const [found, owners] = await Promise.all([
        members.length === 0
          ? NOBODY
          : within(PATIENCE, household.contacts({ who: members, priority, ...offering })),
        alerts.length === 0
          ? NOBODY
          : within(PATIENCE, household.contacts({ who: "owners", priority })),
      ]);
      await this.#logAlerts(alerts);
      this.#nameOwners(alerts, owners.contacts);
      // Who is no member any more is reached by nothing.
      const none = due.map((one): [string, Contact] => [
        laneOf(one),
        { executor: one.executor, membership: 0, addresses: [] },
      ]);
      const ways = [
        ...found.contacts.map((one): [string, Contact] => [one.executor, one]),
        ...owners.contacts.map((one): [string, Contact] => [
          laneOf({ executor: one.executor, kind: "alert" }),
          one,
        ]),
      ];
      return {
        contacts: new Map([...none.filter(([key]) => key !== TO_ALL), ...ways]),
        names: { ...owners.names, ...found.names },
      };
    } catch {
      return undefined;
    }
  }

  /** Where no way leads to an owner, the events are what is left; what is only said again is in them already. */
  async #logAlerts(due: readonly Delivery[]): Promise<void> {
    const household = householdStub(this.#env, this.#desk.household());
    for (const { executor, happening, at } of due) {
      if (executor !== OWNERS || !happening || happening.again) continue;
      // Who cannot be reached is an event of its own.
      if (happening.what === "unreachable") continue;
      const summary = { ...this.#desk.summary(), text: "" };
      await within(PATIENCE, household.escalated(summary, happening.text ?? "", at));
    }
  }

  /** An alert becomes one for each owner who is reached by something. */
  #nameOwners(due: readonly Delivery[], owners: readonly Contact[]): void {
    const { deliveries } = this.#desk;
    const alerts = due.filter(({ executor }) => executor === OWNERS);
    if (alerts.length === 0) return;
    const reached = owners.filter(({ addresses }) => addresses.length > 0);
    const waiting = new Set(
      deliveries
        .due(Infinity)
        .flatMap(({ kind, executor, handle }) =>
          kind === "alert" && handle === null ? executor : [],
        ),
    );
    const now = Date.now();
    this.#desk.write(() => {
      for (const { id, kind, happening } of alerts) {
        if (reached.length === 0) {
          deliveries.change(id, { state: "dropped", error: UNREACHED }, now);
          continue;
        }
        deliveries.remove(id);
        const each = { kind, happening, channel: null, alone: false, handle: null };
        deliveries.add(
          reached.map(({ executor }) => ({
            executor,
            ...each,
            ...(happening?.again && waiting.has(executor) ? { dropped: UNDER_WAY } : {}),
          })),
          now,
        );
      }
    });
  }

  #rest(): void {
    this.#restUntil = Date.now() + Math.min(FIRST_PAUSE * 2 ** this.#failures++, LONGEST_PAUSE);
  }

  /** Tells the household what came of the attempts, and of deliveries that were given up; one call at a time. */
  async #tell(): Promise<void> {
    while (this.#telling) await this.#telling;
    if (this.#reports.length === 0 && this.#desk.deliveries.untold().length === 0) return;
    this.#telling = this.#tellAll().finally(() => (this.#telling = undefined));
    await this.#telling;
  }

  async #tellAll(): Promise<void> {
    const { deliveries } = this.#desk;
    try {
      const household = householdStub(this.#env, this.#desk.household());
      while (this.#reports.length > 0) {
        const reports = this.#reports.splice(0);
        try {
          await within(PATIENCE, household.delivered(reports));
        } catch {
          this.#reports = [...reports, ...this.#reports].slice(-MOST_REPORTS);
          break;
        }
      }
      for (const { id, executor, at } of deliveries.untold()) {
        await within(PATIENCE, household.deliveryFailed(this.#desk.summary(), executor, at));
        this.#desk.write(() => deliveries.told(id));
      }
    } catch {
      this.#rest();
    }
  }
}

/** An offer of which nothing has reached its member yet. */
const isFresh = ({ kind, attempts, alone }: Delivery): boolean =>
  kind === "offer" && attempts === 0 && !alone;

const NOBODY: Contacts = { contacts: [], names: {} };
const TO_ALL = laneOf({ executor: OWNERS, kind: "alert" });
