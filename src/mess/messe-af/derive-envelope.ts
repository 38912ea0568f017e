/** The envelope as the messages show it (decision 37): they are the record, the envelope is its cache. */
import { readDuration } from "../durations.ts";
import type { Envelope, HistoryEntry } from "../envelope.ts";
import { type Outcome, refuse } from "../errors.ts";
import { effectivePriority } from "../routing/priority.ts";
import { ok } from "../result.ts";
import type { Request } from "../wire/schema.ts";
import { partitionOf, type Status } from "../status.ts";
import { readTime, writeTime } from "../times.ts";
import { actsOf, align, mergeHistory } from "./align-history.ts";
import { foldDocuments } from "./replay.ts";
import type { ReadDocument } from "./read-document.ts";
import type { PartialEnvelope } from "./read-envelope.ts";
import type { Shown } from "./replayed-thread.ts";

/**
 * The envelope of a thread with these documents. What no message can tell is kept as the file has it: batch,
 * blocked_by, rows of the history that are no status, the exchange's acts without a message, foreign keys.
 * Where the messages leave a thing open, the file's word settles it.
 * @returns `differences`: in words, where the file said otherwise
 */
export function deriveEnvelope(
  given: PartialEnvelope & { ref: string },
  documents: readonly ReadDocument[],
): Outcome<{ envelope: Envelope; differences: string[] }> {
  const [first] = documents;
  const last = documents.at(-1);
  const request = requestOf(documents);
  const intent = request?.intent ?? given.intent;
  if (!first || !last || intent === undefined)
    return refuse(
      "bad_thread_file",
      `the file of ${given.ref} holds no request`,
      "A thread's file begins with its envelope and the request.",
    );
  const differences: string[] = [];
  const { shown, history } = settleHistory(given, documents, differences);
  for (const index of shown.late)
    differences.push(`document ${index + 2}: came after the end of the thread, changes nothing`);

  const { document } = first;
  const created = sameInstant(given.created, document.received) ?? document.received;
  const expires = given.expires ?? expiryOf(request, created);
  const delegatedTo = shown.delegated_to ?? given.delegated_to;
  const supersededBy = shown.superseded_by ?? given.superseded_by;
  const clientId = request?.id ?? given.client_id;
  const envelope: Envelope = {
    ref: given.ref,
    ...(clientId === undefined ? {} : { client_id: clientId }),
    requestor: document.from,
    executor: shown.executor,
    status: shown.status,
    created,
    updated: latest(given.updated, last.document.received),
    ...(expires === undefined ? {} : { expires }),
    intent,
    priority: priorityOf(request, given),
    ...(given.batch === undefined ? {} : { batch: given.batch }),
    ...(given.blocked_by === undefined ? {} : { blocked_by: given.blocked_by }),
    ...(supersededBy === undefined ? {} : { superseded_by: supersededBy }),
    ...(delegatedTo === undefined ? {} : { delegated_to: delegatedTo }),
    history,
    ...(given.extra === undefined ? {} : { extra: given.extra }),
  };
  return ok({ envelope, differences: [...changes(given, envelope), ...differences] });
}

function settleHistory(
  given: PartialEnvelope & { ref: string },
  documents: readonly ReadDocument[],
  differences: string[],
): { shown: Shown; history: HistoryEntry[] } {
  const told = given.history ?? [];
  const alone = foldDocuments(given.ref, documents, new Map());
  const acts = actsOf(
    align(told, alone.rows),
    documents.map(({ document }) => document.received),
  );
  const shown = acts.size === 0 ? alone : foldDocuments(given.ref, documents, acts);
  shown.status = settled(shown, given.status);
  if (shown.status === "declined") shown.executor = null;
  // A file without a history has nothing to differ from.
  const heard = given.history === undefined ? [] : differences;
  return { shown, history: mergeHistory(align(told, shown.rows), shown.status, heard) };
}

/** What the messages leave open: completion after a bare response, the last candidate's decline (decisions 28, 31). */
function settled(shown: Shown, told: Status | undefined): Status {
  const open = partitionOf(shown.status) === "executing";
  if (told === "completed" && open && shown.responded) return told;
  return told === "declined" && shown.status === "pending" && shown.declined ? told : shown.status;
}

function requestOf(documents: readonly ReadDocument[]): Request | undefined {
  for (const block of documents[0]?.blocks ?? []) if (block.type === "request") return block.body;
  return undefined;
}

/** Where the request says nothing of it, the envelope's word stands. */
const priorityOf = (request: Request | undefined, given: PartialEnvelope): Envelope["priority"] =>
  request?.priority !== undefined || request?.constraints?.timing?.urgency !== undefined
    ? effectivePriority(request)
    : (given.priority ?? "normal");

/** The text where it is the same instant as another's. */
const sameInstant = (text: string | undefined, other: string): string | undefined =>
  text !== undefined && readTime(text, "UTC") === readTime(other, "UTC") ? text : undefined;

/** A thread may have changed after its last message, but not before it. */
function latest(told: string | undefined, received: string): string {
  const toldAt = told === undefined ? undefined : readTime(told, "UTC");
  return told !== undefined && (toldAt ?? 0) >= (readTime(received, "UTC") ?? 0) ? told : received;
}

/** Decision 38, for a file that does not say it: in UTC, as the household's zone is not known here. */
function expiryOf(request: Request | undefined, created: string): string | undefined {
  const text = request?.needed_by ?? request?.constraints?.timing?.expires;
  if (text === undefined) return undefined;
  const seconds = readDuration(text);
  const at =
    seconds === undefined
      ? readTime(text, "UTC")
      : (readTime(created, "UTC") ?? 0) + seconds * 1000;
  return at === undefined ? undefined : writeTime(at, "UTC");
}

const COMPARED = [
  "client_id",
  "requestor",
  "executor",
  "status",
  "created",
  "updated",
  "intent",
  "priority",
] as const;

const changes = (given: PartialEnvelope, envelope: Envelope): string[] =>
  COMPARED.flatMap((key) => {
    // Beside a status a missing executor is nobody; anything else that is missing is filled in without a word.
    const nobody = key === "executor" && given.status !== undefined ? null : undefined;
    const told = given[key] ?? nobody;
    const shown = envelope[key];
    return told === undefined || told === shown
      ? []
      : [`${key}: the envelope says ${told ?? "nobody"}, the messages show ${shown ?? "nobody"}`];
  });
