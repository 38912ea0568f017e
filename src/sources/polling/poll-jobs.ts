/** The job that fetches new messages of kinds that are polled. The result decides when it runs next. */
import { receiveParsed } from "../../attachments/receive-parsed.ts";
import { isSuspended } from "../../auth/suspension.ts";
import { getConfig } from "../../config.ts";
import type { IncomingSourceMessage, SourceRecord } from "../../contracts/sources.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { logDefect } from "../../log.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { exponential } from "../../object/retry.ts";
import type { JobHandlers, JobOutcome } from "../../object/stored-jobs.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import type {
  KindFailure,
  PollOutcome,
  PollResult,
  SourceKind,
} from "../../source-kinds/source-kind.ts";
import { getHouseholdStub } from "../../stubs.ts";
import { announceMessages, isAwaited } from "../messages/waits.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import { receiveWithState } from "./receive-with-state.ts";
import { recordFailure, scheduleNext } from "./schedule-poll.ts";

/** For calls that failed before the kind was asked. */
const RETRY = exponential(1_000, 60_000);
/** Longer than the default: a kind may fetch many messages in one poll. */
const POLL_TIMEOUT_MS = 120_000;

export const createPollHandlers = (
  context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "poll"> => ({
  poll: { run: () => poll(context), retryDelayMs: RETRY, timeoutMs: POLL_TIMEOUT_MS },
});

async function poll(context: SourceContext): Promise<JobOutcome> {
  const record = context.store.get();
  const kind = findSourceKind(record.kind);
  if (!kind?.poll || record.status === "disconnected") return "done";
  const startedAt = Date.now();
  const opened = await getHouseholdStub(context.env, record.household).sources.openSettings(
    record.name,
  );
  if (await isSuspended(context.env, record.household)) return "retry";
  // The household sends its record again when the source is connected.
  if (!opened || opened.record.status === "disconnected") return "done";
  const settings = kind.settings.safeParse(opened.settings);
  const before = context.store.state.getKindState();
  const outcome: PollOutcome = settings.success
    ? await fetchMessages(context, kind, record, settings.data, before)
    : { ok: false, reason: "its settings are not complete or not valid", isPermanent: true };
  if (outcome.ok) await storeResult(context, record, { ...outcome, before, startedAt });
  else fail(context, record, outcome, startedAt);
  return "done";
}

async function fetchMessages(
  { env }: SourceContext,
  kind: SourceKind,
  { household, name: source }: SourceRecord,
  settings: unknown,
  state: Json | undefined,
): Promise<PollOutcome> {
  const { loopback, origin } = getConfig(env);
  const egress = createEgress({ loopback, origin });
  try {
    return await kind.poll!({ household, source, settings, egress, env, now: Date.now() }, state);
  } catch (error) {
    logDefect(error, { object: "source" });
    return { ok: false, reason: "the exchange failed to read it" };
  }
}

interface PollContent extends PollResult {
  before: Json | undefined;
  startedAt: number;
}

async function storeResult(
  context: SourceContext,
  record: SourceRecord,
  { messages, state, more, pollAt, before, startedAt }: PollContent,
): Promise<void> {
  const { env } = context;
  const { household, name: source } = record;
  const store = (stored: IncomingSourceMessage[]) =>
    context.change((store, now) => {
      // With other settings, the household's record has already started the next poll.
      if (store.get().revision !== record.revision) return ok(null);
      const result = receiveWithState(store, stored, { before, after: state }, now);
      const end = { startedAt, now, isAwaited: isAwaited(context.ctx), pollAt };
      // A request has changed the state during the poll: what was found is not stored, so it must be found again.
      if (result.ok) scheduleNext(store, { ...end, more: more === true || result.value === null });
      return result;
    });
  const { quotas } = getHouseholdStub(env, household);
  const target = { bucket: env.BLOBS, household, source, quotas };
  const received = await receiveParsed(
    { ...target, receive: (stored) => Promise.resolve(store(stored)) },
    messages,
  );
  if (received.ok) announceMessages(context.ctx, context.store);
  else fail(context, record, { reason: received.error.message }, startedAt);
}

function fail(
  context: SourceContext,
  { revision }: SourceRecord,
  failure: KindFailure,
  startedAt: number,
): void {
  context.change((store, now) => {
    if (store.get().revision === revision) recordFailure(store, failure, { startedAt, now });
    return ok(true);
  });
}
