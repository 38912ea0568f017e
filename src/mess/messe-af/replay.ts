/**
 * Replays a thread's messages in order: status, holder, and history rows. It mirrors what the state machine of
 * `../thread` logs, but without its checks, since the exchange that wrote the file has accepted the messages.
 *
 * | message | status | holder |
 * | --- | --- | --- |
 * | status `claimed` | claimed | its sender |
 * | status or response of a sender without a claim | its code, after claimed (decision 29) | its sender |
 * | status `needs_input` before a claim | needs_input (decision 22) | none |
 * | status `declined` | declined, where its sender holds the thread (decision 31) | none |
 * | any other status | its code | unchanged |
 * | reply, answer | the one before the question (decision 18); held where not confirmed (decision 20) | unchanged |
 * | cancel | cancelled | unchanged |
 * | the exchange's pending, retrying, expired | its code | none |
 */
import { isMap, type Json } from "../json.ts";
import type { Block, StatusUpdate } from "../wire/schema.ts";
import { type SuggestionContent, takesFromHolder } from "../thread/suggestions/proposals.ts";
import { addQuestions } from "../thread/questions.ts";
import { isFinal, type Status } from "../status.ts";
import { createDocumentNamer, EXCHANGE, type ReadDocument } from "./read-document.ts";
import { releasesThread, getNote, type ReplayEvent, toReplayEvent } from "./replay-events.ts";
import type { SilentAction, ReplayedThread } from "./replayed-thread.ts";

const MAX_NOTE_CHARS = 300;

/**
 * Replays the documents of thread `ref`.
 * @param silentActions the exchange's actions without a message, by the index of the document that they follow
 */
export function replayDocuments(
  ref: string,
  documents: readonly ReadDocument[],
  silentActions: ReadonlyMap<number, readonly SilentAction[]>,
): ReplayedThread {
  const replay = new Replay(ref);
  const getName = createDocumentNamer();
  const events = documents.map((document, index) =>
    toReplayEvent(document, getName(document), index),
  );
  for (const [index, event] of events.entries()) {
    replay.applyDocument(event, events);
    for (const silentAction of silentActions.get(index) ?? [])
      replay.applySilentAction(silentAction);
  }
  replay.reopenIfReleased();
  return replay.thread;
}

class Replay {
  readonly #ref: string;
  readonly thread: ReplayedThread = {
    status: "pending",
    executor: null,
    rows: [],
    responded: false,
    declined: false,
    late: [],
  };
  #resume: Status = "pending";
  #questions: { key: string; asked_in: string | undefined }[] = [];
  #softClaim: string | undefined;
  #actionOpen = false;
  #suggestions: (SuggestionContent & { id: string; made_in: string | undefined })[] = [];
  /** An accepted suggestion removes the holder; the exchange reports it in a message. */
  #releasesHolder = false;
  /** The holder was released, and it is not known yet whether a message of the exchange follows. */
  #released = false;
  /** Documents of the exchange that were applied before their position. */
  readonly #handledEarly = new Set<number>();

  constructor(ref: string) {
    this.#ref = ref;
  }

