/**
 * What the exchange must remember of a thread to judge the next message: small, and independent of how many
 * messages the thread holds. The documents themselves are the record; this is where they have led.
 * Instants are milliseconds since 1970 UTC.
 */
import { readDuration } from "../durations.ts";
import type { Priority } from "../envelope.ts";
import type { Json } from "../json.ts";
import { getEffectivePriority } from "../routing/priority.ts";
import type { Candidate, Route } from "../routing/routing.ts";
import type { Request } from "../wire/schema.ts";
import type { Joiner } from "./join.ts";
import { isFinal, type Status } from "../status.ts";
import { readTime } from "../times.ts";

export interface OpenQuestion {
  key: string;
  /** Name of the message that asked it, `question-002-which-area`. */
  asked_in: string;
}

export interface OpenSuggestion {
  id: string;
  /** Name of the message that made it. */
  made_in: string;
  /** What it proposes, in its sender's words; absent in what was stored before they were kept. */
  type?: SuggestionType;
  proposed?: Json;
  re?: string[];
  /** The member that it names, where it proposes to delegate. */
  delegate?: Candidate;
}

export type SuggestionType = "merge" | "split" | "delegate" | "alternative" | "defer";

/** One who can be asked; where there is no `tier`, it is the first. */
export interface CandidateState extends Candidate {
  rung?: number;
  /** The thread was offered to it once: it may see and claim it from then on. */
  asked?: true;
  declined?: true;
  /** The rung on which it stands for now, behind the others, since something hindered it when it was to be told. */
  behind?: number;
  /** The thread was passed to it by name: it is asked whatever hinders it. */
  named?: true;
  /** It has failed in this thread. */
  failed?: true;
}

/** A question or a confirmation that the requestor owes. */
export interface PendingAnswer {
  since: number;
  /** What was asked, in one line. */
  text?: string;
  /** The requestor was reminded. */
  reminded?: true;
  /** The owners know. */
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
  /** The last serial given to a message (decision 11); the request has none. */
  serial: number;
  /** Documents stored so far. */
  documents: number;
  /** Characters of JSON in what was said so far. */
  size: number;

  candidates: CandidateState[];
  /** The thread is on offer: false while it is blocked or its time has not come. */
  offered: boolean;
  /** The rung of the ladder that has been reached; 0 until it is offered. */
  rung?: number;
  /** Seconds that each rung has. */
  rung_seconds?: number;
  /**
   * When the present rung's time began, or will begin, where nobody on it is to be disturbed before; absent while
   * nobody is waited for.
   */
  rung_since?: number;
  /** Milliseconds of the rung's time that had passed when the clock was stopped by a question. */
  rung_elapsed?: number;
  /** Reminders sent in this rung. */
  reminded?: number;
  /** The owners know that nobody takes it. */
  owner_told?: true;
  /** Who held it last and lost it, failed or passed it on: others are asked first. */
  lost_by?: string;
  /** Whoever has failed is not asked again before. */
  retry_at?: number;
  blocked_by: string[];
  on_dependency_failure: "hold" | "cancel" | "proceed";

  /** The active status to which an answered question or confirmation returns (decision 18). */
  resume: Status;
  questions: OpenQuestion[];
  /** There while the thread waits for the requestor. */
  unanswered?: PendingAnswer;
  /** The requestor has a way to be told of what others say and of the end. */
  requestor_reached?: true;
  /** The candidate that asked before any claim (decision 22). */
  soft_claim?: string;
  confirm_before: boolean;
  /** The action that awaits a confirmation, or the last one that was asked for. */
  action?: { text: string; asked_in: string; open: boolean };
  /** Actions that were confirmed, each by its text (decision 21). */
  confirmed: string[];
  suggestions: OpenSuggestion[];

  /** When the holder's claim lapses, unless it is heard of before (decision 30). */
  lease_ends?: number;
  /** The holder was reminded in this lease. */
  lease_reminded?: true;
  /** When the exchange completes the thread after a bare response (decision 28). */
  completes_at?: number;
  /** Recoverable failures so far (decision 32). */
  attempts: number;
  delegated_to?: string;
  superseded_by?: string;
  /** Threads that ask the same and joined this one, with those who asked. */
  joined?: Joiner[];
}

/** What awaits the requestor: questions, an action to confirm, suggestions to judge. */
export interface OpenItems {
  questions: OpenQuestion[];
  action?: { text: string; asked_in: string };
  suggestions: Pick<OpenSuggestion, "id" | "made_in">[];
}

export const listOpenItems = ({ questions, action, suggestions }: ThreadState): OpenItems => ({
  questions,
  ...(action?.open ? { action: { text: action.text, asked_in: action.asked_in } } : {}),
  suggestions: suggestions.map(({ id, made_in }) => ({ id, made_in })),
});

export interface NewThread {
  ref: string;
  zone: string;
  requestor: string;
  request: Request;
  route: Route;
  /** The requestor can be told by a channel of its own. */
  requestor_reached?: true;
  batch?: string[];
  blocked_by?: string[];
}

/** Those of the route with its own rungs, then those whom something hinders, behind them. */
function listCandidates({ candidates, later = [] }: Route): CandidateState[] {
  const last = Math.max(0, ...candidates.map(({ rung: tier }) => tier));
  const laterCandidates = later.filter(({ id }) => candidates.every((one) => one.id !== id));
  return [
    ...candidates.map(({ id, kind, lease, rung: tier }) => ({ id, kind, lease, rung: tier })),
    ...laterCandidates.map((one) => ({ ...one, rung: last + one.rung })),
  ];
}

/** When the request is stale: `needed_by` before `constraints.timing.expires` (decision 38). */
function computeExpiry(request: Request, now: number, zone: string): number | undefined {
  const text = request.needed_by ?? request.constraints?.timing?.expires;
  if (text === undefined) return undefined;
  const seconds = readDuration(text);
  return seconds === undefined ? readTime(text, zone) : now + seconds * 1000;
}

/** The state of a thread that has just been asked for. */
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
    ...(request.id === undefined ? {} : { client_id: request.id }),
    intent: request.intent,
    priority: getEffectivePriority(request),
    status: "pending",
    executor: null,
    created: now,
    updated: now,
    ...(expires === undefined ? {} : { expires }),
    ...(notBeforeAt === undefined ? {} : { not_before: notBeforeAt }),
    ...(input.batch === undefined ? {} : { batch: input.batch }),
    serial: 0,
    documents: 0,
    size: 0,
    candidates: listCandidates(input.route),
    offered: false,
    rung: 0,
    ...(input.route.rung_seconds === undefined ? {} : { rung_seconds: input.route.rung_seconds }),
    blocked_by: blockedBy,
    ...(input.requestor_reached ? { requestor_reached: true } : {}),
    on_dependency_failure: request.constraints?.on_dependency_failure ?? "hold",
    resume: "pending",
    questions: [],
    confirm_before: request.confirm_before ?? false,
    confirmed: [],
    suggestions: [],
    attempts: 0,
  };
}

/** The thread was offered to the candidate. States that were stored without a ladder offered it to all at once. */
export const wasOffered = (state: ThreadState, candidate: CandidateState): boolean =>
  candidate.asked ?? (state.rung === undefined && state.offered);

const listReaders = ({ joined = [] }: ThreadState): string[] => joined.map(({ actor }) => actor);

/** Everyone who may see the thread: its requestor, those who joined it, its holder, and whom it was offered to. */
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

/** The thread waits for somebody to take it: nobody holds it, and it has not ended. */
export const isUnclaimed = (state: ThreadState): boolean =>
  state.executor === null && !isFinal(state.status) && state.status !== "partial";
