/** Recomputes the envelope from the messages (decision 37): they are the record, the envelope is a cache. */
import { defined } from "../defined.ts";
import { readDuration } from "../durations.ts";
import type { Envelope, HistoryEntry } from "../envelope.ts";
import { type Outcome, refuse } from "../errors.ts";
import { getEffectivePriority } from "../routing/priority.ts";
import { ok } from "../result.ts";
import type { Request } from "../wire/schema.ts";
import { getPartition, type Status } from "../status.ts";
import { readTime, writeTime } from "../times.ts";
import { listSilentActions, alignHistory, mergeHistory } from "./align-history.ts";
import { replayDocuments } from "./replay.ts";
import type { ReadDocument } from "./read-document.ts";
import type { PartialEnvelope } from "./read-envelope.ts";
import type { ReplayedThread } from "./replayed-thread.ts";

/**
 * Derives the envelope of a thread from its documents. Values that no message shows are kept from the file: batch,
 * blocked_by, history rows that are not a status, the exchange's silent actions, unknown keys. Where the messages
 * leave a value open, the file decides.
 * @returns `differences`: texts that say where the file's envelope differed
 */
export function deriveEnvelope(
  given: PartialEnvelope & { ref: string },
  documents: readonly ReadDocument[],
): Outcome<{ envelope: Envelope; differences: string[] }> {
  const [first] = documents;
  const last = documents.at(-1);
  const request = findRequest(documents);
  const intent = request?.intent ?? given.intent;
  if (!first || !last || intent === undefined)
    return refuse(
      "bad_thread_file",
      `the file of ${given.ref} contains no request`,
      "Begin the file with the envelope, followed by the request.",
    );
  const differences: string[] = [];
  const { replayed, history } = reconcileHistory(given, documents, differences);
  for (const index of replayed.late)
    differences.push(`document ${index + 2}: received after the end of the thread, ignored`);

  const { document } = first;
  const created = keepIfSameInstant(given.created, document.received) ?? document.received;
  const expires = given.expires ?? deriveExpiry(request, created);
  const delegatedTo = replayed.delegated_to ?? given.delegated_to;
  const supersededBy = replayed.superseded_by ?? given.superseded_by;
  const clientId = request?.id ?? given.client_id;
  const envelope: Envelope = {
    ref: given.ref,
    ...defined({ client_id: clientId }),
    requestor: document.from,
    executor: replayed.executor,
    status: replayed.status,
    created,
    updated: deriveUpdated(given.updated, last.document.received),
    ...defined({ expires }),
    intent,
    priority: derivePriority(request, given),
    ...defined({
      batch: given.batch,
      blocked_by: given.blocked_by,
      superseded_by: supersededBy,
      delegated_to: delegatedTo,
    }),
    history,
    ...defined({ extra: given.extra }),
  };
  return ok({ envelope, differences: [...listDifferences(given, envelope), ...differences] });
}

function reconcileHistory(
  given: PartialEnvelope & { ref: string },
  documents: readonly ReadDocument[],
  differences: string[],
): { replayed: ReplayedThread; history: HistoryEntry[] } {
  const statedHistory = given.history ?? [];
  const alone = replayDocuments(given.ref, documents, new Map());
  const silentActions = listSilentActions(
    alignHistory(statedHistory, alone.rows),
    documents.map(({ document }) => document.received),
  );
  const replayed =
    silentActions.size === 0 ? alone : replayDocuments(given.ref, documents, silentActions);
  replayed.status = deriveStatus(replayed, given.status);
  if (replayed.status === "declined") replayed.executor = null;
  // A file without a history has no differences to report.
  const historyDifferences = given.history === undefined ? [] : differences;
  return {
    replayed,
    history: mergeHistory(
      alignHistory(statedHistory, replayed.rows),
      replayed.status,
      historyDifferences,
    ),
  };
}

/** Decides what the messages leave open: completion after a response, the last candidate's decline (decisions 28, 31). */
function deriveStatus(replayed: ReplayedThread, statedStatus: Status | undefined): Status {
  const isOpen = getPartition(replayed.status) === "executing";
  if (statedStatus === "completed" && isOpen && replayed.responded) return statedStatus;
  return statedStatus === "declined" && replayed.status === "pending" && replayed.declined
    ? statedStatus
    : replayed.status;
}

function findRequest(documents: readonly ReadDocument[]): Request | undefined {
  for (const block of documents[0]?.blocks ?? []) if (block.type === "request") return block.body;
  return undefined;
}

/** Returns the request's priority, or the envelope's where the request states none. */
const derivePriority = (
  request: Request | undefined,
  given: PartialEnvelope,
): Envelope["priority"] =>
  request?.priority !== undefined || request?.constraints?.timing?.urgency !== undefined
    ? getEffectivePriority(request)
    : (given.priority ?? "normal");

/** Returns the text where it is the same instant as the other; keeps the offset that the file wrote. */
const keepIfSameInstant = (text: string | undefined, other: string): string | undefined =>
  text !== undefined && readTime(text, "UTC") === readTime(other, "UTC") ? text : undefined;

/** Returns the stated update time, unless it is before the last message. */
function deriveUpdated(stated: string | undefined, received: string): string {
  const statedAt = stated === undefined ? undefined : readTime(stated, "UTC");
  return stated !== undefined && (statedAt ?? 0) >= (readTime(received, "UTC") ?? 0)
    ? stated
    : received;
}

/** Computes the expiry of decision 38 where the file lacks it, in UTC, since the household's zone is unknown here. */
function deriveExpiry(request: Request | undefined, created: string): string | undefined {
  const text = request?.needed_by ?? request?.constraints?.timing?.expires;
  if (text === undefined) return undefined;
  const seconds = readDuration(text);
  const at =
    seconds === undefined
      ? readTime(text, "UTC")
      : (readTime(created, "UTC") ?? 0) + seconds * 1000;
  return at === undefined ? undefined : writeTime(at, "UTC");
}

const COMPARED_KEYS = [
  "client_id",
  "requestor",
  "executor",
  "status",
  "created",
  "updated",
  "intent",
  "priority",
] as const;

const listDifferences = (given: PartialEnvelope, envelope: Envelope): string[] =>
  COMPARED_KEYS.flatMap((key) => {
    // With a status, a missing executor means none; other missing values are filled in without a difference.
    const fallback = key === "executor" && given.status !== undefined ? null : undefined;
    const stated = given[key] ?? fallback;
    const replayed = envelope[key];
    return stated === undefined || stated === replayed
      ? []
      : [`${key}: the envelope has ${stated ?? "none"}, the messages show ${replayed ?? "none"}`];
  });
