/** Invariants of threads after a schedule, whatever has happened; each violation as a text. */
import { getThreadStub } from "../../../src/stubs.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Attachment, MessageDocument } from "../../../src/mess/envelope.ts";
import { readThread } from "../../../src/mess/messe-af/read.ts";
import { writeThreadFiles } from "../../../src/mess/messe-af/write.ts";
import { toCanonicalJson, type Json } from "../../../src/mess/json.ts";
import { isFinal, type Status } from "../../../src/mess/status.ts";
import type { ThreadState } from "../../../src/mess/thread/state.ts";
import type { ThreadSummary } from "../../../src/contracts/thread.ts";
import type { ThreadView } from "../../../src/contracts/thread-views.ts";
import type { Sent } from "./retrying-client.ts";
import { getHouseholdObject, prepare, getThreadObject } from "./real-bindings.ts";
import type { ReliabilityHousehold } from "./reliability-household.ts";
import type { CrashSchedule } from "./crash-schedule.ts";

interface Row {
  serial: number;
  name: string | null;
  text: string;
  acks: MessageDocument[];
}

interface StoredRecord {
  ref: string;
  state: ThreadState;
  rows: Row[];
  view: ThreadView;
  summary: ThreadSummary;
  alarm: number | null;
}

/** All data in a thread's object. */
async function readStored(
  home: ReliabilityHousehold,
  ref: string,
): Promise<StoredRecord | undefined> {
  const stub = getThreadStub(env, home.id, ref);
  const view = await stub.readThread(home.as("olga"));
  const summary = await stub.getSummary();
  if (!view.ok || !summary) return undefined;
  const inside = await runInDurableObject(
    getThreadObject(home.id, ref),
    async (_, { storage }) => ({
      state: JSON.parse(
        storage.sql.exec<{ state: string }>("SELECT state FROM thread").one().state,
      ) as ThreadState,
      rows: storage.sql
        .exec<{ serial: number; name: string | null; text: string; acks: string }>(
          "SELECT serial, name, document AS text, acks FROM documents ORDER BY serial",
        )
        .toArray()
        .map(({ acks, ...row }) => ({ ...row, acks: JSON.parse(acks) as MessageDocument[] })),
      alarm: await storage.getAlarm(),
    }),
  );
  return { ref, view: view.value, summary, ...inside };
}

export async function listViolations(
  home: ReliabilityHousehold,
  schedule: CrashSchedule,
): Promise<string[]> {
  const violations = [...schedule.client.violations];
  const threads: StoredRecord[] = [];
  for (const ref of schedule.threads) {
    const kept = await readStored(home, ref);
    if (kept) threads.push(kept);
    else violations.push(`lost: thread ${ref}`);
  }
  for (const kept of threads) {
    violations.push(...checkRecord(kept, schedule.client.sent));
    violations.push(...(await checkAttachments(home, kept)));
  }
  violations.push(...checkLedger(threads, schedule.client.sent));
  violations.push(...(await checkFiles(threads, schedule.client.sent)));
  violations.push(...(await checkIndex(home, threads)));
  violations.push(...(await checkHousehold(home, threads)));
  return violations;
}

/** Serials without gaps, correct count of documents, only sent messages, and a history that matches the status. */
function checkRecord(
  { ref, state, rows, view, alarm }: StoredRecord,
  sent: readonly Sent[],
): string[] {
  const violations: string[] = [];
  if (rows.some(({ serial }, at) => serial !== at))
    violations.push(`gap: serials of ${ref} are ${rows.map(({ serial }) => serial).join()}`);
  if (state.documents !== rows.length || state.serial + 1 !== rows.length)
    violations.push(
      `torn: ${ref} counts ${state.documents}, serial ${state.serial}, of ${rows.length}`,
    );
  for (const { serial, name, text, acks } of rows) {
    const exchange = text.startsWith('{"from":"exchange"');
    if (!exchange && !sent.some(({ marker }) => text.includes(marker)))
      violations.push(`never sent: document ${serial} of ${ref}`);
    if (acks.length !== (exchange ? 0 : 1))
      violations.push(`torn: acks of document ${serial} of ${ref}`);
    if (serial > 0 && !new RegExp(`^[a-z]+-0*${serial}(-|$)`).test(name ?? ""))
      violations.push(`torn: document ${serial} of ${ref} is called ${name}`);
  }
  const { envelope, messages } = view;
  const read = readThread(writeThreadFiles({ envelope, messages }));
  if (!read.ok) violations.push(`unreadable: ${ref} ${read.error.message}`);
  else for (const one of read.value.differences) violations.push(`history of ${ref}: ${one}`);
  if (state.lease_ends !== undefined && !isFinal(state.status) && alarm === null)
    violations.push(`forgotten: ${ref} has a lease and no alarm`);
  return violations;
}