  applyDocument(event: ReplayEvent, events: readonly ReplayEvent[]): void {
    if (this.#handledEarly.has(event.index)) return;
    if (event.index === 0) this.#log(event, "created");
    if (event.by !== EXCHANGE) this.reopenIfReleased();
    for (const [index, block] of event.blocks.entries()) {
      const hadClaim = event.by === (this.thread.executor ?? this.#softClaim);
      this.#applyBlock(block, event);
      // The exchange acts between the blocks of a message, but its own message comes after them.
      const steps = this.#releasesHolder || releasesThread(block, hadClaim);
      if (index < event.blocks.length - 1 && steps) this.#applyExchangeReply(event, events);
      this.#releasesHolder = false;
    }
  }

  /** Applies the exchange's message about a block of this document before the next block. */
  #applyExchangeReply({ index, at }: ReplayEvent, events: readonly ReplayEvent[]): void {
    const next = events.find(
      (one) => one.index > index && one.name !== undefined && !this.#handledEarly.has(one.index),
    );
    const [block] = next?.blocks ?? [];
    if (next?.by !== EXCHANGE || next.at !== at || block?.type !== "status") return;
    this.#applyBlock(block, next);
    this.#handledEarly.add(next.index);
  }

  applySilentAction({ action }: SilentAction): void {
    if (action === "released") {
      this.#release();
      this.#released = true;
    } else this.#applyExchangeMove(action as Status);
  }

  /** A release without a message of the exchange makes the thread pending again. */
  reopenIfReleased(): void {
    if (this.#released) this.thread.status = "pending";
    this.#released = false;
  }

  #log(event: ReplayEvent, action: string, note?: string): void {
    const { by, at, name, index } = event;
    this.thread.rows.push({
      document: index,
      row: {
        action,
        at,
        by,
        ...(name === undefined ? {} : { ref: `${this.#ref}/${name}` }),
        ...(note === undefined || note === "" ? {} : { note: note.slice(0, MAX_NOTE_CHARS) }),
      },
    });
  }

  #move(event: ReplayEvent, status: Status, note?: string): void {
    if (this.thread.status === status) return;
    this.thread.status = status;
    this.#log(event, status, note);
  }

