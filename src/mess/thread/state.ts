/**
 * The state that the exchange needs to check the next message of a thread. Its size does not grow with the number of
 * messages. The documents are the record; the state is derived from them. Instants are milliseconds since 1970 UTC.
 */
import type { LinkMessages } from "./link-budget.ts";
import { defined } from "../defined.ts";
import { readDuration } from "../durations.ts";
import type { Priority } from "../envelope.ts";
import type { Json } from "../json.ts";
import { getEffectivePriority } from "../routing/priority.ts";
import type { Candidate, Route } from "../routing/routing.ts";
import type { SourceRequestOrigin } from "../sources/request-origin.ts";
import type { Request } from "../wire/schema.ts";
import type { Joiner } from "./suggestions/join.ts";
import { isFinal, type Status } from "../status.ts";
import { readTime } from "../times.ts";

export interface OpenQuestion {
  key: string;
  /** Name of the message that asked it, such as `question-002-which-area`. */
  asked_in: string;
}

export interface OpenSuggestion {
  id: string;
  /** Name of the message with the suggestion. */
  made_in: string;
  /** The proposal as its sender wrote it; absent in states stored by older versions. */
  type?: SuggestionType;
  proposed?: Json;
  re?: string[];
  /** The member that a suggestion to delegate names. */
  delegate?: Candidate;
}

export type SuggestionType = "merge" | "split" | "delegate" | "alternative" | "defer";

/** A candidate of the thread. `rung` is its escalation step; without it, the first. */
export interface CandidateState extends Candidate {
  rung?: number;
  /** The thread was offered to it: it may see and claim it from then on. */
  asked?: true;
  declined?: true;
  /** Its step behind the others, where it was unavailable at its offer; overrides `rung`. */
  behind?: number;
  /** The thread was delegated to it: it is offered the thread even where it is unavailable. */
  named?: true;
  /** It has failed in this thread. */
  failed?: true;
}

/** The task of an AI group that a request carries out. The request reports its changes to the group. */
export interface TaskOrigin {
  group: string;
  /** Id of the task's message. */
  task: string;
}

/** The record to which a request reports its changes. */
export type RequestOrigin = TaskOrigin | SourceRequestOrigin;

/** The message source that asks an owner by this request; undefined for other requests. */
export const getSourceOrigin = ({
  origin,
}: Pick<ThreadState, "origin">): SourceRequestOrigin | undefined =>
  origin !== undefined && "source" in origin ? origin : undefined;

/** A pending answer or confirmation of the requestor. */
export interface PendingAnswer {
  since: number;
  /** The question in one line. */
  text?: string;
  /** The requestor was reminded. */
  reminded?: true;
  /** The owners were alerted. */
  escalated?: true;
}

export interface ThreadState {
  ref: string;
  zone: string;
  requestor: string;
  client_id?: string;
  intent: string;
  priority: Priority;
  status: Status;
  executor: string | null;
  created: number;
  updated: number;
  expires?: number;
  not_before?: number;
  batch?: string[];
  /** The serial of the last message (decision 11); the request has none. */
  serial: number;
  /** Documents stored so far. */
  documents: number;
  /** Characters of JSON in all messages so far. */
  size: number;
  /** The part of it that members sent through links; absent where there is none. */
  link_use?: LinkMessages[];

  candidates: CandidateState[];
  /** Whether the thread is offered: false while it is blocked or deferred. */
  offered: boolean;
  /** The current escalation step; 0 until the thread is offered. */
  rung?: number;
  /** Seconds of each step. */
  rung_seconds?: number;
  /**
   * When the time of the current step began, or will begin where all its notices are delayed; absent while the
   * clock is stopped.
   */
  rung_since?: number;
  /** Milliseconds of the step that had passed when a question stopped the clock. */
  rung_elapsed?: number;
  /** Reminders sent in this step. */
  reminded?: number;
  /** The owners were alerted that no candidate claimed it. */
  owner_told?: true;
  /** The last holder, who lost, failed or delegated the thread: others are offered it first. */
  lost_by?: string;
  /** Executors that have failed are not offered the thread before this instant. */
  retry_at?: number;
  blocked_by: string[];
  on_dependency_failure: "hold" | "cancel" | "proceed";

  /** The active status to which an answered question or confirmation returns (decision 18). */
  resume: Status;
  questions: OpenQuestion[];
  /** Present while the thread waits for the requestor. */
  unanswered?: PendingAnswer;
  /** The requestor is an executor, too, and may claim its own request. */
  requestor_serves?: true;
  /** The requestor has a channel, and gets notices about messages and the end. */
  requestor_reached?: true;
  /** The candidate that asked before any claim (decision 22). */
  soft_claim?: string;
  confirm_before: boolean;
  /** The action that waits for a confirmation, or the last proposed one. */
  action?: { text: string; asked_in: string; open: boolean };
  /** Texts of the confirmed actions (decision 21). */
  confirmed: string[];
  suggestions: OpenSuggestion[];

