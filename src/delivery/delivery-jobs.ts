/**
 * The deliveries of a thread as jobs: the row of a delivery is its job, and each member has a queue, so that one dead
 * endpoint delays nobody else. A result is recorded before the next attempt; a crash in between sends the same id again.
 */
import { defined } from "../mess/defined.ts";
import { SUSPENDED_REASON } from "../mess/delay-reasons.ts";
import type { Contact, DeliveryReport } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import type { Job, JobSource, OpenQueues, QueueSet } from "../object/jobs.ts";
import { ALL_OWNERS, type Delivery, getQueueKey } from "./delivery.ts";
import type { PostReply } from "./delivery-attempt.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { getDropReason } from "./drop-reason.ts";
import { HOUSEHOLD_RETRY, MIN_BACKOFF_MS } from "./household-call.ts";
import { MemberQueue } from "./member-queue.ts";
import { alertOwners, findRecipients, isFirstOffer } from "./recipients.ts";

interface DeliveryJob extends Job<"delivery"> {
  delivery: Delivery;
}

const toJob = (delivery: Delivery): DeliveryJob => ({
  kind: "delivery",
  queue: getQueueKey(delivery),
  delivery,
});

export class DeliveryJobs implements JobSource<"delivery", DeliveryJob> {
  readonly #env: Env;
  readonly #port: DeliveryPort;
  readonly #postReply: PostReply;
  readonly #report: (report: DeliveryReport) => void;
  readonly retryDelayMs = HOUSEHOLD_RETRY;
  readonly crashCheckMs = MIN_BACKOFF_MS;
  /** Longer than most attempts, since each alarm is a billed write. */
  readonly runningCheckMs = 90_000;
  readonly maxParallelQueues = 500;

  constructor(
    env: Env,
    port: DeliveryPort,
    postReply: PostReply,
    report: (report: DeliveryReport) => void,
  ) {
    this.#env = env;
    this.#port = port;
    this.#postReply = postReply;
    this.#report = report;
  }

  listDue(now: number, limit: number, kind?: string): DeliveryJob[] {
    if (kind !== undefined && kind !== "delivery") return [];
    const firsts = new Map<string, DeliveryJob>();
    for (const job of this.#port.deliveries.listDue(now).map(toJob))
      if (!firsts.has(job.queue)) firsts.set(job.queue, job);
    return [...firsts.values()].slice(0, limit);
  }

  findDue(queue: string, now: number): DeliveryJob | undefined {
    return this.listDue(now, Infinity).find((job) => job.queue === queue);
  }

  getNextDue(except: QueueSet): number | undefined {
    return this.#port.deliveries.getNextDue((delivery) => except.has(getQueueKey(delivery)));
  }

  /** Asks the household once for the contacts of all these members. Rejects while it does not respond. */
  async open(jobs: readonly DeliveryJob[]): Promise<OpenQueues<DeliveryJob>> {
    const queues = new Set(jobs.map(({ queue }) => queue));
    const listDue = () =>
      this.#port.deliveries.listDue(Date.now()).filter((one) => queues.has(getQueueKey(one)));
    this.#dropIrrelevant(listDue());
    const due = listDue();
    const found = await findRecipients(this.#env, this.#port, due);
    const { contacts, owners, names, heldUntil } = found;
    if (heldUntil !== undefined) {
      this.#postponeAll(due, heldUntil);
      return { run: () => Promise.resolve() };
    }
    await this.#deprioritize(contacts, due);
    const members = new Map(
      [...queues].map((queue) => {
        const contact = contacts.get(queue) ?? { executor: "", membership: 0, addresses: [] };
        return [
          queue,
          new MemberQueue(this.#env, this.#port, contact, names, this.#postReply, this.#report),
        ];
      }),
    );
    return {
      run: async ({ queue, delivery }) => {
        try {
          if (delivery.executor === ALL_OWNERS)
            await alertOwners(this.#env, this.#port, delivery, owners);
          else await members.get(queue)!.process(delivery);
        } catch (error) {
          logDefect(error, { object: "thread", part: "delivery" });
          throw error;
        }
      },
    };
  }

  /** Avoids a call to the household for members that need no notice any longer. */
  #dropIrrelevant(due: readonly Delivery[]): void {
    const state = this.#port.getState();
    const dropped = due.flatMap((one) => {
      const error = getDropReason(one, state);
      return error === undefined ? [] : [{ id: one.id, error }];
    });
    if (dropped.length === 0) return;
    this.#port.runTransaction(() => {
      for (const { id, error } of dropped)
        this.#port.deliveries.change(id, { state: "dropped", error }, Date.now());
    });
  }

  /** Not an attempt: a suspended household loses no notice, however long it stays suspended. */
  #postponeAll(due: readonly Delivery[], until: number): void {
    this.#port.runTransaction(() => {
      for (const { id } of due)
        this.#port.deliveries.change(id, { due: until, error: SUSPENDED_REASON }, Date.now());
    });
  }

  /** Checks availability again before an offer is sent: it may have changed since the thread was routed. */
  async #deprioritize(
    contacts: ReadonlyMap<string, Contact>,
    due: readonly Delivery[],
  ): Promise<void> {
    const unavailable = due.filter(isFirstOffer).flatMap(({ executor }) => {
      const { unavailableReason, delay } = contacts.get(executor) ?? {};
      if (unavailableReason === undefined && !delay) return [];
      return [
        {
          id: executor,
          ...(unavailableReason ? { reason: unavailableReason } : {}),
          ...defined({ delay }),
        },
      ];
    });
    if (unavailable.length > 0) await this.#port.deprioritize(unavailable);
  }
}
