/**
 * Sends what is due. Members are served in parallel, and each member's deliveries in order, so that one dead endpoint
 * delays nobody else. A result is recorded before the next attempt; a crash in between sends the same id again (at
 * least once).
 */
import { getHouseholdStub } from "../stubs.ts";
import type { Contact, Contacts, DeliveryReport } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import { exponential } from "../object/retry.ts";
import { withTimeout } from "../object/with-timeout.ts";
import {
  type Delivery,
  getQueueKey,
  ALL_OWNERS,
  ALREADY_PENDING_REASON,
  NO_CHANNEL_REASON,
} from "./delivery.ts";
import type { PostReply } from "./delivery-attempt.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { MemberQueue } from "./member-queue.ts";
import { getDropReason } from "./drop-reason.ts";

/** Time limit for calls to the household. */
const HOUSEHOLD_TIMEOUT_MS = 10_000;
const MIN_BACKOFF_MS = 2_000;
/** A household that does not respond is called again without a limit of attempts. */
const HOUSEHOLD_RETRY = exponential(MIN_BACKOFF_MS, 5 * 60_000);
/** A running member queue is checked again after this, in case the object died meanwhile. */
const RECHECK_MS = 90_000;
/** Reports that wait for a household that does not respond; the oldest are dropped first. */
const MAX_REPORTS = 200;

export class DeliveryScheduler {
  readonly #env: Env;
  readonly #port: DeliveryPort;
  readonly #postReply: PostReply;
  readonly #queues = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;
  #isRerunRequested = false;
  #reporting: Promise<void> | undefined;
  #reports: DeliveryReport[] = [];
  /** Consecutive failures to call the household. Losing them with the isolate only makes the next retry sooner. */
  #failures = 0;
  #backoffUntil = 0;

  constructor(env: Env, port: DeliveryPort, postReply: PostReply) {
    this.#env = env;
    this.#port = port;
    this.#postReply = postReply;
  }