  /** When the holder's claim lapses without a message (decision 30). */
  lease_ends?: number;
  /** The holder was reminded in this lease. */
  lease_reminded?: true;
  /** When the exchange completes the thread after a response without status (decision 28). */
  completes_at?: number;
  /** Recoverable failures so far (decision 32). */
  attempts: number;
  delegated_to?: string;
  superseded_by?: string;
  /** References of the request's context, as `{thread}` or `{thread}/{part}`: its readers may read that too. */
  references?: string[];
  /** Threads with an equal request that joined this one, with their requestors. */
  joined?: Joiner[];
  origin?: RequestOrigin;
}

/** Items that wait for the requestor: questions, an action to confirm, suggestions to decide. */
export interface OpenItems {
  questions: OpenQuestion[];
  action?: { text: string; asked_in: string };
  suggestions: Pick<OpenSuggestion, "id" | "made_in" | "type">[];
}

/** None in a thread that has ended. */
export const listOpenSuggestions = ({ status, suggestions }: ThreadState): OpenSuggestion[] =>
  isFinal(status) ? [] : suggestions;

export const listOpenItems = (state: ThreadState): OpenItems => ({
  questions: state.questions,
  ...(state.action?.open
    ? { action: { text: state.action.text, asked_in: state.action.asked_in } }
    : {}),
  suggestions: listOpenSuggestions(state).map(({ id, made_in, type }) => ({
    id,
    made_in,
    ...defined({ type }),
  })),
});

export interface NewThread {
  ref: string;
  zone: string;
  requestor: string;
  request: Request;
  route: Route;
  /** The requestor has a channel. */
  requestor_reached?: true;
  /** The requestor may claim the request itself. */
  requestor_serves?: true;
  batch?: string[];
  blocked_by?: string[];
  /** References of its context: `{thread}` or `{thread}/{part}`. */
  references?: string[];
  origin?: RequestOrigin;
}

/** Lists the candidates of the route on its steps, then the unavailable executors on later steps. */
function listCandidates({ candidates, later = [] }: Route): CandidateState[] {
  const last = Math.max(0, ...candidates.map(({ rung: step }) => step));
  const laterCandidates = later.filter(({ id }) => candidates.every((one) => one.id !== id));
  return [
    ...candidates.map(({ id, kind, lease, rung: step }) => ({ id, kind, lease, rung: step })),
    ...laterCandidates.map((one) => ({ ...one, rung: last + one.rung })),
  ];
}

/** Returns when the request expires: `needed_by` takes precedence over `constraints.timing.expires` (decision 38). */
function computeExpiry(request: Request, now: number, zone: string): number | undefined {
  const text = request.needed_by ?? request.constraints?.timing?.expires;
  if (text === undefined) return undefined;
  const seconds = readDuration(text);
  return seconds === undefined ? readTime(text, zone) : now + seconds * 1000;
}

/**
 * Builds the state of a new thread.
 * @param now milliseconds since 1970 UTC
 */
export function createState(input: NewThread, now: number): ThreadState {
  const { request, zone } = input;
  const expires = computeExpiry(request, now, zone);
  const notBefore = request.constraints?.timing?.not_before;
  const notBeforeAt = notBefore === undefined ? undefined : readTime(notBefore, zone);
  const blockedBy = input.blocked_by ?? [];
  return {
    ref: input.ref,
    zone,
    requestor: input.requestor,
    ...defined({ client_id: request.id }),
    intent: request.intent,
    priority: getEffectivePriority(request),
    status: "pending",
    executor: null,
    created: now,
    updated: now,
    ...defined({
      expires,
      not_before: notBeforeAt,
      batch: input.batch,
      references: input.references,
      origin: input.origin,
    }),
    serial: 0,
    documents: 0,
    size: 0,
    candidates: listCandidates(input.route),
    offered: false,
    rung: 0,
    ...defined({ rung_seconds: input.route.rung_seconds }),
    blocked_by: blockedBy,
    ...(input.requestor_reached ? { requestor_reached: true } : {}),
    ...(input.requestor_serves ? { requestor_serves: true } : {}),
    on_dependency_failure: request.constraints?.on_dependency_failure ?? "hold",
    resume: "pending",
    questions: [],
    confirm_before: request.confirm_before ?? false,
    confirmed: [],
    suggestions: [],
    attempts: 0,
  };
}

/** True where the thread was offered to the candidate. States of older versions without steps offered it to all. */
export const wasOffered = (state: ThreadState, candidate: CandidateState): boolean =>
  candidate.asked ?? (state.rung === undefined && state.offered);

const listReaders = ({ joined = [] }: ThreadState): string[] => joined.map(({ actor }) => actor);

/** Lists the members who may see the thread: requestor, joiners, holder, and candidates that were offered it. */
export function listParticipants(state: ThreadState): string[] {
  const offered = state.candidates.filter((one) => wasOffered(state, one)).map(({ id }) => id);
  return [
    ...new Set([
      state.requestor,
      ...offered,
      ...(state.executor ? [state.executor] : []),
      ...listReaders(state),
    ]),
  ];
}

/** True where the thread has no holder and has not ended. */
export const isUnclaimed = (state: ThreadState): boolean =>
  state.executor === null && !isFinal(state.status) && state.status !== "partial";
