/**
 * Reads a thread from its files: a v2 directory with overflow files, or a v1 flat file (decisions 37, 63). Reading
 * the output of `write.ts` gives the same thread, and writing it again gives the same bytes.
 */
import type { Envelope, Thread } from "../envelope.ts";
import { type MessError, type Outcome, refuse } from "../errors.ts";
import { isMap, type Json } from "../json.ts";
import { buildTooLongHint } from "../lengths.ts";
import { FILE_LIMITS, LIMITS } from "../limits.ts";
import { isId } from "../names.ts";
import { fail, ok } from "../result.ts";
import { readDocuments } from "../wire/syntax/read-yaml.ts";
import { deriveEnvelope } from "./derive-envelope.ts";
import { getEntryBase } from "./layout.ts";
import { toFileRef, readFileName, isSameThread } from "./names.ts";
import {
  createDocumentNamer,
  EXCHANGE,
  isMessageDocument,
  isTime,
  type RawDocument,
  type ReadDocument,
  readRawDocument,
  completeDocument,
} from "./read-document.ts";
import { type PartialEnvelope, readEnvelope } from "./read-envelope.ts";
import type { ThreadFile } from "./write.ts";

export interface ReadThread {
  thread: Thread;
  /** The thread's messages with their readable blocks, in order. */
  documents: ReadDocument[];
  /** Texts that say where the file's envelope differed from its messages, which take precedence (decision 37). */
  differences: string[];
}

const refuseFile = (
  message: string,
  hint: string,
): { readonly ok: false; readonly error: MessError } => refuse("bad_thread_file", message, hint);

/** Reads the files of one thread, in any order; their names may include folders. */
export function readThread(files: readonly ThreadFile[]): Outcome<ReadThread> {
  const ordered = sortFiles(files);
  if (!ordered.ok) return ordered;
  const values = readValues(ordered.value);
  if (!values.ok) return values;
  const differences: string[] = [];
  const [first, ...rest] = values.value;
  if (!isMap(first))
    return refuseFile("the file is empty", "Begin the file with the thread's envelope.");
  const isWithoutEnvelope = isMessageDocument(first);
  if (isWithoutEnvelope) differences.push("the envelope is missing");
  const given = isWithoutEnvelope ? {} : readEnvelope(first, differences);
  const named = nameThread(given, ordered.value[0]!.name, differences);
  if (!named.ok) return named;
  const documents = completeDocuments(isWithoutEnvelope ? values.value : rest, named.value);
  if (!documents.ok) return documents;
  const derived = deriveEnvelope(named.value, documents.value);
  if (!derived.ok) return derived;
  const { envelope } = derived.value;
  return ok({
    thread: { envelope, messages: documents.value.map(({ document }) => document) },
    documents: documents.value,
    differences: [...differences, ...derived.value.differences],
  });
}

/** Sorts the files by number and refuses gaps; a single file is the whole thread, independent of its name. */
function sortFiles(files: readonly ThreadFile[]): Outcome<ThreadFile[]> {
  if (files.length < 2)
    return files.length === 1
      ? ok([...files])
      : refuseFile("no file was sent", "Send the thread's files.");
  const numbered = files
    .map((file) => ({ file, number: readFileName(getEntryBase(file.name))?.number }))
    .toSorted((one, other) => (one.number ?? -1) - (other.number ?? -1));
  const firstMissing = numbered.findIndex(({ number }, index) => number !== index);
  return firstMissing < 0
    ? ok(numbered.map(({ file }) => file))
    : refuseFile(
        `file number ${firstMissing} of the thread is missing or duplicated`,
        "Send all files of the thread, numbered from 000 without gaps.",
      );
}

function readValues(files: readonly ThreadFile[]): Outcome<Json[]> {
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  if (size > FILE_LIMITS.bodyBytes)
    return refuse(
      "too_large",
      `the thread's files are larger than ${FILE_LIMITS.bodyBytes / 1024 / 1024} MB`,
      "Put inline data into attachment files.",
    );
  const values: Json[] = [];
  for (const { name, text } of files) {
    const read = readDocuments(text, FILE_LIMITS);
    if (!read.ok) {
      const { error } = read;
      return fail({ ...error, message: `${getEntryBase(name)}: ${error.message}` });
    }
    for (const { value } of read.value) values.push(value);
  }
  return ok(values);
}

