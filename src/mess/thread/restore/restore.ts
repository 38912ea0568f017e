/**
 * Restores the state of a thread that was read from a file (decisions 37, 63) from its recomputed envelope and its
 * blocks. A file does not contain the other candidates, so the holder is the only one.
 */
import { defined } from "../../defined.ts";
import type { Envelope, MessageDocument } from "../../envelope.ts";
import { getLeaseSeconds } from "../../routing/leases.ts";
import { isFinal } from "../../status.ts";
import { readBlocks } from "../../wire/message.ts";
import { getMessageKind, buildMessageName, findSenderId, splitTarget } from "../../refs.ts";
import { readTime } from "../../times.ts";
import { renewLease } from "../claims.ts";
import { EXCHANGE } from "../policy.ts";
import { BlockReplay } from "./replay-blocks.ts";
import type { ThreadState } from "../state.ts";
import type { StoredDocument } from "../thread-change.ts";
import { isWaitingForRequestor } from "../pending-answers.ts";

export interface RestoredThread {
  state: ThreadState;
  documents: StoredDocument[];
}

/**
 * Builds state and documents of the thread.
 * @param now milliseconds; replaces times that the file lacks
 */
export function restoreThread(
  envelope: Envelope,
  messages: readonly MessageDocument[],
  zone: string,
  now: number,
): RestoredThread {
  const parseTime = (text: string | undefined) =>
    text === undefined ? undefined : readTime(text, zone);
  const expires = parseTime(envelope.expires);
  const state: ThreadState = {
    ref: envelope.ref,
    zone,
    requestor: envelope.requestor,
    ...defined({ client_id: envelope.client_id }),
    intent: envelope.intent,
    priority: envelope.priority,
    status: envelope.status,
    executor: null,
    created: parseTime(envelope.created) ?? now,
    updated: parseTime(envelope.updated) ?? now,
    ...defined({ expires, batch: envelope.batch }),
    serial: 0,
    documents: 0,
    size: JSON.stringify(messages).length,
    candidates: envelope.executor
      ? [
          {
            id: envelope.executor,
            kind: "person",
            lease: getLeaseSeconds("person"),
            rung: 1,
            asked: true,
          },
        ]
      : [],
    offered: true,
    rung: 1,
    // An import sends no alerts or reminders; they apply only to offers and questions made after it.
    owner_told: true,
    ...(isWaitingForRequestor(envelope)
      ? { unanswered: { since: now, reminded: true, escalated: true } }
      : {}),
    blocked_by: envelope.blocked_by ?? [],
    on_dependency_failure: "hold",
    resume: "pending",
    questions: [],
    confirm_before: false,
    confirmed: [],
    suggestions: [],
    attempts: 0,
    ...defined({ superseded_by: envelope.superseded_by, delegated_to: envelope.delegated_to }),
  };
  const blockReplay = new BlockReplay(state);
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
    const blocks = readBlocks(document.MESS);
    const first = documents.length === 0;
    const serial = first ? 0 : ++state.serial;
    const name = first
      ? undefined
      : buildMessageName(getMessageKind(blocks), serial, findSenderId(blocks));
    documents.push({ serial, document, acks: [], ...defined({ name }) });
    const { message: about } = splitTarget(document.re ?? "");
    const origin = {
      by: document.from,
      name: name ?? "",
      about,
      at: parseTime(document.received) ?? now,
    };
    for (const block of blocks) blockReplay.applyBlock(block, origin);
  }
  state.documents = documents.length;
  state.executor = envelope.executor;
  if (isFinal(state.status)) delete state.completes_at;
  // The holder gets a new lease, so that a silent one cannot hold an imported thread forever (decision 30).
  renewLease({ state, now });
  return { state, documents };
}