/** Every attachment has its bytes, and every file that a message names is an attachment. */
async function checkAttachments(
  home: ReliabilityHousehold,
  { ref, view, rows }: StoredRecord,
): Promise<string[]> {
  const violations: string[] = [];
  for (const { name, key, size } of view.attachments) {
    const object = await env.BLOBS.head(key);
    if (object?.size !== size) violations.push(`lost: the bytes of ${ref}/${name}`);
    if (!rows.some(({ text }) => text.includes(`"${name}"`)))
      violations.push(`stray: attachment ${ref}/${name} of no message`);
    if (!key.startsWith(`${home.id}/`)) violations.push(`foreign: ${key}`);
  }
  for (const { text, serial } of rows)
    for (const [, name] of text.matchAll(/"(att-[^"]+)"/g))
      if (!view.attachments.some((one) => one.name === name))
        violations.push(`lost: ${name} that document ${serial} of ${ref} names`);
  return violations;
}

/** Each acknowledged message is stored once, at its ref and in the order of sending; none was refused. */
function checkLedger(threads: readonly StoredRecord[], sent: readonly Sent[]): string[] {
  const violations: string[] = [];
  const placed: { call: Sent; thread: string; serial: number }[] = [];
  for (const call of sent) {
    const found = threads.flatMap(({ ref, rows }) =>
      rows
        .filter(({ text }) => text.includes(call.marker))
        .map((row) => ({
          ref,
          row,
          acked: toCanonicalJson(row.acks[0]?.MESS[0]?.["ack"] as Json),
        })),
    );
    const { marker, refs, refused, ack } = call;
    if (refused !== undefined && found.length > (call.mayArriveLate ? 1 : 0))
      violations.push(`refused with ${refused}, and kept: ${marker} in ${found[0]!.ref}`);
    if (refs === undefined) continue;
    if (found.length > refs.length) violations.push(`duplicated: ${marker} ${found.length} times`);
    // Threads of a batch may be created later by a retry; their acks say so.
    const [first] = refs;
    for (const ref of refs) {
      const at = found.filter(({ ref: thread, row }) =>
        call.requests > 0 ? thread === ref : `${thread}/${row.name}` === ref,
      );
      if (at.length !== 1) violations.push(`lost: ${marker} is not at ${ref}`);
      else if (first === ref && at[0]!.acked !== ack)
        violations.push(`torn: the ack kept of ${marker} is another`);
      else placed.push({ call, thread: at[0]!.ref, serial: at[0]!.row.serial });
    }
  }
  for (const one of placed)
    for (const other of placed)
      if (
        one.thread === other.thread &&
        one.call.answeredAt! < other.call.sentAt! &&
        one.serial > other.serial
      )
        violations.push(`out of order: ${one.call.marker} after ${other.call.marker}`);
  return violations;
}

/** The bytes of an acknowledged message's files are unchanged. */
async function checkFiles(
  threads: readonly StoredRecord[],
  sent: readonly Sent[],
): Promise<string[]> {
  const violations: string[] = [];
  for (const { marker, files, refs } of sent) {
    if (!refs || files.length === 0) continue;
    const thread = threads.find(({ ref }) => refs[0] === ref || refs[0]?.startsWith(`${ref}/`));
    const row = thread?.rows.find(({ text }) => text.includes(marker));
    const attachments = (thread?.view.attachments ?? []).filter(
      ({ serial }) => serial === row?.serial,
    );
    if (attachments.length !== files.length) {
      violations.push(`${attachments.length} of ${files.length} files of ${marker}`);
      continue;
    }
    for (const [at, bytes] of files.entries())
      if (!(await isSame(attachments[at]!, bytes)))
        violations.push(`other bytes: ${attachments[at]!.name} of ${marker}`);
  }
  return violations;
}

