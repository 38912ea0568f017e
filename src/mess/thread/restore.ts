/**
 * The state of a thread that was read from a file (decision 37, 63): the envelope has been recomputed from the
 * messages already; what the state machine needs besides is read from the blocks. Who else could be asked is
 * not in a file, so the holder is its only candidate.
 */
import type { Envelope, MessageDocument } from "../envelope.ts";
import { blocksOf } from "../message.ts";
import { messageKind, messageName, senderId } from "../refs.ts";
import type { Block } from "../schema.ts";
import type { Status } from "../status.ts";
import { readTime } from "../times.ts";
import { EXCHANGE } from "./policy.ts";
import type { ThreadState } from "./state.ts";
import type { StoredDocument } from "./draft.ts";

const DEFAULT_LEASE = 2 * 3_600;

export interface Restored {
  state: ThreadState;
  documents: StoredDocument[];
}

/** @param now milliseconds; stands in for a time that the file does not tell. */
export function restoreThread(
  envelope: Envelope,
  messages: readonly MessageDocument[],
  zone: string,
  now: number,
): Restored {
  const at = (text: string | undefined) => (text === undefined ? undefined : readTime(text, zone));
  const expires = at(envelope.expires);
  const state: ThreadState = {
    ref: envelope.ref,
    zone,
    requestor: envelope.requestor,
    ...(envelope.client_id === undefined ? {} : { client_id: envelope.client_id }),
    intent: envelope.intent,
    priority: envelope.priority,
    status: envelope.status,
    executor: envelope.executor,
    created: at(envelope.created) ?? now,
    updated: at(envelope.updated) ?? now,
    ...(expires === undefined ? {} : { expires }),
    ...(envelope.batch === undefined ? {} : { batch: envelope.batch }),
    serial: 0,
    documents: 0,
    candidates: envelope.executor
      ? [{ id: envelope.executor, kind: "person", lease: DEFAULT_LEASE }]
      : [],
    offered: true,
    blocked_by: envelope.blocked_by ?? [],
    on_dependency_failure: "hold",
    resume: "pending",
    questions: [],
    confirm_before: false,
    confirmed: [],
    suggestions: [],
    attempts: 0,
    ...(envelope.superseded_by === undefined ? {} : { superseded_by: envelope.superseded_by }),
    ...(envelope.delegated_to === undefined ? {} : { delegated_to: envelope.delegated_to }),
  };
  const documents: StoredDocument[] = [];
  for (const document of messages) {
    const ack = document.MESS[0]?.ack;
    const previous = documents.at(-1);
    if (document.from === EXCHANGE && ack !== undefined) {
      if (previous) {
        previous.acks.push(document);
        continue;
      }
    }
    const blocks = blocksOf(document.MESS);
    const first = documents.length === 0;
    const serial = first ? 0 : ++state.serial;
    const name = first ? undefined : messageName(messageKind(blocks), serial, senderId(blocks));
    documents.push({ serial, document, acks: [], ...(name === undefined ? {} : { name }) });
    for (const block of blocks) recall(state, block, name ?? "");
  }
  state.documents = documents.length;
  return { state, documents };
}

const ACTIVE: readonly Status[] = ["claimed", "in_progress", "waiting", "held", "retrying"];

/** What a block of the past leaves for the future: open questions, approvals, suggestions. */
function recall(state: ThreadState, block: Block, name: string): void {
  switch (block.type) {
    case "request":
      state.confirm_before = block.body.confirm_before ?? false;
      state.on_dependency_failure = block.body.constraints?.on_dependency_failure ?? "hold";
      break;
    case "status":
      recallStatus(state, block.body, name);
      break;
    case "reply":
      if (block.body.confirm !== undefined && state.action?.open) {
        state.action.open = false;
        if (block.body.confirm) state.confirmed.push(state.action.text);
        else state.resume = "held";
      }
      if (block.body.answers !== undefined) state.questions = [];
      if (block.body.accept !== undefined) state.suggestions.pop();
      break;
    case "answer":
      state.questions = [];
      break;
    case "suggestion":
      state.suggestions.push({ id: block.body.id ?? name, made_in: name });
      break;
    default:
  }
}

function recallStatus(
  state: ThreadState,
  update: Extract<Block, { type: "status" }>["body"],
  name: string,
): void {
  if (ACTIVE.includes(update.code)) state.resume = update.code;
  state.questions =
    update.code === "needs_input"
      ? (update.questions ?? []).map(({ id }) => ({ key: id ?? "q1", asked_in: name }))
      : [];
  if (update.code === "needs_confirmation")
    state.action = { text: update.action ?? "", asked_in: name, open: true };
  else if (state.action) state.action.open = false;
  if (update.code === "retrying") state.attempts++;
}
