/** What the courier works from: the thread's record, and how it is written to by what becomes of a delivery. */
import { LONGEST_LINK, USUAL_LINK } from "../auth/links/links.ts";
import { LINK_PERMISSIONS } from "../auth/principal.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { OWNERS } from "../delivery/delivery.ts";
import type { Desk } from "../delivery/delivery-port.ts";
import type { Outcome } from "../mess/errors.ts";
import { isMap } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import { Draft } from "../mess/thread/thread-change.ts";
import { envelopeOf } from "../mess/thread/envelope.ts";
import { putBehind } from "../mess/thread/escalation.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import { readTime, writeTime } from "../mess/times.ts";
import type { Links } from "./links.ts";
import type { ThreadLog } from "./thread-log.ts";
import { summaryOf } from "./summary.ts";

/** Characters of a note in the history. */
const LONGEST_NOTE = 300;

interface Keeping {
  settle<T>(change: () => Outcome<T>): Promise<Outcome<T>>;
  advance(act: (draft: Draft) => void): Promise<void>;
  arm(): Promise<void>;
}

export const deskOf = (
  storage: DurableObjectStorage,
  log: ThreadLog,
  links: Links,
  keeper: Keeping,
): Desk => ({
  deliveries: log.deliveries,
  household: () => log.marks().household,
  state: () => log.state(),
  seq: () => log.marks().seq,
  request() {
    const [first] = log.message(0)?.documents ?? [];
    const request = first?.MESS.map((item) => item["request"]).find(isMap);
    return request ?? {};
  },
  thread: () => ({
    envelope: envelopeOf(log.state(), log.history(), log.fact("extra")),
    messages: log.documentsAfter(0),
  }),
  summary: () => summaryOf(log),
  lastHeard(executor) {
    const said = log.documentsAfter(0).findLast(({ from }) => from === executor);
    return said && readTime(said.received, log.state().zone);
  },
  linkFor(executor, membership, now) {
    const known = links.lasting({ executor, membership }, LINK_PERMISSIONS, now);
    if (known) return known;
    const end = Math.ceil((log.state().expires ?? 0) / 1_000);
    const second = Math.floor(now / 1_000);
    // The longer of a day and the thread's own end (decision 65).
    const expires = Math.min(second + LONGEST_LINK, Math.max(second + USUAL_LINK, end));
    const made_with = "exchange";
    const added = links.add(
      { executor, permissions: LINK_PERMISSIONS, expires, made_with, membership },
      now,
    );
    return added.ok ? added.value : undefined;
  },
  write(work) {
    try {
      storage.transactionSync(work);
    } catch (error) {
      log.forget();
      throw error;
    }
  },
  note(action, note, now) {
    const at = writeTime(now, log.state().zone);
    log.insertHistory({ action, at, by: EXCHANGE, note: note.slice(0, LONGEST_NOTE) });
  },
  async giveUp(delivery, reason) {
    await keeper.settle(() => {
      const now = Date.now();
      const { id, attempts, channel } = delivery;
      log.deliveries.change(id, { state: "dead", attempts, channel, error: reason }, now);
      alertOwners(log, delivery, reason, now);
      const draft = new Draft(log.state(), now);
      draft.log("delivery_failed", EXCHANGE, undefined, reason);
      return ok(log.commit(draft.change));
    });
  },
  putBehind: (hindered) => keeper.advance((draft) => putBehind(draft, hindered)),
  arm: () => keeper.arm(),
});

/** That an owner cannot be reached is told to nobody: it is in the history and in the events. */
function alertOwners(log: ThreadLog, { kind, executor }: Delivery, reason: string, now: number) {
  if (kind === "alert") return;
  const told = log.deliveries
    .due(Infinity)
    .some(({ happening }) => happening?.what === "unreachable" && happening.by === executor);
  if (told) return;
  const happening = { what: "unreachable", by: executor, text: reason };
  const plain = { channel: null, alone: false, handle: null };
  log.deliveries.add([{ executor: OWNERS, kind: "alert", happening, ...plain }], now);
}