function nameThread(
  given: PartialEnvelope,
  file: string,
  differences: string[],
): Outcome<PartialEnvelope & { ref: string }> {
  const called = readFileName(getEntryBase(file))?.ref;
  const ref = given.ref ?? called;
  if (ref === undefined || !isId(ref))
    return refuseFile(
      "the envelope has no valid ref",
      "Write ref: 2026-02-01-001 into the first document.",
    );
  if (called !== undefined && !isSameThread(called, toFileRef(ref)))
    differences.push(`ref: the file name has ${called}, the envelope ${ref}`);
  return ok({ ...given, ref });
}

/** Completes the documents: fills in sender, time and target where the file omits them. */
function completeDocuments(
  values: readonly Json[],
  given: PartialEnvelope & { ref: string },
): Outcome<ReadDocument[]> {
  const documents: ReadDocument[] = [];
  const ids = new Map<string, string>();
  const nameDocument = createDocumentNamer();
  const named: Pick<Envelope, "ref" | "client_id"> = { ref: given.ref };
  if (given.client_id !== undefined) named.client_id = given.client_id;
  let received = given.created;
  for (const [index, value] of values.entries()) {
    const where = `message document ${index + 1}`;
    const raw = isMap(value) && isMessageDocument(value) ? readRawDocument(value) : undefined;
    if (!raw)
      return refuseFile(
        `${where} has no MESS list`,
        "Write each document after the envelope as one message with a MESS list.",
      );
    const from = raw.from ?? inferSender(raw, given, index);
    const time = raw.received ?? received;
    if (from === undefined)
      return refuseFile(`${where} has no sender`, "Add from: with the actor's id.");
    const long = findLongField({ ...raw, from });
    if (long)
      return refuseFile(
        `${where}: ${long.field} is longer than ${long.maxChars} characters`,
        buildTooLongHint(long.maxChars),
      );
    if (!isTime(time))
      return refuseFile(
        `${where} has no valid received time`,
        "Add received: with an ISO 8601 time.",
      );
    received = time;
    for (const read of completeDocument({ ...raw, from, received }, named, ids)) {
      documents.push(read);
      const name = nameDocument(read);
      const [block] = read.blocks;
      if (block?.type === "request" && block.body.id !== undefined)
        named.client_id ??= block.body.id;
      else if (
        name !== undefined &&
        block &&
        "id" in block.body &&
        typeof block.body.id === "string"
      )
        ids.set(block.body.id, `${given.ref}/${name}`);
    }
  }
  const maxDocuments = 2 * LIMITS.messagesPerThread;
  return documents.length > maxDocuments
    ? refuse(
        "too_large",
        `the thread has more than ${maxDocuments} documents`,
        "A thread of this size cannot be imported.",
      )
    : ok(documents);
}

const FIELD_CHARS = {
  from: LIMITS.senderChars,
  received: LIMITS.timeChars,
  channel: LIMITS.nameChars,
  re: LIMITS.targetChars,
} as const;

/** Returns the first field of a document that is longer than its limit. */
function findLongField(
  raw: Pick<RawDocument, "received" | "channel" | "re"> & { from: string },
): { field: string; maxChars: number } | undefined {
  for (const [field, maxChars] of Object.entries(FIELD_CHARS)) {
    const text = raw[field as keyof typeof FIELD_CHARS];
    if (text !== undefined && text.length > maxChars) return { field, maxChars };
  }
  return undefined;
}

/** Infers the sender of a document without `from`, as in v1 files and plain conversations. */
function inferSender(
  { items }: RawDocument,
  given: PartialEnvelope,
  index: number,
): string | undefined {
  const types = items.flatMap(({ blocks }) => blocks.map(({ type }) => type));
  if (types.includes("ack")) return EXCHANGE;
  if (types.some((type) => type === "status" || type === "response" || type === "suggestion"))
    return given.executor ?? undefined;
  const isRequest =
    index === 0 || types.some((type) => ["reply", "answer", "cancel", "review"].includes(type));
  return isRequest ? given.requestor : undefined;
}
