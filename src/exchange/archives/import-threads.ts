/**
 * Imports threads from MESSE-AF files (decision 63): stores the attachments, then the thread, then its ref in the
 * household. Importing again changes nothing, and completes an interrupted import.
 */
import { toAuditSource } from "../../auth/audit-source.ts";
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import { decodeUtf8 } from "../../bytes.ts";
import { deleteBlobs, storeBase64, storeBlob } from "../../attachments/blob-store.ts";
import { releaseFiles, reserveFiles } from "../files/reserve-files.ts";
import { readArchive } from "../../attachments/archive-reader.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Attachment, MessageDocument } from "../../mess/envelope.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { cutFileName } from "../../mess/file-names.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { mergeConfigDocuments } from "../../mess/config/config-file.ts";
import { type DetachedFile, detachInline } from "../../mess/messe-af/detach-inline-data.ts";
import { getEntryBase, type ThreadLayout, readLayout } from "../../mess/messe-af/layout.ts";
import { readThread } from "../../mess/messe-af/read.ts";
import type { ThreadFile } from "../../mess/messe-af/write.ts";
import { ok } from "../../mess/result.ts";
import { readDocuments } from "../../mess/wire/syntax/read-yaml.ts";
import type { ExchangeBindings } from "../with-thread.ts";

export interface ImportedThread {
  ref: string;
  /** False when the same thread already existed. */
  fresh: boolean;
  /** Texts that say where the file's envelope differed from its messages, which take precedence (decision 37). */
  differences: string[];
}

export interface ImportResult {
  /** Present where the archive contains a configuration that was accepted. */
  config?: { warnings: string[] };
  imported: ImportedThread[];
  /** The refused entries, by their names in the archive. */
  refused: { name: string; error: MessError }[];
}

/** One thread's files with the bytes of its attachments by name. */
interface ThreadFiles {
  files: ThreadFile[];
  attachments: ReadonlyMap<string, Uint8Array>;
}

