/** Lists the deliveries of a thread for its requestor and owners, and sends one again on request. */
import { defined } from "../../mess/defined.ts";
import type { Principal } from "../../auth/principal.ts";
import { type Delivery, ALL_OWNERS } from "../../delivery/delivery.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { getRelation } from "../../mess/thread/policy.ts";
import type { ThreadState } from "../../mess/thread/state.ts";
import { writeTime } from "../../mess/times.ts";
import type { ThreadLog } from "../thread-log.ts";
import type { ListedDelivery } from "../../contracts/thread.ts";

export function listDeliveries(
  log: ThreadLog,
  state: ThreadState,
  viewer: Principal,
): Outcome<ListedDelivery[]> {
  const { requestor } = getRelation(state, { actor: viewer.actor, owner: viewer.role === "owner" });
  return requestor
    ? ok(log.deliveries.list().map((one) => toListedDelivery(one, state.zone)))
    : refuse(
        "wrong_role",
        "deliveries are for the requestor and the owners",
        "Read the thread's history for what concerns you.",
      );
}

/** Makes the delivery due now, with its id and a fresh attempt count. */
export function redeliver(
  log: ThreadLog,
  state: ThreadState,
  viewer: Principal,
  id: string,
  now: number,
): Outcome<ListedDelivery> {
  if (viewer.role !== "owner")
    return refuse(
      "wrong_role",
      "only owners may send a delivery again",
      "Ask an owner of the household.",
    );
  const { deliveries } = log;
  const found = deliveries.find(id);
  if (!found)
    return refuse(
      "not_found",
      "delivery not found",
      "List the thread's deliveries to see the valid ids.",
    );
  if (deliveries.inFlight.has(id)) return ok(toListedDelivery(found, state.zone));
  const { kind, isChannelFixed } = found;
  deliveries.change(
    id,
    {
      state: "due",
      attempts: 0,
      due: now,
      error: null,
      // An update edits its message; every other delivery sends a new one.
      ...(kind === "update" ? {} : { handle: null }),
      ...(isChannelFixed ? {} : { channel: null }),
    },
    now,
  );
  return ok(toListedDelivery(deliveries.find(id)!, state.zone));
}

function toListedDelivery(delivery: Delivery, zone: string): ListedDelivery {
  const { id, executor, channel, kind, state, attempts, due, error, at } = delivery;
  return {
    id,
    executor: executor === ALL_OWNERS ? "owners" : executor,
    channel,
    kind,
    state,
    attempts,
    ...(state === "due" ? { next: writeTime(due, zone) } : {}),
    ...defined({ error: error ?? undefined }),
    at: writeTime(at, zone),
  };
}
