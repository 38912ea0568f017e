/** Exports threads as MESSE-AF archives: one, or all of the household. */
import { defined } from "../../mess/defined.ts";
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import {
  type ArchivedThread,
  buildHouseholdZip,
  type OpenAttachment,
  buildThreadZip,
} from "../../attachments/archive-writer.ts";
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

const PAGE_SIZE = 200;
const AUDIT_PAGE_SIZE = 2_000;

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
  /** The ref after which the part begins; the default is the first thread. */
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
 * Archives the household: its threads as `state=…/` folders, which are read one at a time while streaming. The first
 * part begins with the configuration.
 */
export async function archiveHousehold(
  env: ExchangeBindings,
  owner: Principal,
  { after, limit }: ThreadRange,
): Promise<HouseholdArchive> {
  const { audit } = getHouseholdStub(env, owner.household);
  await audit.recordExport(toAuditSource(owner), defined({ after, limit }));
  const end =
    limit === undefined
      ? undefined
      : await findRangeEnd(env, owner.household, after ?? null, limit);
  return {
    stream: buildHouseholdZip(
      readThreads(env, owner, after ?? null, limit),
      createOpener(env.BLOBS),
      ({ envelope }) => getModified(envelope),
      after === undefined
        ? [await buildConfigFile(env, owner.household), await buildAuditFile(env, owner.household)]
        : [],
    ),
    ...defined({ next: end }),
  };
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

/** Returns the last of the next `limit` refs; undefined where no more follow. */
async function findRangeEnd(
  env: ExchangeBindings,
  household: string,
  after: string | null,
  limit: number,
): Promise<string | undefined> {
  const refs = await getHouseholdStub(env, household).threads.listRefs(after, limit + 1);
  return refs.length > limit ? refs[limit - 1] : undefined;
}

async function* readThreads(
  env: ExchangeBindings,
  owner: Principal,
  start: string | null,
  limit = Infinity,
): AsyncGenerator<ArchivedThread> {
  const household = getHouseholdStub(env, owner.household);
  let after = start;
  for (let left = limit; left > 0;) {
    const refs: string[] = await household.threads.listRefs(after, Math.min(PAGE_SIZE, left));
    for (const ref of refs) {
      // Skip a ref whose thread has not been created yet.
      const view = await getThreadStub(env, owner.household, ref).readThread(owner);
      if (view.ok) yield view.value;
    }
    const last = refs.at(-1);
    if (last === undefined) return;
    after = last;
    left -= refs.length;
  }
}
