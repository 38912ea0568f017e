/** Exports threads as MESSE-AF archives: one, or all of the household. */
import { defined } from "../../mess/defined.ts";
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import {
  type ArchivedThread,
  buildHouseholdZip,
  measureThread,
  type OpenAttachment,
  buildThreadZip,
  type ZipFile,
} from "../../attachments/archive-writer.ts";
import { ARCHIVE_LIMITS } from "../../attachments/archive-reader.ts";
import { toAuditSource } from "../../auth/audit-source.ts";
import type { Principal } from "../../auth/principal.ts";
import type { AuditEntry } from "../../contracts/audit.ts";
import type { Envelope } from "../../mess/envelope.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { AUDIT_FILE, CONFIG_FILE } from "../../mess/messe-af/layout.ts";
import { buildArchiveName } from "../../mess/messe-af/names.ts";
import type { ThreadFile } from "../../mess/messe-af/write.ts";
import { ok } from "../../mess/result.ts";
import { readTime } from "../../mess/times.ts";
import { writeYaml } from "../../mess/wire/serialize.ts";
import { withThread, type ExchangeBindings } from "../with-thread.ts";
import { type ArchivedObjects, chooseObjects, readObjectsCursor } from "./choose-objects.ts";
import { GROUPS, readGroupFiles } from "./export-groups.ts";
import { readSourceFiles, SOURCES } from "./export-sources.ts";

const PAGE_SIZE = 200;
const AUDIT_PAGE_SIZE = 2_000;
/** Less than an import accepts, since threads may grow between the choice of a part and its download. */
const MAX_PART_BYTES = ARCHIVE_LIMITS.maxBytes - 1024 * 1024;

const createOpener =
  (bucket: R2Bucket): OpenAttachment =>
  async ({ key }) =>
    (await bucket.get(key))?.body ?? null;

/** Archives use the threads' times, so that exports are deterministic. */
const getModified = ({ updated }: Envelope): Date => new Date(readTime(updated, "UTC") ?? 0);

export interface ThreadArchive {
  name: string;
  stream: ReadableStream<Uint8Array>;
  /** Bytes. */
  size: bigint;
}

export const archiveThread = (
  env: ExchangeBindings,
  principal: Principal,
  target: string,
): Promise<Outcome<ThreadArchive>> =>
  withThread(env, principal, target, undefined, async ({ stub }) => {
    const view = await stub.readThread(principal);
    if (!view.ok) return view;
    const { envelope } = view.value;
    const zip = buildThreadZip(view.value, createOpener(env.BLOBS), getModified(envelope));
    return ok({ name: buildArchiveName(envelope.ref), ...zip });
  });

/** A part of the household's threads, in the order of their refs in the catalog. */
export interface ThreadRange {
  /** The ref after which the part begins; empty: before the first thread. Without it, the part is the first one. */
  after?: string;
  /** Maximum number of threads. */
  limit?: number;
}

export interface HouseholdArchive {
  stream: ReadableStream<Uint8Array>;
  /** The last ref of this part; present where more threads follow. */
  next?: string;
}

/**
 * Archives the household in parts that an import accepts: its threads as `state=…/` folders, which are read one at a
 * time while streaming, then its AI groups and the messages of its sources. A thread, group or source that is too large
 * for an import is alone in its part.
 * The first part begins with the configuration.
 */
export async function archiveHousehold(
  env: ExchangeBindings,
  owner: Principal,
  range: ThreadRange,
): Promise<HouseholdArchive> {
  const { household } = owner;
  await getHouseholdStub(env, household).audit.recordExport(toAuditSource(owner), { ...range });
  const documents =
    range.after === undefined
      ? [await buildConfigFile(env, household), await buildAuditFile(env, household)]
      : [];
  const { refs, objects, next } = await chooseContents(env, owner, range, documents);
  return {
    stream: buildHouseholdZip(
      readThreads(env, owner, refs),
      createOpener(env.BLOBS),
      ({ envelope }) => getModified(envelope),
      documents,
      readObjectFiles(env, owner, objects),
    ),
    ...defined({ next }),
  };
}

/** The parts of the export after the threads, in this order. */
const OBJECTS = [GROUPS, SOURCES] as const;

