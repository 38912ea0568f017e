/** A thread in memory: appends messages to it, advances the time, and throws on unexpected refusals. */
import { defined } from "../../../../src/mess/defined.ts";
import type { HistoryEntry } from "../../../../src/mess/envelope.ts";
import type { MessError } from "../../../../src/mess/errors.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { parseMessages } from "../../../../src/mess/wire/parse.ts";
import type { Candidate } from "../../../../src/mess/routing/routing.ts";
import type { Request } from "../../../../src/mess/wire/schema.ts";
import { applyMessage } from "../../../../src/mess/thread/apply.ts";
import { createThread } from "../../../../src/mess/thread/create.ts";
import { handleDependencyEnd } from "../../../../src/mess/thread/dependencies.ts";
import {
  type Change,
  ThreadDraft,
  type StoredDocument,
} from "../../../../src/mess/thread/thread-change.ts";
import type { Effect } from "../../../../src/mess/thread/suggestions/effects.ts";
import type { ThreadNotice } from "../../../../src/mess/thread/thread-notices.ts";
import type { ThreadState } from "../../../../src/mess/thread/state.ts";
import { fireTimers, getNextTimer } from "../../../../src/mess/thread/timers.ts";
import type { Status } from "../../../../src/mess/status.ts";

export const START = Date.UTC(2026, 4, 4, 8, 0, 0);
export const REF = "2026-05-04-001-water-plants";

/** A candidate, on the first step by default. */
export const buildPerson = (id: string, rung = 1): Candidate & { rung: number } => ({
  id,
  kind: "person",
  lease: 7_200,
  rung,
});
export const buildMachine = (id: string, rung = 1): Candidate & { rung: number } => ({
  id,
  kind: "machine",
  lease: 900,
  rung,
});

/** Duration in seconds. */
export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 60 * MINUTE_SECONDS;

/** The messages of a text; throws if it is invalid. */
export function parseText(text: string) {
  const outcome = parseMessages(text, { target: REF });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
}

export class ThreadBench {
  state: ThreadState;
  now = START;
  readonly history: HistoryEntry[] = [];
  readonly documents: StoredDocument[] = [];
  readonly notices: ThreadNotice[] = [];
  readonly effects: Effect[] = [];

  constructor(
    request: JsonMap = {},
    candidates: (Candidate & { rung: number })[] = [buildPerson("ann"), buildMachine("bot")],
    blockedBy: string[] = [],
    ladder?: number,
  ) {
    const [message] = parseText(
      JSON.stringify({ request: { intent: "water the plants", ...request } }),
    );
    const block = message!.blocks[0]!;
    const change = createThread(
      {
        ref: REF,
        zone: "UTC",
        requestor: "claude",
        channel: "http",
        message: message!,
        request: block.body as Request,
        blocked_by: blockedBy,
        route: {
          by: "capability",
          candidates: candidates.map((candidate) => ({ ...candidate, reasons: [] })),
          passed_over: [],
          requires: [],
          warnings: [],
          ...defined({ rung_seconds: ladder }),
        },
      },
      this.now,
    );
    this.state = change.state;
    this.#keep(change);
  }

  #keep(change: Change): void {
    this.state = change.state;
    this.history.push(...change.history);
    this.documents.push(...change.documents);
    this.notices.push(...change.notices);
    this.effects.push(...(change.effects ?? []));
  }

  /** Appends the message as the actor; returns the refusal, or undefined if it was accepted. */
  try(
    actor: string,
    mess: JsonMap | JsonMap[],
    options: { about?: string; delegate?: Candidate; owner?: boolean } = {},
  ): MessError | undefined {
    const [message] = parseText(JSON.stringify({ MESS: Array.isArray(mess) ? mess : [mess] }));
    const { owner = false, ...rest } = options;
    const outcome = applyMessage(
      this.state,
      { sender: { actor, owner }, channel: "http", message: message!, ...rest },
      this.now,
    );
    if (!outcome.ok) return outcome.error;
    this.#keep(outcome.value);
    return undefined;
  }

  append(...args: Parameters<ThreadBench["try"]>): this {
    const fault = this.try(...args);
    if (fault) throw new Error(`${fault.code}: ${fault.message}`);
    return this;
  }

  appendStatus(actor: string, code: string, fields: JsonMap = {}): this {
    return this.append(actor, { status: { code, ...fields } });
  }

  /** Advances the time by seconds; every timer fires at its due time. */
  pass(seconds: number): this {
    const end = this.now + seconds * 1000;
    for (;;) {
      const due = getNextTimer(this.state);
      if (due === undefined || due > end) break;
      this.now = Math.max(this.now, due);
      this.#advance((draft) => fireTimers(draft));
    }
    this.now = end;
    return this;
  }

  /** Advances the time by seconds; the alarm runs only at the end. */
  advanceSeconds(seconds: number): this {
    this.now += seconds * 1000;
    this.#advance((draft) => fireTimers(draft));
    return this;
  }

  /** Runs an action of the exchange on the thread, and then the timers. */
  runSystemAction(act: (draft: ThreadDraft) => void): this {
    this.#advance((draft) => {
      act(draft);
      fireTimers(draft);
    });
    return this;
  }

  endDependency(ref: string, status: Status): this {
    return this.runSystemAction((draft) => handleDependencyEnd(draft, ref, status));
  }

  #advance(act: (draft: ThreadDraft) => void): void {
    const draft = new ThreadDraft(structuredClone(this.state), this.now);
    act(draft);
    this.#keep(draft.change);
  }

  /** The notices of the exchange, such as `offer ann bot`; an alert is for the owners. */
  get listedNotices(): string[] {
    return this.notices.map(({ kind, to }) => [kind, ...to].join(" "));
  }

  get actions(): string[] {
    return this.history.map(({ action }) => action);
  }

  /** The history's notes for each of these actions. */
  listNotes(action: string): (string | undefined)[] {
    return this.history.filter((row) => row.action === action).map(({ note }) => note);
  }
}

/** A thread with three steps: a machine, then two people one after the other. */
export const createThreadWithSteps = (request: JsonMap = {}): ThreadBench =>
  new ThreadBench(request, [buildMachine("bot", 1), buildPerson("ann", 2), buildPerson("tom", 3)]);
