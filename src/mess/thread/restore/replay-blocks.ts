/**
 * Replays the blocks of an imported thread into its state: open questions, approvals, suggestions, and the status to
 * which an answer returns. It mirrors the state machine without its checks, since the blocks were accepted before.
 */
import { isMap, type Json } from "../../json.ts";
import type { Block, StatusUpdate } from "../../wire/schema.ts";
import { isFinal } from "../../status.ts";
import { readTime } from "../../times.ts";
import { COMPLETION_GRACE_MS } from "../apply.ts";
import { MAX_ATTEMPTS } from "../apply-status.ts";
import { releaseHolder } from "../claims.ts";
import { EXCHANGE } from "../policy.ts";
import { readDeferUntil, takesFromHolder } from "../suggestions/proposals.ts";
import { addQuestions } from "../questions.ts";
import type { ThreadState } from "../state.ts";
import { addSuggestion } from "../suggestions/suggestions.ts";

/** The message that contains a block. */
export interface BlockOrigin {
  by: string;
  /** The message's name; empty for the request. */
  name: string;
  /** Name of the message in its `re`, if it names one. */
  about: string | undefined;
  /** When it was received, in milliseconds since 1970 UTC. */
  at: number;
}

export class BlockReplay {
  readonly #state: ThreadState;
  /** When a block last released the thread; the exchange reports it in a later message of the same time. */
  #releasedAt: number | undefined;
  /** The thread is partial, or waits for answers: a response does not complete it. */
  #isPaused = false;

  /** @param state changed in place; its executor is the holder at each point of the replay */
  constructor(state: ThreadState) {
    this.#state = state;
  }

  applyBlock(block: Block, origin: BlockOrigin): void {
    const state = this.#state;
    switch (block.type) {
      case "request":
        state.confirm_before = block.body.confirm_before ?? false;
        state.on_dependency_failure = block.body.constraints?.on_dependency_failure ?? "hold";
        this.#deferUntil(block.body.constraints?.timing?.not_before);
        break;
      case "status":
        if (origin.by === EXCHANGE) this.#applyExchangeStatus(block.body, origin);
        else this.#applyStatus(block.body, origin);
        break;
      case "response":
        if (state.executor === null) this.#claim(origin.by);
        if (!this.#isPaused) state.completes_at = origin.at + COMPLETION_GRACE_MS;
        break;
      case "cancel":
        this.#closeQuestions();
        break;
      case "reply":
        if (block.body.accept !== undefined) this.#judgeSuggestion(block.body.accept, origin);
        if (block.body.confirm !== undefined) this.#applyConfirmation(block.body.confirm);
        if (block.body.answers !== undefined) this.#applyAnswers(block.body.answers, origin);
        break;
      case "answer":
        this.#applyAnswers(block.body.value, origin);
        break;
      case "suggestion":
        addSuggestion(state, block.body, origin.name);
        break;
      default:
    }
  }

  #deferUntil(notBefore: string | undefined): void {
    const until = notBefore === undefined ? undefined : readTime(notBefore, this.#state.zone);
    if (until !== undefined) this.#state.not_before = until;
  }

  #closeQuestions(): void {
    this.#state.questions = [];
    delete this.#state.soft_claim;
  }

  #claim(by: string): void {
    const state = this.#state;
    state.executor = by;
    state.resume = "claimed";
    this.#closeQuestions();
    this.#isPaused = false;
  }

  #release(at: number): void {
    releaseHolder(this.#state);
    this.#isPaused = false;
    this.#releasedAt = at;
  }

  #applyExchangeStatus({ code }: StatusUpdate, { at }: BlockOrigin): void {
    if (code === "superseded") {
      this.#closeQuestions();
      if (this.#state.action) this.#state.action.open = false;
    }
    if (code !== "pending" && code !== "retrying" && code !== "expired") return;
    // If a block already released the thread, this message reports it, and a later block may have set a new holder. The
    // end of the thread releases that one too.
    if (code === "expired" || this.#releasedAt !== at) this.#release(at);
  }

  #applyStatus(update: StatusUpdate, { by, name, at }: BlockOrigin): void {
    const state = this.#state;
    const { code } = update;
    if (code === "declined" || code === "cancelled") {
      if (state.executor === by || state.soft_claim === by) this.#release(at);
      return;
    }
    if (code === "claimed" && state.soft_claim === by && state.questions.length > 0) {
      state.executor = by;
      state.resume = "claimed";
      delete state.soft_claim;
      return;
    }
    if (state.executor === null && code !== "needs_input") this.#claim(by);
    delete state.completes_at;
    this.#isPaused = code === "needs_input" || code === "partial";
    if (code === "needs_input") {
      this.#askQuestions(update, by, name);
      return;
    }
    if (code === "needs_confirmation") {
      state.questions = [];
      state.action = { text: update.action ?? "", asked_in: name, open: true };
    } else if (code === "failed") {
      state.attempts++;
      if (!update.recoverable || state.attempts >= MAX_ATTEMPTS) return;
      this.#release(at);
      state.resume = "retrying";
    } else if (code === "delegated") this.#release(at);
    else {
      state.questions = [];
      if (state.action) state.action.open = false;
      if (!isFinal(code) && code !== "partial") state.resume = code;
    }
  }

  #askQuestions(update: StatusUpdate, by: string, name: string): void {
    const state = this.#state;
    if (state.executor === null) state.soft_claim ??= by;
    if (state.action) state.action.open = false;
    state.questions = addQuestions(state.questions, update.questions ?? [], name);
  }

  #applyAnswers(answers: Json, { about }: BlockOrigin): void {
    const state = this.#state;
    state.questions = state.questions.filter(({ key, asked_in }) =>
      isMap(answers) ? !Object.hasOwn(answers, key) : about !== undefined && asked_in !== about,
    );
    if (state.questions.length > 0) return;
    delete state.soft_claim;
    this.#isPaused = false;
  }

  #applyConfirmation(isAccepted: boolean): void {
    const state = this.#state;
    const { action } = state;
    if (!action?.open) return;
    action.open = false;
    const others = state.confirmed.filter((text) => text !== action.text);
    state.confirmed = isAccepted ? [...others, action.text] : others;
    if (!isAccepted) state.resume = "held";
    else if (state.resume === "held") state.resume = "in_progress";
  }

  #judgeSuggestion(isAccepted: boolean, { about, at }: BlockOrigin): void {
    const state = this.#state;
    const target = state.suggestions.find(
      ({ made_in }) => about === undefined || made_in === about,
    );
    state.suggestions = state.suggestions.filter((one) => one !== target);
    if (!isAccepted || target === undefined) return;
    // The exchange reports it after all blocks of this message, and only if the thread was not pending.
    if (takesFromHolder(target, state.executor)) this.#release(at);
    if (target.type !== "defer") return;
    const until = readDeferUntil(target.proposed, at, state.zone);
    if (until !== undefined) state.not_before = until;
  }
}