interface PartContents {
  refs: string[];
  objects: ReadonlyMap<ArchivedObjects, readonly string[]>;
  next?: string;
}

/** Fills the part with threads, then with the objects of each kind, until it is full. */
async function chooseContents(
  env: ExchangeBindings,
  owner: Principal,
  range: ThreadRange,
  documents: readonly ThreadFile[],
): Promise<PartContents> {
  const objects = new Map<ArchivedObjects, readonly string[]>();
  const first = OBJECTS.findIndex((kind) => readObjectsCursor(kind, range.after) !== undefined);
  const threads =
    first < 0 ? await choosePart(env, owner, range, documents) : { refs: [], bytes: 0 };
  const { refs } = threads;
  if (threads.next !== undefined) return { refs, objects, next: threads.next };
  let { bytes } = threads;
  for (const kind of OBJECTS.slice(Math.max(0, first))) {
    const after = readObjectsCursor(kind, range.after) ?? "";
    const room = MAX_PART_BYTES - bytes;
    const part = await chooseObjects(env, owner.household, kind, after, room, bytes === 0);
    objects.set(kind, part.ids);
    if (part.next !== undefined) return { refs, objects, next: part.next };
    bytes += part.bytes;
  }
  return { refs, objects };
}

async function* readObjectFiles(
  env: ExchangeBindings,
  owner: Principal,
  objects: PartContents["objects"],
): AsyncGenerator<ZipFile> {
  yield* readGroupFiles(env, owner, objects.get(GROUPS) ?? []);
  yield* readSourceFiles(env, owner.household, objects.get(SOURCES) ?? []);
}

async function buildConfigFile(env: ExchangeBindings, household: string): Promise<ThreadFile> {
  const config = await getHouseholdStub(env, household).settings.exportConfiguration();
  return { name: CONFIG_FILE, text: writeYaml(config) };
}

/** The audit trail as YAML, newest entry first. */
async function buildAuditFile(env: ExchangeBindings, household: string): Promise<ThreadFile> {
  const { audit } = getHouseholdStub(env, household);
  const entries: AuditEntry[] = [];
  let before: number | undefined;
  do {
    const page = await audit.listEntries(before, AUDIT_PAGE_SIZE);
    entries.push(...page.entries);
    before = page.next;
  } while (before !== undefined);
  const listed = entries.map(({ cursor: _cursor, ...entry }) => entry) as unknown as Json;
  return { name: AUDIT_FILE, text: writeYaml(listed) };
}

/** Chooses the threads of a part, and returns the ref after which the next part begins. */
async function choosePart(
  env: ExchangeBindings,
  owner: Principal,
  { after, limit = Infinity }: ThreadRange,
  documents: readonly ThreadFile[],
): Promise<{ refs: string[]; bytes: number; next?: string }> {
  const { threads } = getHouseholdStub(env, owner.household);
  const refs: string[] = [];
  let entries = documents.length;
  // A character has at most three bytes in UTF-8.
  let bytes = documents.reduce((sum, { text }) => sum + text.length * 3, 0);
  let last = after;
  for (;;) {
    const page: string[] = await threads.listRefs(last ?? null, PAGE_SIZE);
    if (page.length === 0) return { refs, bytes };
    for (const ref of page) {
      const view = await getThreadStub(env, owner.household, ref).readThread(owner);
      if (view.ok) {
        const size = measureThread(view.value);
        const isFirst = entries === 0;
        entries += size.entries;
        const isFull = entries > ARCHIVE_LIMITS.maxEntries || bytes + size.bytes > MAX_PART_BYTES;
        if (refs.length >= limit || (isFull && !isFirst)) return { refs, bytes, next: last ?? "" };
        bytes += size.bytes;
        refs.push(ref);
      }
      last = ref;
    }
  }
}

async function* readThreads(
  env: ExchangeBindings,
  owner: Principal,
  refs: readonly string[],
): AsyncGenerator<ArchivedThread> {
  for (const ref of refs) {
    // Skip a ref whose thread is not created yet, or was deleted meanwhile.
    const view = await getThreadStub(env, owner.household, ref).readThread(owner);
    if (view.ok) yield view.value;
  }
}