  #applyBlock(block: Block, event: ReplayEvent): void {
    const { thread } = this;
    switch (block.type) {
      case "status":
        this.#applyStatus(block.body, event);
        break;
      case "response":
        this.#applyResponse(event);
        break;
      case "reply":
        if (block.body.accept !== undefined) this.#judgeSuggestion(block.body.accept, event);
        if (block.body.confirm !== undefined) this.#applyConfirmation(block.body, event);
        if (block.body.answers !== undefined) this.#applyAnswers(block.body.answers, event);
        break;
      case "answer":
        this.#applyAnswers(block.body.value, event);
        break;
      case "cancel":
        if (this.#isLate(event)) break;
        this.#questions = [];
        this.#softClaim = undefined;
        this.#move(event, "cancelled", block.body.reason);
        break;
      case "suggestion":
        this.#suggestions.push({
          ...block.body,
          id: block.body.id ?? event.name ?? "",
          made_in: event.name,
        });
        break;
      default:
    }
    if (block.type === "status") thread.responded = false;
  }

  #isLate({ index }: ReplayEvent): boolean {
    const late = isFinal(this.thread.status);
    if (late && !this.thread.late.includes(index)) this.thread.late.push(index);
    return late;
  }

  #applyStatus(update: StatusUpdate, event: ReplayEvent): void {
    const { thread } = this;
    const { by } = event;
    // An executor's `cancelled` is a decline (decision 35).
    const code = update.code === "cancelled" && by !== EXCHANGE ? "declined" : update.code;
    const note = getNote(update);
    if (by === EXCHANGE) {
      if (code === thread.status) return;
      this.#applyExchangeMove(code);
      if (update.superseded_by !== undefined) thread.superseded_by = update.superseded_by;
      this.#log(event, code, note);
      return;
    }
    const isTakingOver = code === "claimed" && thread.status === "delegated";
    if (!isTakingOver && this.#isLate(event)) return;
    if (code === "declined") return this.#decline(event, note);
    if (code === "claimed" && thread.status === "needs_input" && this.#softClaim === by) {
      thread.executor = by;
      this.#resume = "claimed";
      this.#softClaim = undefined;
      this.#log(event, "claimed");
      return;
    }
    const claims = code === "claimed" && thread.executor !== by;
    if (claims || (thread.executor === null && code !== "needs_input")) this.#claim(event);
    if (code === "needs_input") this.#askQuestions(update, event);
    else if (code === "needs_confirmation") {
      this.#questions = [];
      this.#actionOpen = true;
      this.#move(event, code, update.action);
    } else if (code === "failed") this.#move(event, code, note);
    else if (code === "delegated") {
      if (update.delegated_to !== undefined) thread.delegated_to = update.delegated_to;
      this.#move(event, code, `to ${update.delegated_to ?? ""}`);
    } else {
      this.#questions = [];
      this.#actionOpen = false;
      if (update.superseded_by !== undefined) thread.superseded_by = update.superseded_by;
      this.#move(event, code, note);
      if (!isFinal(code) && code !== "partial") this.#resume = code;
    }
  }

  #applyExchangeMove(status: Status): void {
    const { thread } = this;
    this.#released = false;
    if (status === "pending" || status === "retrying" || status === "expired") this.#release();
    if (status === "pending") delete thread.delegated_to;
    if (status === "retrying") this.#resume = status;
    thread.status = status;
  }

  #release(): void {
    this.thread.executor = null;
    this.#resume = "pending";
    this.#questions = [];
    this.#softClaim = undefined;
    this.#actionOpen = false;
  }

  #claim(event: ReplayEvent): void {
    this.thread.executor = event.by;
    this.thread.declined = false;
    this.#softClaim = undefined;
    this.#questions = [];
    this.#move(event, "claimed");
    this.#resume = "claimed";
  }

  #decline(event: ReplayEvent, note: string | undefined): void {
    const { thread } = this;
    if (thread.executor === event.by) {
      this.#release();
      this.#move(event, "declined", note);
      return;
    }
    this.#log(event, "declined", note);
    if (this.#softClaim === event.by) this.#questions = [];
    thread.declined = thread.executor === null;
  }

  #askQuestions(update: StatusUpdate, event: ReplayEvent): void {
    if (this.thread.executor === null) this.#softClaim ??= event.by;
    this.#actionOpen = false;
    this.#questions = addQuestions(this.#questions, update.questions ?? [], event.name);
    this.#move(event, "needs_input", update.message ?? update.questions?.[0]?.question);
  }

  #applyResponse(event: ReplayEvent): void {
    const { thread } = this;
    if (isFinal(thread.status) || thread.status === "partial") return;
    if (thread.executor === null) this.#claim(event);
    thread.responded = true;
  }

  #applyConfirmation(
    { confirm, reason }: { confirm?: boolean | undefined; reason?: string | undefined },
    event: ReplayEvent,
  ): void {
    if (!this.#actionOpen) return;
    this.#actionOpen = false;
    this.#log(event, "replied", confirm ? undefined : reason);
    if (confirm) {
      if (this.#resume === "held") this.#resume = "in_progress";
      this.thread.status = this.#resume;
    } else {
      this.#move(event, "held", reason ?? "not confirmed");
      this.#resume = "held";
    }
  }

  #applyAnswers(answers: Json, event: ReplayEvent): void {
    if (this.#questions.length === 0) return;
    const target = isMap(answers)
      ? Object.keys(answers)
      : this.#questions
          .filter(({ asked_in }) => event.about === undefined || asked_in === event.about)
          .map(({ key }) => key);
    this.#questions = this.#questions.filter(({ key }) => !target.includes(key));
    if (this.#questions.length > 0) return;
    this.#log(event, "replied");
    this.thread.status = this.#resume;
    this.#softClaim = undefined;
  }

  #judgeSuggestion(accept: boolean, event: ReplayEvent): void {
    const target = this.#suggestions.find(
      ({ made_in }) => event.about === undefined || made_in === event.about,
    );
    if (!target) return;
    this.#suggestions = this.#suggestions.filter(({ id }) => id !== target.id);
    this.#releasesHolder =
      accept && this.thread.status !== "pending" && takesFromHolder(target, this.thread.executor);
    this.#log(event, accept ? "accepted" : "rejected", `suggestion ${target.id}`);
  }
}
