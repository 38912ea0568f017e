/** The operation `runThreadCase`: applies messages to a thread in memory while time passes. */
import { defined } from "../../../src/mess/defined.ts";
import { readDuration } from "../../../src/mess/durations.ts";
import type { HistoryEntry } from "../../../src/mess/envelope.ts";
import type { MessError } from "../../../src/mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../../src/mess/json.ts";
import { getLeaseSeconds } from "../../../src/mess/routing/leases.ts";
import { readThread } from "../../../src/mess/messe-af/read.ts";
import { writeThreadFiles } from "../../../src/mess/messe-af/write.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { splitTarget } from "../../../src/mess/refs.ts";
import type { Candidate } from "../../../src/mess/routing/routing.ts";
import type { Message, Request } from "../../../src/mess/wire/schema.ts";
import type { Status } from "../../../src/mess/status.ts";
import { writeTime } from "../../../src/mess/times.ts";
import { applyMessage } from "../../../src/mess/thread/apply.ts";
import { createThread } from "../../../src/mess/thread/create.ts";
import { handleDependencyEnd } from "../../../src/mess/thread/dependencies.ts";
import {
  type Change,
  ThreadDraft,
  type StoredDocument,
} from "../../../src/mess/thread/thread-change.ts";
import type { Effect } from "../../../src/mess/thread/suggestions/effects.ts";
import { buildEnvelope } from "../../../src/mess/thread/envelope.ts";
import type { ThreadNotice } from "../../../src/mess/thread/thread-notices.ts";
import { type UnavailableCandidate, deprioritize } from "../../../src/mess/thread/escalation.ts";
import { addJoiner } from "../../../src/mess/thread/suggestions/join.ts";
import { canSee } from "../../../src/mess/thread/policy.ts";
import { restoreThread } from "../../../src/mess/thread/restore/restore.ts";
import {
  listOpenItems,
  listParticipants,
  type ThreadState,
} from "../../../src/mess/thread/state.ts";
import { supersede } from "../../../src/mess/thread/suggestions/supersede.ts";
import { fireTimers, getNextTimer } from "../../../src/mess/thread/timers.ts";
import type { Call } from "../check.ts";
import { toJson, toRefused } from "./result-json.ts";

interface Member {
  id: string;
  kind?: "person" | "machine";
  lease?: string;
  rung?: number;
}

interface Given {
  ref?: string;
  zone?: string;
  now?: string;
  requestor?: string;
  channel?: string;
  request: JsonMap;
  candidates?: Member[];
  /** Members of the household that were not offered the thread. */
  members?: Member[];
  /** The time of each step, if not the default of the priority. */
  ladder?: string;
  blocked_by?: string[];
  batch?: { id?: string; ref: string }[];
}

/** A step is one of: a message, passing time, the end of another thread, an export and import. */
interface Step {
  from?: string;
  owner?: boolean;
  says?: Json;
  times?: number;
  after?: string;
  /** No alarm runs during this time. */
  no_alarm?: true;
  dependency?: string;
  status?: Status;
  superseded_by?: string;
  reason?: "merge" | "split";
  /** Threads of `from` with the same question. */
  joined_by?: string[];
  reload?: true;
  /** Candidates that are unavailable now, with reasons. */
  unavailable?: Record<string, string>;
  /** Candidates whose notice of the offer is delayed until this time. */
  notified_at?: Record<string, string>;
}

const buildCandidate = ({ id, kind = "person", lease }: Member): Candidate => ({
  id,
  kind,
  lease: lease === undefined ? getLeaseSeconds(kind) : readDuration(lease)!,
});

const listUnavailable = ({ unavailable = {}, notified_at = {} }: Step): UnavailableCandidate[] => [
  ...Object.entries(unavailable).map(([id, why]) => ({ id, reason: why })),
  ...Object.entries(notified_at).map(([id, at]) => ({
    id,
    delay: { until: Date.parse(at), reason: "quiet hours" },
  })),
];

class Thread {
  state: ThreadState;
  now: number;
  readonly members: Candidate[];
  history: HistoryEntry[] = [];
  documents: StoredDocument[] = [];
  /** The notices that the exchange would send, in order. */
  readonly notices: ThreadNotice[] = [];
  readonly effects: Effect[] = [];
  /** Number of differences between an imported envelope and its messages. */
  differences = 0;

  constructor(given: Given, message: Message) {
    this.now = Date.parse(given.now ?? "2026-03-14T12:00:00Z");
    const candidates = (given.candidates ?? []).map((one) => ({
      ...buildCandidate(one),
      rung: one.rung ?? 1,
    }));
    this.members = [
      ...(given.candidates ?? []).map(buildCandidate),
      ...(given.members ?? []).map(buildCandidate),
    ];
    const change = createThread(
      {
        ref: given.ref ?? "2026-03-14-001",
        zone: given.zone ?? "UTC",
        requestor: given.requestor ?? "aria",
        channel: given.channel ?? "mcp",
        message,
        request: message.blocks[0]!.body as Request,
        ...(given.blocked_by ? { blocked_by: given.blocked_by } : {}),
        ...(given.batch
          ? { batch: given.batch.map(({ ref }) => ref), batch_ack: given.batch }
          : {}),
        route: {
          by: "capability",
          candidates: candidates.map((one) => ({ ...one, reasons: [] })),
          passed_over: [],
          requires: [],
          warnings: [],
          ...(given.ladder === undefined ? {} : { rung_seconds: readDuration(given.ladder)! }),
        },
      },
      this.now,
    );
    this.state = change.state;
    this.keep(change);
  }

