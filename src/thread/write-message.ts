/** Creates a thread and appends messages, inside the object's transaction. */
import { refuseNoPerson } from "../auth/person-required.ts";
import { defined } from "../mess/defined.ts";
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../mess/json.ts";
import { fail, ok } from "../mess/result.ts";
import { applyMessage } from "../mess/thread/apply.ts";
import type { LinkLimits } from "../mess/thread/link-budget.ts";
import { createThread } from "../mess/thread/create.ts";
import type { Change } from "../mess/thread/thread-change.ts";
import type { ThreadNotice } from "../mess/thread/thread-notices.ts";
import { getNextSerial } from "../mess/thread/next-serial.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import { checkFormValues } from "../mess/wire/check-form-values.ts";
import {
  endsApprovalWithoutPerson,
  findDecidingPerson,
  getSessionOwner,
} from "./deciding-person.ts";
import { type MessageWithAttachments, attachFiles } from "./files/attach-files.ts";
import type { CreationFacts, ThreadLog } from "./thread-log.ts";
import type { AppendInput, CreateInput, Receipt } from "../contracts/thread.ts";

interface CreationRecord {
  receipt: Receipt;
  digest: string;
}

/** The first receipt, for a repeated creation with the same request. */
export function findCreated(log: ThreadLog, input: CreateInput): Outcome<Receipt> {
  const first = JSON.parse(log.getFact("created") ?? "{}") as Partial<CreationRecord>;
  return first.receipt && first.digest === input.digest
    ? ok({ ...first.receipt, fresh: false })
    : refuse("already_exists", "the ref belongs to another thread", "Send the request again.");
}

export function writeNewThread(log: ThreadLog, input: CreateInput, now: number): Outcome<Receipt> {
  const attached = attachFiles(log, input.message, input.blobs, 0);
  if (!attached.ok) return attached;
  const { message } = attached.value;
  const [block] = message.blocks;
  if (block?.type !== "request") throw new Error("a thread begins with a request");
  const created = createThread({ ...input, message, request: block.body }, now);
  const change = input.unreached
    ? { ...created, notices: created.notices.filter(isAlert) }
    : created;
  log.initialize(input.household);
  const receipt = buildReceipt(change, input.ref, 1);
  storeChange(log, change, attached.value, {
    created: JSON.stringify({ receipt, digest: input.digest } satisfies CreationRecord),
    route: JSON.stringify(input.route),
  });
  return ok(receipt);
}

const isAlert = ({ kind }: ThreadNotice): boolean => kind === "alert";

/** Whether the message came from a person's page, by a link or a browser session, and not from a program. */
const isFromPage = ({ scope, credential }: AppendInput["actor"]): boolean =>
  scope?.jti !== undefined || credential?.startsWith("session:") === true;

/** Checks the values of a form against the JSON Schema of the request. */
function checkFormAnswer(log: ThreadLog, { message }: AppendInput): MessError | undefined {
  const content = message.blocks.flatMap((block) =>
    block.type === "response" ? ([block.body.content ?? []].flat() as Json[]) : [],
  );
  if (!content.some((entry) => isMap(entry) && ("structured" in entry || "json" in entry)))
    return undefined;
  const blocks = log.findMessage(0)?.documents[0]?.MESS ?? [];
  const hints = blocks.flatMap((block) => {
    const { request } = block as { request?: { response_hint?: Json } };
    return [request?.response_hint ?? []].flat();
  });
  return checkFormValues(hints, content);
}

/**
 * @param state the current state, which the sender may see
 * @param about full name of the message in the sender's `re`
 * @param dead why the sender's link accepts nothing new; repeated messages still get their receipt
 * @param linkLimits the budget, where the sender has a link
 * @param person the owner who was identified as the sender, in a channel of their own or in a browser session
 */
export function writeMessage(
  log: ThreadLog,
  state: ThreadState,
  input: AppendInput,
  {
    about: aboutMessage,
    dead: linkError,
    linkLimits,
    person = getSessionOwner(input.actor),
  }: {
    about: string | undefined;
    dead: MessError | undefined;
    linkLimits?: LinkLimits;
    person?: string | undefined;
  },
  now: number,
): Outcome<Receipt> {
  const { actor, idempotency } = input;
  const done = idempotency && log.findReceipt(idempotency.key);
  if (done && (done.digest !== idempotency.digest || done.receipt === null))
    return refuse(
      "idempotency_conflict",
      "this Idempotency-Key was used for another message",
      "Use a new key for a new message.",
    );
  if (done?.receipt) return ok({ ...done.receipt, fresh: false });
  if (linkError) return fail(linkError);
  const attached = attachFiles(log, input.message, input.blobs, getNextSerial(state, now));
  if (!attached.ok) return attached;
  const valueError = isFromPage(actor) ? checkFormAnswer(log, input) : undefined;
  if (valueError) return fail(valueError);
  const applied = applyMessage(
    state,
    {
      sender: { actor: actor.actor, owner: actor.role === "owner" },
      channel: input.channel,
      message: attached.value.message,
      ...defined({
        about: aboutMessage,
        delegate: input.delegate,
        linkLimits: actor.scope?.jti === undefined ? undefined : linkLimits,
      }),
    },
    now,
  );
  if (!applied.ok) return applied;
  const { state: after } = applied.value;
  if (endsApprovalWithoutPerson(state, after, input.channel, person)) return refuseNoPerson();
  const seq = storeChange(log, applied.value, attached.value);
  const { message } = attached.value;
  const decided = findDecidingPerson(state, after, message, input.channel, person);
  if (decided !== undefined) log.setFact("decided_by", decided);
  const receipt = buildReceipt(applied.value, state.ref, seq);
  if (idempotency) log.saveReceipt(idempotency, receipt);
  return ok(receipt);
}

/** Stores a sender's change with its attachments, and returns its `seq`. */
function storeChange(
  log: ThreadLog,
  change: Change,
  { message: { blocks }, attachments, tokens }: MessageWithAttachments,
  facts?: CreationFacts,
): number {
  const seq = log.commit(change, { attachments, blocks, ...defined({ facts }) });
  for (const token of tokens) log.uploads.remove(token);
  return seq;
}

function buildReceipt({ state, documents }: Change, ref: string, seq: number): Receipt {
  const acknowledged = documents.find(({ acks }) => acks.length > 0);
  return {
    ref,
    ...(acknowledged?.name === undefined ? {} : { message_ref: `${ref}/${acknowledged.name}` }),
    ack: (acknowledged?.acks[0]?.MESS[0]?.ack ?? {}) as JsonMap,
    seq,
    status: state.status,
    fresh: true,
  };
}