  /** Attempts everything that is due and resolves afterwards; never rejects. */
  async deliverDue(): Promise<void> {
    if (!this.#port.deliveries.hasAny()) return;
    this.#isRerunRequested = true;
    await (this.#running ??= this.#runRounds());
    await Promise.all(this.#queues.values());
    await this.#sendReports();
  }

  /** Whether the member's queue is running. */
  readonly isBusy = (delivery: Pick<Delivery, "executor" | "kind">): boolean =>
    this.#queues.has(getQueueKey(delivery));

  /** When to run again, given the earliest due time; undefined when nothing is left. */
  getNextTry(due: number | undefined, now: number): number | undefined {
    const recheckAt = this.#queues.size > 0 ? now + RECHECK_MS : Infinity;
    // A queue already works on what is due; the alarm is for the case that the object dies.
    const soon = due === undefined || due > now ? due : now + MIN_BACKOFF_MS;
    const next = soon === undefined ? Infinity : Math.max(soon, this.#backoffUntil);
    return Math.min(recheckAt, next) === Infinity ? undefined : Math.min(recheckAt, next);
  }

  async #runRounds(): Promise<void> {
    try {
      while (this.#isRerunRequested) {
        this.#isRerunRequested = false;
        await this.#startQueues();
      }
    } catch (error) {
      logDefect(error, { object: "thread", part: "courier" });
      this.#backOff();
    } finally {
      this.#running = undefined;
    }
  }

  /** Starts a queue for every member that has something due and none running. */
  async #startQueues(): Promise<void> {
    const now = Date.now();
    if (now < this.#backoffUntil) return;
    const { deliveries } = this.#port;
    this.#dropIrrelevant(deliveries.listDue(now));
    const due = deliveries.listDue(now).filter((one) => !this.isBusy(one));
    if (due.length === 0) return;
    const found = await this.#findContacts(due);
    if (!found) return this.#backOff();
    this.#failures = 0;
    this.#backoffUntil = 0;
    const { contacts, names } = found;
    await this.#deprioritize(contacts, due);
    this.#dropUnreachable(contacts, due);
    for (const [key, contact] of contacts) {
      if (contact.addresses.length === 0 || this.#queues.has(key)) continue;
      const report = (one: DeliveryReport) => {
        this.#reports.push(one);
        // At once, because a reply is resolved by this report, and the queue may run for long.
        void this.#sendReports();
      };
      const queue = new MemberQueue(
        this.#env,
        this.#port,
        key,
        contact,
        names,
        this.#postReply,
        report,
      );
      this.#queues.set(key, this.#runQueue(queue, key));
    }
  }

  async #runQueue(queue: MemberQueue, key: string): Promise<void> {
    try {
      await queue.run();
    } catch (error) {
      logDefect(error, { object: "thread", part: "lane" });
      this.#backOff();
    } finally {
      this.#queues.delete(key);
    }
    try {
      await Promise.all([this.#sendReports(), this.#port.setAlarm()]);
    } catch (error) {
      logDefect(error, { object: "thread", part: "lane" });
    }
  }

  /** Checks availability again before an offer is sent: it may have changed since the thread was routed. */
  async #deprioritize(
    contacts: ReadonlyMap<string, Contact>,
    due: readonly Delivery[],
  ): Promise<void> {
    const unavailable = due.filter(isFirstOffer).flatMap(({ executor }) => {
      const { unavailableReason, hold } = contacts.get(executor) ?? {};
      if (unavailableReason === undefined && !hold) return [];
      return [
        {
          id: executor,
          ...(unavailableReason ? { reason: unavailableReason } : {}),
          ...(hold ? { hold } : {}),
        },
      ];
    });
    if (unavailable.length > 0) await this.#port.deprioritize(unavailable);
  }

  #dropIrrelevant(due: readonly Delivery[]): void {
    const state = this.#port.getState();
    this.#drop(due, (one) => (this.isBusy(one) ? undefined : getDropReason(one, state)));
  }

  #dropUnreachable(contacts: ReadonlyMap<string, Contact>, due: readonly Delivery[]): void {
    this.#drop(due, (one) =>
      contacts.get(getQueueKey(one))?.addresses.length === 0 ? NO_CHANNEL_REASON : undefined,
    );
  }

  #drop(due: readonly Delivery[], getReason: (delivery: Delivery) => string | undefined): void {
    const dropped = due.flatMap((one) => {
      const error = getReason(one);
      return error === undefined ? [] : [{ id: one.id, error }];
    });
    if (dropped.length === 0) return;
    this.#port.runTransaction(() => {
      for (const { id, error } of dropped)
        this.#port.deliveries.change(id, { state: "dropped", error }, Date.now());
    });
  }

  /** Contacts by member queue; undefined when the household does not respond. */
  async #findContacts(
    due: readonly Delivery[],
  ): Promise<{ contacts: Map<string, Contact>; names: Contacts["names"] } | undefined> {
    const { priority } = this.#port.getState();
    const query = due.some(isFirstOffer) ? { isOffer: true as const } : {};
    const alerts = due.filter(({ kind }) => kind === "alert");
    const others = due.filter(({ kind }) => kind !== "alert");
    const members = [...new Set(others.map(({ executor }) => executor))];
    try {
      const household = getHouseholdStub(this.#env, this.#port.getHousehold());
      const [found, owners] = await Promise.all([
        members.length === 0
          ? NO_CONTACTS
          : withTimeout(
              HOUSEHOLD_TIMEOUT_MS,
              household.contacts.findContacts({ recipients: members, priority, ...query }),
            ),
        alerts.length === 0
          ? NO_CONTACTS
          : withTimeout(
              HOUSEHOLD_TIMEOUT_MS,
              household.contacts.findContacts({ recipients: "owners", priority }),
            ),
      ]);
      await this.#logAlerts(alerts);
      this.#addressOwners(alerts, owners.contacts);
      // Former members have no addresses.
      const none = due.map((one): [string, Contact] => [
        getQueueKey(one),
        { executor: one.executor, membership: 0, addresses: [] },
      ]);
      const recipients = [
        ...found.contacts.map((one): [string, Contact] => [one.executor, one]),
        ...owners.contacts.map((one): [string, Contact] => [
          getQueueKey({ executor: one.executor, kind: "alert" }),
          one,
        ]),
      ];
      return {
        contacts: new Map([...none.filter(([key]) => key !== ALL_OWNERS_KEY), ...recipients]),
        names: { ...owners.names, ...found.names },
      };
    } catch {
      return undefined;
    }
  }

  /** Logs alerts as events, so that owners without any channel see them. Repeated alerts are logged already. */
  async #logAlerts(due: readonly Delivery[]): Promise<void> {
    const household = getHouseholdStub(this.#env, this.#port.getHousehold());
    for (const { executor, event, at } of due) {
      if (executor !== ALL_OWNERS || !event || event.again) continue;
      // An unreachable member is logged as an event of another kind.
      if (event.what === "unreachable") continue;
      const summary = { ...this.#port.getSummary(), text: "" };
      await withTimeout(
        HOUSEHOLD_TIMEOUT_MS,
        household.events.recordEscalation(summary, event.text ?? "", at),
      );
    }
  }

  /** Replaces an alert to all owners by one for each owner that has an address. */
  #addressOwners(due: readonly Delivery[], owners: readonly Contact[]): void {
    const { deliveries } = this.#port;
    const alerts = due.filter(({ executor }) => executor === ALL_OWNERS);
    if (alerts.length === 0) return;
    const reachable = owners.filter(({ addresses }) => addresses.length > 0);
    const waiting = new Set(
      deliveries
        .listDue(Infinity)
        .flatMap(({ kind, executor, handle }) =>
          kind === "alert" && handle === null ? executor : [],
        ),
    );
    const now = Date.now();
    this.#port.runTransaction(() => {
      for (const { id, kind, event } of alerts) {
        if (reachable.length === 0) {
          deliveries.change(id, { state: "dropped", error: NO_CHANNEL_REASON }, now);
          continue;
        }
        deliveries.remove(id);
        const each = { kind, event, channel: null, alone: false, handle: null };
        deliveries.add(
          reachable.map(({ executor }) => ({
            executor,
            ...each,
            ...(event?.again && waiting.has(executor)
              ? { dropReason: ALREADY_PENDING_REASON }
              : {}),
          })),
          now,
        );
      }
    });
  }

  #backOff(): void {
    this.#backoffUntil = Date.now() + (HOUSEHOLD_RETRY(++this.#failures) ?? 0);
  }

  /** Reports results and given-up deliveries to the household, one call at a time. */
  async #sendReports(): Promise<void> {
    while (this.#reporting) await this.#reporting;
    if (this.#reports.length === 0 && this.#port.deliveries.listUnreported().length === 0) return;
    this.#reporting = this.#sendAllReports().finally(() => (this.#reporting = undefined));
    await this.#reporting;
  }

  async #sendAllReports(): Promise<void> {
    const { deliveries } = this.#port;
    try {
      const household = getHouseholdStub(this.#env, this.#port.getHousehold());
      while (this.#reports.length > 0) {
        const reports = this.#reports.splice(0);
        try {
          await withTimeout(HOUSEHOLD_TIMEOUT_MS, household.contacts.reportDeliveries(reports));
        } catch {
          this.#reports = [...reports, ...this.#reports].slice(-MAX_REPORTS);
          break;
        }
      }
      for (const { id, executor, at } of deliveries.listUnreported()) {
        await withTimeout(
          HOUSEHOLD_TIMEOUT_MS,
          household.events.recordDeliveryFailure(this.#port.getSummary(), executor, at),
        );
        this.#port.runTransaction(() => deliveries.markReported(id));
      }
    } catch {
      this.#backOff();
    }
  }
}

/** An offer that no attempt was made for yet. */
const isFirstOffer = ({ kind, attempts, alone }: Delivery): boolean =>
  kind === "offer" && attempts === 0 && !alone;

const NO_CONTACTS: Contacts = { contacts: [], names: {} };
const ALL_OWNERS_KEY = getQueueKey({ executor: ALL_OWNERS, kind: "alert" });