  keep({ state, history, documents, notices, effects }: Change): void {
    this.state = state;
    this.notices.push(...notices);
    this.effects.push(...(effects ?? []));
    this.history.push(...history);
    this.documents.push(...documents);
  }

  take(step: Step): MessError | undefined {
    if (step.says !== undefined) return this.append(step);
    const passed = step.after === undefined ? undefined : readDuration(step.after)! * 1000;
    if (passed !== undefined && step.no_alarm) this.now += passed;
    else if (passed !== undefined) this.pass(passed);
    else if (step.dependency !== undefined)
      this.advance((draft) => handleDependencyEnd(draft, step.dependency!, step.status!));
    else if (step.superseded_by !== undefined) {
      const { superseded_by, reason = "merge" } = step;
      this.advance((draft) => supersede(draft, { superseded_by, reason }));
    } else if (step.joined_by !== undefined) return this.join(step.joined_by, step.from ?? "");
    else if (step.unavailable || step.notified_at)
      this.advance((draft) => deprioritize(draft, listUnavailable(step)));
    else if (step.reload) return this.reload();
    return undefined;
  }

  append({ from = "", owner = false, says = null }: Step): MessError | undefined {
    const list = Array.isArray(says) ? says : [says];
    const read = parseMessages(JSON.stringify({ MESS: list }), { target: this.state.ref });
    if (!read.ok) return read.error;
    for (const message of read.value) {
      const { message: about } = splitTarget(message.re ?? this.state.ref);
      const passedTo = message.blocks
        .map(({ type, body }) =>
          type === "status"
            ? body.delegated_to
            : type === "suggestion" && isMap(body.proposed)
              ? body.proposed.executor
              : undefined,
        )
        .find((id) => id !== undefined);
      const delegate = this.members.find(({ id }) => id === passedTo);
      const outcome = applyMessage(
        this.state,
        {
          sender: { actor: from, owner },
          channel: "mcp",
          message,
          ...defined({ about, delegate }),
        },
        this.now,
      );
      if (!outcome.ok) return outcome.error;
      this.keep(outcome.value);
    }
    return undefined;
  }

  /** Advances the time; every timer fires at its due time. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let due = getNextTimer(this.state); due !== undefined && due <= end;) {
      this.now = Math.max(this.now, due);
      this.advance(() => {});
      due = getNextTimer(this.state);
    }
    this.now = end;
  }

  advance(act: (draft: ThreadDraft) => void): void {
    const draft = new ThreadDraft(structuredClone(this.state), this.now);
    act(draft);
    fireTimers(draft);
    this.keep(draft.change);
  }

  /** Joins the threads one by one, until one is refused. */
  join(refs: readonly string[], actor: string): MessError | undefined {
    for (const ref of refs) {
      const draft = new ThreadDraft(structuredClone(this.state), this.now);
      const fault = addJoiner(draft, { actor, ref }, 0, undefined);
      if (fault) return fault;
      this.keep(draft.change);
    }
    return undefined;
  }

  /** Exports the thread to files and imports it; afterwards only what files contain is known. */
  reload(): MessError | undefined {
    const messages = this.documents.flatMap(({ document, acks }) => [document, ...acks]);
    const files = writeThreadFiles({ envelope: buildEnvelope(this.state, this.history), messages });
    const read = readThread(files);
    if (!read.ok) return read.error;
    const { thread, differences } = read.value;
    const { zone } = this.state;
    const restored = restoreThread(thread.envelope, thread.messages, zone, this.now);
    this.state = restored.state;
    this.documents = restored.documents;
    this.history = thread.envelope.history;
    this.differences += differences.length;
    return undefined;
  }

  /** The result of every step. */
  buildGlance(): JsonMap {
    const { status, executor, offered } = this.state;
    return toJson({
      status,
      executor,
      offered,
      documents: this.documents.length,
      history: this.history.length,
      notices: this.notices.length,
    }) as JsonMap;
  }

  buildResult(): JsonMap {
    const { state, history, documents } = this;
    const due = getNextTimer(state);
    const actors = [...new Set([...this.members.map(({ id }) => id), state.requestor])];
    return {
      status: state.status,
      executor: state.executor,
      envelope: toJson(buildEnvelope(state, history)),
      actions: history.map(({ action }) => action),
      history: toJson(history),
      messages: documents.flatMap(({ name }) => (name === undefined ? [] : [name])),
      documents: toJson(documents.map(({ document }) => document)),
      acks: toJson(
        documents.flatMap(({ acks }) => acks.flatMap(({ MESS }) => MESS.map(({ ack }) => ack))),
      ),
      differences: this.differences,
      offered: state.offered,
      notices: toJson(this.notices),
      effects: toJson(this.effects),
      participants: listParticipants(state),
      may_see: actors.filter((actor) => canSee(state, { actor, owner: false })),
      open: toJson(listOpenItems(state)),
      next_change: due === undefined ? null : writeTime(due, state.zone),
    };
  }
}

export function runThreadCase({ given, when }: Call): Json {
  const { request, ...rest } = given as unknown as Given;
  const read = parseMessages(JSON.stringify({ request }));
  if (!read.ok) return toRefused(read.error);
  const subject = new Thread({ request, ...rest }, read.value[0]!);
  const created = subject.buildGlance();
  const steps = (when as unknown as Step[]).map((step): JsonMap => {
    let fault: MessError | undefined;
    for (let n = 0; n < (step.times ?? 1) && !fault; n++) fault = subject.take(step);
    return { ...subject.buildGlance(), ...(fault ? { refused: toJson(fault) } : {}) };
  });
  return { created, steps, ...subject.buildResult() };
}