async function isSame({ key }: Attachment, bytes: Uint8Array): Promise<boolean> {
  const object = await env.BLOBS.get(key);
  const kept = new Uint8Array((await object?.arrayBuffer()) ?? []);
  return kept.length === bytes.length && kept.every((byte, at) => byte === bytes[at]);
}

const INDEXED = `SELECT ref, seq, status, partition, executor, requestor, updated, participants FROM threads
  WHERE household = ? AND ref IN (SELECT value FROM json_each(?))`;

/** The index matches each thread. */
async function checkIndex(
  home: ReliabilityHousehold,
  threads: readonly StoredRecord[],
): Promise<string[]> {
  const refs = JSON.stringify(threads.map(({ ref }) => ref));
  const { results } = await prepare(INDEXED).bind(home.id, refs).all();
  const violations: string[] = [];
  for (const { ref, summary } of threads) {
    const row = results.find((one) => one["ref"] === ref) ?? null;
    const { seq, status, partition, executor, requestor, updated } = summary;
    const wanted = { ref, seq, status, partition, executor, requestor, updated };
    const participants = JSON.stringify([...summary.participants].toSorted());
    if (toCanonicalJson(row) !== toCanonicalJson({ ...wanted, participants }))
      violations.push(
        `drift: the index has ${JSON.stringify(row)}, ${ref} is ${JSON.stringify(wanted)}`,
      );
  }
  return violations;
}

/** The household's catalog and events match, and dependents were notified of the end of their dependency. */
async function checkHousehold(
  home: ReliabilityHousehold,
  threads: readonly StoredRecord[],
): Promise<string[]> {
  const known = await runInDurableObject(getHouseholdObject(home.id), (_, { storage }) => ({
    threads: storage.sql
      .exec<{ ref: string; seq: number; status: string }>("SELECT ref, seq, status FROM threads")
      .toArray(),
    events: storage.sql
      .exec<{ ref: string; status: string; executor: string | null }>(
        "SELECT ref, status, executor FROM events WHERE action IS NULL ORDER BY cursor",
      )
      .toArray(),
    dependencies: storage.sql
      .exec<{ ref: string; depends_on: string }>("SELECT ref, depends_on FROM dependencies")
      .toArray(),
  }));
  const violations: string[] = [];
  for (const { ref, summary, state } of threads) {
    const row = known.threads.find((one) => one.ref === ref);
    if (row?.seq !== summary.seq || row.status !== summary.status)
      violations.push(`drift: the household has ${JSON.stringify(row)} of ${ref}`);
    const events = known.events.filter((one) => one.ref === ref);
    const last = events.at(-1);
    if (last?.status !== summary.status || last.executor !== summary.executor)
      violations.push(`event: the last of ${ref} is ${JSON.stringify(last)}`);
    if (
      events.some(
        (one, at) =>
          at > 0 &&
          one.status === events[at - 1]!.status &&
          one.executor === events[at - 1]!.executor,
      )
    )
      violations.push(`event: one of ${ref} is there twice`);
    for (const { depends_on } of known.dependencies.filter((one) => one.ref === ref)) {
      const end = known.threads.find((one) => one.ref === depends_on)?.status as Status;
      const blocked = state.blocked_by.includes(depends_on);
      if (end === "completed" && blocked && !isFinal(state.status))
        violations.push(`not told: ${ref} waits for ${depends_on}, which is completed`);
      if (isFinal(end) && end !== "completed" && state.status === "pending")
        violations.push(`not told: ${ref} is pending, though ${depends_on} is ${end}`);
      if (!isFinal(end) && !blocked)
        violations.push(`let go: ${ref} does not wait for ${depends_on}`);
      if (blocked && state.offered) violations.push(`let go: ${ref} was offered while blocked`);
    }
  }
  return violations;
}
