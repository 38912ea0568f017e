/** The reports of a request that carries out a task of an AI group: a job for its changes, and its deletion. */
import { HOUSEHOLD_TIMEOUT_MS } from "../delivery/household-call.ts";
import { buildRequestNews } from "../mess/groups/request-news.ts";
import type { DerivedJob } from "../object/derived-jobs.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { isFinal } from "../mess/status.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import { getGroupStub } from "../stubs.ts";
import type { ThreadLog } from "./thread-log.ts";

/** Messages of one call. */
const MAX_MESSAGES_PER_CALL = 50;

/** Other threads have no such job: the state says so without a read from the store. */
export function createGroupReportJob(env: Pick<Env, "GROUPS">, log: ThreadLog): DerivedJob {
  const readReportedSeq = (): number => Number(log.getFact("grouped") ?? 0);
  return {
    isNeeded: () =>
      log.exists() &&
      log.readState().origin !== undefined &&
      readReportedSeq() < log.getSyncState().seq,
    run: async () => {
      const { origin, ref, requestor, status } = log.readState();
      if (origin === undefined) return;
      const { household, seq: newest } = log.getSyncState();
      const { messages, more } = log.readNamedMessagesAfter(
        readReportedSeq(),
        MAX_MESSAGES_PER_CALL,
      );
      const news = messages
        .filter(({ document }) => document.from !== requestor)
        .flatMap(
          ({ serial, name, document }) => buildRequestNews(document, { serial, name, ref }) ?? [],
        );
      const seq = more ? messages.at(-1)!.seq : newest;
      const group = getGroupStub(env, household, origin.group);
      await withTimeout(
        HOUSEHOLD_TIMEOUT_MS,
        group.takeRequestChange({
          task: origin.task,
          ref,
          seq,
          status,
          news,
          ...(more ? { more } : {}),
        }),
      );
      if (log.exists()) log.setFact("grouped", String(seq));
    },
  };
}

/** Ends the task of a request that an owner deletes. Idempotent. */
export async function reportDeletion(env: Pick<Env, "GROUPS">, log: ThreadLog): Promise<void> {
  const { origin, ref, serial, status } = log.readState();
  if (origin === undefined || isFinal(status)) return;
  const { household, seq } = log.getSyncState();
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