/** Imports a thread from one text, or from the files of its directory. */
export async function importFiles(
  env: ExchangeBindings,
  owner: Principal,
  files: ThreadFile[],
  attachments: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<Outcome<ImportResult>> {
  const imported = await importThread(env, owner, { files, attachments });
  return imported.ok ? ok({ imported: [imported.value], refused: [] }) : imported;
}

/** Imports the configuration and every thread of a zip; a refused file does not prevent the others. */
export async function importArchive(
  env: ExchangeBindings,
  owner: Principal,
  zip: ReadableStream<Uint8Array>,
): Promise<Outcome<ImportResult>> {
  const entries = await readArchive(zip);
  if (!entries.ok) return entries;
  const layout = readLayout([...entries.value.keys()]);
  if (!layout.ok) return layout;
  const result: ImportResult = { imported: [], refused: [] };
  // The configuration first: it names the members that the threads refer to.
  const { config } = layout.value;
  if (config !== undefined) {
    const done = await importConfig(env, owner, entries.value.get(config)!);
    if (done.ok) result.config = { warnings: done.value.warnings };
    else result.refused.push({ name: config, error: done.error });
  }
  for (const laidOut of layout.value.threads) {
    const collected = collectThreadFiles(laidOut, entries.value);
    const done = collected.ok ? await importThread(env, owner, collected.value) : collected;
    if (done.ok) result.imported.push(done.value);
    else result.refused.push({ name: laidOut.files[0] ?? laidOut.ref, error: done.error });
  }
  return ok(result);
}

async function importConfig(
  env: ExchangeBindings,
  owner: Principal,
  bytes: Uint8Array,
): Promise<Outcome<{ warnings: string[] }>> {
  const text = decodeEntry(bytes);
  if (!text.ok) return text;
  const documents = readDocuments(text.value);
  if (!documents.ok) return documents;
  if (documents.value.length === 0)
    return refuse("bad_shape", "the configuration is empty", "Write a YAML map.");
  const config = mergeConfigDocuments(documents.value);
  return config.ok
    ? await getHouseholdStub(env, owner.household).settings.configure(
        config.value,
        toAuditSource(owner),
      )
    : config;
}

function decodeEntry(bytes: Uint8Array): Outcome<string> {
  const text = decodeUtf8(bytes);
  return text === undefined
    ? refuse("bad_encoding", "a file is not UTF-8", "Write the file in UTF-8.")
    : ok(text);
}

function collectThreadFiles(
  { files, attachments }: ThreadLayout,
  entries: ReadonlyMap<string, Uint8Array>,
): Outcome<ThreadFiles> {
  const texts: ThreadFile[] = [];
  for (const name of files) {
    const text = decodeEntry(entries.get(name)!);
    if (!text.ok) return text;
    texts.push({ name, text: text.value });
  }
  const bytes = attachments.map((name) => [getEntryBase(name), entries.get(name)!] as const);
  return ok({ files: texts, attachments: new Map(bytes) });
}

async function importThread(
  env: ExchangeBindings,
  owner: Principal,
  { files, attachments }: ThreadFiles,
): Promise<Outcome<ImportedThread>> {
  const { household } = owner;
  const read = readThread(files);
  if (!read.ok) return read;
  const { documents, differences } = read.value;
  const { envelope } = read.value.thread;
  const { messages, detached } = detachInline(documents, (name) => attachments.has(name));
  const sizes = [
    ...[...attachments.values()].map(({ length }) => length),
    ...detached.map(({ data }) => data.size),
  ];
  const stub = getThreadStub(env, household, envelope.ref);
  const householdRpc = getHouseholdStub(env, household);
  const zone = (await householdRpc.settings.getSettings())?.time_zone ?? "UTC";
  const adopt = (attachments: Attachment[], more: { dryRun?: true } = {}) =>
    stub.adoptThread({ household, zone, envelope, messages, attachments, ...more });
  const finish = async (fresh: boolean): Promise<Outcome<ImportedThread>> => {
    const summary = await stub.getSummary();
    const known = summary ? await householdRpc.threads.adoptThread(summary) : ok(true);
    return known.ok ? ok({ ref: envelope.ref, fresh, differences }) : known;
  };
  // The files of a thread that is stored already are not counted against the quotas a second time.
  const checked = sizes.length > 0 ? await adopt([], { dryRun: true }) : undefined;
  if (checked?.ok === false) return checked;
  if (checked?.value.fresh === false) return await finish(false);
  const reserved = await reserveFiles(env, owner, sizes);
  if (!reserved.ok) return reserved;
  const stored: Attachment[] = [];
  const drop = async () => {
    await deleteBlobs(
      env.BLOBS,
      stored.map(({ key }) => key),
      // The cleanup of unreferenced blobs deletes what remains.
    ).catch(() => undefined);
    await releaseFiles(env, owner, sizes);
  };
  const error = await storeAll(env, household, { messages, attachments, detached }, stored);
  if (error) {
    await drop();
    return error;
  }
  const adopted = await adopt(stored);
  if (!adopted.ok || !adopted.value.fresh) await drop();
  return adopted.ok ? await finish(adopted.value.fresh) : adopted;
}

interface ThreadBlobs extends Pick<ThreadFiles, "attachments"> {
  messages: readonly MessageDocument[];
  detached: readonly DetachedFile[];
}

/** Stores all files. Adds to `stored` continuously, so that the caller can delete them after an error. */
async function storeAll(
  env: ExchangeBindings,
  household: string,
  { messages, attachments, detached }: ThreadBlobs,
  stored: Attachment[],
): Promise<Outcome<never> | undefined> {
  for (const [name, bytes] of attachments) {
    const attachment = await store(env, household, messages, name, bytes);
    if (!attachment.ok) return attachment;
    stored.push(attachment.value);
  }
  for (const { name, serial, data } of detached) {
    const blob = await storeBase64(env.BLOBS, household, data);
    if (!blob.ok) return blob;
    const { key, mime, size, original } = blob.value;
    const named = original === undefined ? {} : { original };
    stored.push({ name, serial, mime, size, key, ...named });
  }
  return undefined;
}

/** Stores an attachment under its name in the archive; any unique name is valid (decision 61). */
async function store(
  env: ExchangeBindings,
  household: string,
  messages: readonly MessageDocument[],
  name: string,
  bytes: Uint8Array,
): Promise<Outcome<Attachment>> {
  const { mime = "application/octet-stream", original } = describeFile(messages, name);
  const blob = await storeBlob(env.BLOBS, household, bytes, { mime });
  if (!blob.ok) return blob;
  const { key, size, mime: found } = blob.value;
  const serial = Number(/^att-(\d{3,9})-/.exec(name)?.[1] ?? 0);
  const named = original === undefined ? {} : { original };
  return ok({ name, serial, mime: found, size, key, ...named });
}

/** Finds the description of a file in the thread's messages. */
function describeFile(
  messages: readonly MessageDocument[],
  file: string,
): { mime?: string; original?: string } {
  const find = (value: Json): { mime?: string; original?: string } | undefined => {
    if (Array.isArray(value)) return getFirst(value);
    if (!isMap(value)) return undefined;
    if (value["file"] !== file) return getFirst(Object.values(value));
    const { mime, name } = value;
    return {
      ...(typeof mime === "string" ? { mime } : {}),
      ...(typeof name === "string" ? { original: cutFileName(name) } : {}),
    };
  };
  const getFirst = (values: readonly Json[]) => {
    for (const value of values) {
      const found = find(value);
      if (found) return found;
    }
    return undefined;
  };
  return getFirst(messages.map(({ MESS }) => MESS)) ?? {};
}
