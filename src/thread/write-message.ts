/** What is written when a thread is made or grows: run inside the object's transaction, over its log. */
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import { fail, ok } from "../mess/result.ts";
import type { Message } from "../mess/wire/schema.ts";
import { applyMessage } from "../mess/thread/apply.ts";
import { createThread } from "../mess/thread/create.ts";
import type { Change } from "../mess/thread/thread-change.ts";
import type { ThreadNotice } from "../mess/thread/thread-notices.ts";
import { nextSerial } from "../mess/thread/next-serial.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import { type Attached, attach } from "./attach-files.ts";
import type { ThreadLog } from "./thread-log.ts";
import { addWords } from "./search-text.ts";
import type { AppendInput, CreateInput, Receipt } from "../contracts/thread.ts";

interface Created {
  receipt: Receipt;
  digest: string;
}

/** The first receipt again, where the same request made this thread. */
export function createdBefore(log: ThreadLog, input: CreateInput): Outcome<Receipt> {
  const first = JSON.parse(log.fact("created") ?? "{}") as Partial<Created>;
  return first.receipt && first.digest === input.digest
    ? ok({ ...first.receipt, fresh: false })
    : refuse("already_exists", "the ref belongs to another thread", "Send the request again.");
}

export function create(log: ThreadLog, input: CreateInput, now: number): Outcome<Receipt> {
  const attached = attach(log, input.message, input.blobs, 0);
  if (!attached.ok) return attached;
  const { message } = attached.value;
  const [block] = message.blocks;
  if (block?.type !== "request") throw new Error("a thread begins with a request");
  const born = createThread({ ...input, message, request: block.body }, now);
  const change = input.unreached ? { ...born, notices: born.notices.filter(isAlert) } : born;
  log.begin(input.household, change.state);
  const receipt = keep(log, change, attached.value, input.ref);
  log.setFact("created", JSON.stringify({ receipt, digest: input.digest } satisfies Created));
  log.setFact("route", JSON.stringify(input.route));
  return ok(receipt);
}

const isAlert = ({ kind }: ThreadNotice): boolean => kind === "alert";

/**
 * @param state the present state, which the sender may see.
 * @param about whole name of the message that the sender's `re` names
 * @param dead why the sender's link takes nothing new; what it took before is answered again
 */
export function append(
  log: ThreadLog,
  state: ThreadState,
  input: AppendInput,
  { about, dead }: { about: string | undefined; dead: MessError | undefined },
  now: number,
): Outcome<Receipt> {
  const { actor, idempotency } = input;
  const done = idempotency && log.receipt(idempotency.key);
  if (done && done.digest !== idempotency.digest)
    return refuse(
      "idempotency_conflict",
      "this Idempotency-Key was used for another message",
      "Use a new key for a new message.",
    );
  if (done) return ok({ ...done.receipt, fresh: false });
  if (dead) return fail(dead);
  const attached = attach(log, input.message, input.blobs, nextSerial(state, now));
  if (!attached.ok) return attached;
  const applied = applyMessage(
    state,
    {
      sender: { actor: actor.actor, owner: actor.role === "owner" },
      channel: input.channel,
      message: attached.value.message,
      ...(about === undefined ? {} : { about }),
      ...(input.delegate === undefined ? {} : { delegate: input.delegate }),
    },
    now,
  );
  if (!applied.ok) return applied;
  const receipt = keep(log, applied.value, attached.value, state.ref);
  if (idempotency) log.keepReceipt(idempotency, receipt);
  return ok(receipt);
}

/** Stores a sender's change with its attachments and words. */
function keep(log: ThreadLog, change: Change, attached: Attached, ref: string): Receipt {
  const seq = log.commit(change);
  for (const attachment of attached.attachments) log.insertAttachment(attachment);
  for (const token of attached.tokens) log.dropUpload(token);
  remember(log, attached.message);
  const said = change.documents.find(({ acks }) => acks.length > 0);
  return {
    ref,
    ...(said?.name === undefined ? {} : { message_ref: `${ref}/${said.name}` }),
    ack: (said?.acks[0]?.MESS[0]?.ack ?? {}) as JsonMap,
    seq,
    status: change.state.status,
    fresh: true,
  };
}

function remember(log: ThreadLog, message: Message): void {
  const words = log.words();
  const more = addWords(words, message);
  if (more !== words) log.setWords(more);
}
