/** Changes that the household asks for, each applied once, inside the object's transaction. */
import { type Outcome } from "../mess/errors.ts";
import { fail, ok } from "../mess/result.ts";
import type { Block } from "../mess/wire/schema.ts";
import { ThreadDraft } from "../mess/thread/thread-change.ts";
import { addJoiner, type Joiner } from "../mess/thread/suggestions/join.ts";
import { type Replacement, supersede } from "../mess/thread/suggestions/supersede.ts";
import { fireTimers } from "../mess/thread/timers.ts";
import { readTime } from "../mess/times.ts";
import type { ThreadLog } from "./thread-log.ts";
import type { SystemMessage } from "../contracts/thread.ts";

function beginChange(log: ThreadLog, now: number): ThreadDraft {
  const draft = new ThreadDraft(log.getState(), now);
  fireTimers(draft);
  return draft;
}

export function acceptJoiner(
  log: ThreadLog,
  joiner: Joiner,
  maxAgeSeconds: number,
  now: number,
): Outcome<true> {
  const draft = beginChange(log, now);
  const { joined = [], zone } = draft.state;
  const completed = log.readHistory().findLast(({ action }) => action === "completed");
  const error = addJoiner(draft, joiner, maxAgeSeconds, completed && readTime(completed.at, zone));
  if (error) return fail(error);
  if (draft.state.joined?.length !== joined.length) log.commit(draft.change);
  return ok(true);
}

export function supersedeThread(
  log: ThreadLog,
  replacement: Replacement,
  now: number,
): Outcome<true> {
  const draft = beginChange(log, now);
  if (supersede(draft, replacement)) log.commit(draft.change);
  return ok(true);
}

/** A followup from the exchange; stored once under its key. */
export function postOnce(
  log: ThreadLog,
  { key, joined, ...body }: SystemMessage,
  now: number,
): Outcome<true> {
  const idempotency = { key: `exchange/${key}`, digest: key };
  if (log.findReceipt(idempotency.key)) return ok(true);
  if (joined !== undefined && log.getState().superseded_by !== joined) return ok(true);
  const draft = beginChange(log, now);
  const block: Block = { type: "followup", body };
  const name = draft.storeExchangeMessage("followup", block);
  const { state } = draft;
  state.size += JSON.stringify(block).length;
  const seq = log.commit(draft.change);
  const { ref, status } = state;
  log.saveReceipt(idempotency, {
    ref,
    message_ref: `${ref}/${name}`,
    ack: {},
    seq,
    status,
    fresh: true,
  });
  return ok(true);
}
