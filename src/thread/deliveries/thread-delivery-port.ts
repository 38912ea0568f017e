/** Implements the delivery port over the thread's record. */
import { MAX_LINK_SECONDS, DEFAULT_LINK_SECONDS } from "../../auth/links/links.ts";
import { LINK_PERMISSIONS } from "../../auth/principal.ts";
import type { Delivery } from "../../delivery/delivery.ts";
import { ALL_OWNERS } from "../../delivery/delivery.ts";
import type { DeliveryPort } from "../../delivery/delivery-port.ts";
import type { Outcome } from "../../mess/errors.ts";
import { isMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { ThreadDraft } from "../../mess/thread/thread-change.ts";
import { buildEnvelope } from "../../mess/thread/envelope.ts";
import { deprioritize } from "../../mess/thread/escalation.ts";
import { EXCHANGE } from "../../mess/thread/policy.ts";
import { readTime, writeTime } from "../../mess/times.ts";
import { readContextThreads } from "../context/context-threads.ts";
import type { ThreadLinks } from "../links.ts";
import type { ThreadLog } from "../thread-log.ts";
import { buildSummary } from "../summary/summary.ts";

const MAX_NOTE_CHARS = 300;

interface RuntimePort {
  commit<T>(change: () => Outcome<T>): Promise<Outcome<T>>;
  advance(change: (draft: ThreadDraft) => void): Promise<void>;
  setAlarm(): Promise<void>;
}

export const createDeliveryPort = (
  env: Pick<Env, "THREADS">,
  storage: DurableObjectStorage,
  log: ThreadLog,
  links: ThreadLinks,
  runtime: RuntimePort,
): DeliveryPort => ({
  deliveries: log.deliveries,
  getHousehold: () => log.getSyncState().household,
  getState: () => log.getState(),
  getSeq: () => log.getSyncState().seq,
  getRequest() {
    const [first] = log.findMessage(0)?.documents ?? [];
    const request = first?.MESS.map((item) => item["request"]).find(isMap);
    return request ?? {};
  },
  getThread: () => ({
    envelope: buildEnvelope(log.getState(), log.readHistory(), log.getFact("extra")),
    messages: log.readDocumentsAfter(0),
  }),
  async readContext() {
    const read = await readContextThreads(env, log);
    return read.ok ? read.value : [];
  },
  getSummary: () => buildSummary(log),
  getLastMessageTime(executor) {
    const lastMessage = log.readDocumentsAfter(0).findLast(({ from }) => from === executor);
    return lastMessage && readTime(lastMessage.received, log.getState().zone);
  },
  findOrMakeLink(executor, membership, now) {
    const known = links.findReusable({ executor, membership }, LINK_PERMISSIONS, now);
    if (known) return known;
    const end = Math.ceil((log.getState().expires ?? 0) / 1_000);
    const second = Math.floor(now / 1_000);
    // The longer of a day and the thread's own deadline (decision 65).
    const expires = Math.min(
      second + MAX_LINK_SECONDS,
      Math.max(second + DEFAULT_LINK_SECONDS, end),
    );
    const made_with = "exchange";
    const added = links.add(
      { executor, permissions: LINK_PERMISSIONS, expires, made_with, membership },
      now,
    );
    return added.ok ? added.value : undefined;
  },
  runTransaction(work) {
    try {
      storage.transactionSync(work);
    } catch (error) {
      log.clearCache();
      throw error;
    }
  },
  addHistoryNote(action, note, now) {
    const at = writeTime(now, log.getState().zone);
    log.insertHistory({ action, at, by: EXCHANGE, note: note.slice(0, MAX_NOTE_CHARS) });
  },
  async giveUp(delivery, reason) {
    await runtime.commit(() => {
      const now = Date.now();
      const { id, attempts, channel } = delivery;
      log.deliveries.change(id, { state: "dead", attempts, channel, error: reason }, now);
      alertOwners(log, delivery, reason, now);
      const draft = new ThreadDraft(log.getState(), now);
      draft.log("delivery_failed", EXCHANGE, undefined, reason);
      return ok(log.commit(draft.change));
    });
  },
  deprioritize: (unavailable) => runtime.advance((draft) => deprioritize(draft, unavailable)),
  setAlarm: () => runtime.setAlarm(),
});

/** An unreachable owner causes no further alert: the history and the events show it. */
function alertOwners(log: ThreadLog, { kind, executor }: Delivery, reason: string, now: number) {
  if (kind === "alert") return;
  const alerted = log.deliveries
    .listDue(Infinity)
    .some(({ event }) => event?.what === "unreachable" && event.by === executor);
  if (alerted) return;
  const event = { what: "unreachable", by: executor, text: reason };
  const plain = { channel: null, isChannelFixed: false, handle: null };
  log.deliveries.add([{ executor: ALL_OWNERS, kind: "alert", event, ...plain }], now);
}
