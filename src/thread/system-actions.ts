/** What the exchange itself does to a thread when it is told to, each thing once: run inside the object's transaction. */
import { type Outcome } from "../mess/errors.ts";
import { fail, ok } from "../mess/result.ts";
import type { Block } from "../mess/wire/schema.ts";
import { Draft } from "../mess/thread/thread-change.ts";
import { join, type Joiner } from "../mess/thread/join.ts";
import { type Replacement, supersede } from "../mess/thread/supersede.ts";
import { fireTimers } from "../mess/thread/timers.ts";
import { readTime } from "../mess/times.ts";
import type { ThreadLog } from "./thread-log.ts";
import { addWords } from "./search-text.ts";
import type { Told } from "../contracts/thread.ts";

function draftOf(log: ThreadLog, now: number): Draft {
  const draft = new Draft(structuredClone(log.state()), now);
  fireTimers(draft);
  return draft;
}

export function joinBy(log: ThreadLog, joiner: Joiner, within: number, now: number): Outcome<true> {
  const draft = draftOf(log, now);
  const { joined = [], zone } = draft.state;
  const completed = log.history().findLast(({ action }) => action === "completed");
  const fault = join(draft, joiner, within, completed && readTime(completed.at, zone));
  if (fault) return fail(fault);
  if (draft.state.joined?.length !== joined.length) log.commit(draft.change);
  return ok(true);
}

export function supersedeBy(log: ThreadLog, replacement: Replacement, now: number): Outcome<true> {
  const draft = draftOf(log, now);
  if (supersede(draft, replacement)) log.commit(draft.change);
  return ok(true);
}

/** A followup of the exchange; under the same key it is said once. */
export function sayOnce(
  log: ThreadLog,
  { key, joined, ...said }: Told,
  now: number,
): Outcome<true> {
  const once = { key: `exchange/${key}`, digest: key };
  if (log.receipt(once.key)) return ok(true);
  if (joined !== undefined && log.state().superseded_by !== joined) return ok(true);
  const draft = draftOf(log, now);
  const block: Block = { type: "followup", body: said };
  const name = draft.exchangeSays("followup", block);
  const { state } = draft;
  state.size += JSON.stringify(block).length;
  const seq = log.commit(draft.change);
  log.setWords(addWords(log.words(), { blocks: [block] }));
  const { ref, status } = state;
  log.keepReceipt(once, { ref, message_ref: `${ref}/${name}`, ack: {}, seq, status, fresh: true });
  return ok(true);
}
