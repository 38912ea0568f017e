/** The reports of a request to the record that opened it, a task of an AI group or a message source, and its deletion. */
import { HOUSEHOLD_TIMEOUT_MS } from "../delivery/household-call.ts";
import { defined } from "../mess/defined.ts";
import { buildRequestNews } from "../mess/groups/request-news.ts";
import type { SourceRequestOrigin } from "../mess/sources/request-origin.ts";
import type { DerivedJob } from "../object/derived-jobs.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { isFinal, type Status } from "../mess/status.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import type { TaskOrigin } from "../mess/thread/state.ts";
import { getGroupStub, getSourceStub } from "../stubs.ts";
import type { ThreadLog } from "./thread-log.ts";

/** Messages of one call. */
const MAX_MESSAGES_PER_CALL = 50;

type ReportBindings = Pick<Env, "GROUPS" | "SOURCES">;

/** Other threads have no such job: the state says so without a read from the store. */
export function createOriginReportJob(env: ReportBindings, log: ThreadLog): DerivedJob {
  const readReportedSeq = (): number => Number(log.getFact("grouped") ?? 0);
  return {
    isNeeded: () =>
      log.exists() &&
      log.readState().origin !== undefined &&
      readReportedSeq() < log.getSyncState().seq,
    run: async () => {
      const { origin } = log.readState();
      if (origin === undefined) return;
      const seq =
        "source" in origin
          ? await reportToSource(env, log, origin)
          : await reportToGroup(env, log, origin, readReportedSeq());
      if (log.exists()) log.setFact("grouped", String(seq));
    },
  };
}

/** @returns the position up to which it has reported */
async function reportToGroup(
  env: ReportBindings,
  log: ThreadLog,
  origin: TaskOrigin,
  after: number,
): Promise<number> {
  const { ref, requestor, status } = log.readState();
  const { household, seq: newest } = log.getSyncState();
  const { messages, more } = log.readNamedMessagesAfter(after, MAX_MESSAGES_PER_CALL);
  const news = messages
    .filter(({ document }) => document.from !== requestor)
    .flatMap(
      ({ serial, name, document }) => buildRequestNews(document, { serial, name, ref }) ?? [],
    );
  const seq = more ? messages.at(-1)!.seq : newest;
  const change = { task: origin.task, ref, seq, status, news, ...(more ? { more } : {}) };
  const group = getGroupStub(env, household, origin.group);
  await withTimeout(HOUSEHOLD_TIMEOUT_MS, group.takeRequestChange(change));
  return seq;
}

/** A source only needs the end of the request, and who ended it how. */
async function reportToSource(
  env: ReportBindings,
  log: ThreadLog,
  origin: SourceRequestOrigin,
): Promise<number> {
  const { status } = log.readState();
  const { seq } = log.getSyncState();
  if (isFinal(status)) await sendEnd(env, log, origin, { seq, status });
  return seq;
}

async function sendEnd(
  env: ReportBindings,
  log: ThreadLog,
  { source, message, draft, digest }: SourceRequestOrigin,
  end: { seq: number; status: Status },
): Promise<void> {
  const { ref } = log.readState();
  const person = log.getFact("decided_by");
  const change = { ...defined({ message, draft, digest, person }), ref, ...end };
  const { household } = log.getSyncState();
  await withTimeout(
    HOUSEHOLD_TIMEOUT_MS,
    getSourceStub(env, household, source).takeRequestChange(change),
  );
}

/** Ends the task of a request, or the request of a source, that an owner deletes. Idempotent. */
export async function reportDeletion(env: ReportBindings, log: ThreadLog): Promise<void> {
  const { origin, ref, serial, status } = log.readState();
  if (origin === undefined || isFinal(status)) return;
  const { household, seq } = log.getSyncState();
  if ("source" in origin) return sendEnd(env, log, origin, { seq: seq + 1, status: "cancelled" });
  const text = "An owner has deleted the request.";
  await withTimeout(
    HOUSEHOLD_TIMEOUT_MS,
    getGroupStub(env, household, origin.group).takeRequestChange({
      task: origin.task,
      ref,
      seq: seq + 1,
      status: "cancelled",
      news: [{ serial: serial + 1, kind: "report", from: EXCHANGE, text }],
    }),
  );
}
