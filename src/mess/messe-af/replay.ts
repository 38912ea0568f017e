/**
 * What a thread's messages show of it, read from the first to the last: status, holder, and the rows of history that
 * they account for. It mirrors what the state machine of `../thread` logs as it accepts messages, but judges nobody:
 * what stands in a file was accepted once, by whichever exchange wrote it.
 *
 * | message | status | holder |
 * | --- | --- | --- |
 * | status `claimed` | claimed | its sender |
 * | status of whoever claimed nothing yet, response | its code, after claimed (decision 29) | its sender |
 * | status `needs_input` before a claim | needs_input (decision 22) | nobody |
 * | status `declined` | declined, where its sender holds the thread (decision 31) | nobody |
 * | any other status | its code | unchanged |
 * | reply, answer | the one before the question (decision 18); held where not confirmed (decision 20) | unchanged |
 * | cancel | cancelled | unchanged |
 * | the exchange's pending, retrying, expired | as it says | nobody |
 */
import { isMap, type Json } from "../json.ts";
import type { Block, StatusUpdate } from "../wire/schema.ts";
import { type Suggestion, yields } from "../thread/proposals.ts";
import { isFinal, type Status } from "../status.ts";
import { documentNamer, EXCHANGE, type ReadDocument } from "./read-document.ts";
import { letsGo, noteOf, type Saying, sayingOf } from "./replay-events.ts";
import type { Act, Shown } from "./replayed-thread.ts";

const NOTE = 300;

/**
 * @param acts what the exchange did without a message, by the index of the document after which it did it
 */
export function foldDocuments(
  ref: string,
  documents: readonly ReadDocument[],
  acts: ReadonlyMap<number, readonly Act[]>,
): Shown {
  const fold = new Fold(ref);
  const nameOf = documentNamer();
  const sayings = documents.map((document, index) => sayingOf(document, nameOf(document), index));
  for (const [index, saying] of sayings.entries()) {
    fold.say(saying, sayings);
    for (const act of acts.get(index) ?? []) fold.act(act);
  }
  fold.settleRelease();
  return fold.shown;
}

class Fold {
  readonly #ref: string;
  readonly shown: Shown = {
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
  #suggestions: (Suggestion & { id: string; made_in: string | undefined })[] = [];
  /** A suggestion was accepted by which the thread leaves whoever has it: the exchange says so in a message. */
  #yields = false;
  /** The holder is gone, and whether the exchange says so in a message is not known yet. */
  #released = false;
  /** Documents of the exchange that were heard before their turn. */
  readonly #heard = new Set<number>();

  constructor(ref: string) {
    this.#ref = ref;
  }

  say(said: Saying, sayings: readonly Saying[]): void {
    if (this.#heard.has(said.index)) return;
    if (said.index === 0) this.#log(said, "created");
    if (said.by !== EXCHANGE) this.settleRelease();
    for (const [index, block] of said.blocks.entries()) {
      const before = this.shown.executor;
      this.#apply(block, said);
      // The exchange takes its step between the blocks, though its message stands after them.
      const steps = this.#yields || letsGo(block, before === said.by);
      if (index < said.blocks.length - 1 && steps) this.#hearExchange(said, sayings);
      this.#yields = false;
    }
  }

  /** Hears what the exchange said upon a block of this document before the next block counts. */
  #hearExchange({ index, at }: Saying, sayings: readonly Saying[]): void {
    const next = sayings.find(
      (one) => one.index > index && one.name !== undefined && !this.#heard.has(one.index),
    );
    const [block] = next?.blocks ?? [];
    if (next?.by !== EXCHANGE || next.at !== at || block?.type !== "status") return;
    this.#apply(block, next);
    this.#heard.add(next.index);
  }

  act({ action }: Act): void {
    if (action === "released") {
      this.#letGo();
      this.#released = true;
    } else this.#exchangeMoves(action as Status);
  }

  /** Without a message of the exchange, a release alone opens the thread again. */
  settleRelease(): void {
    if (this.#released) this.shown.status = "pending";
    this.#released = false;
  }

  #log(said: Saying, action: string, note?: string): void {
    const { by, at, name, index } = said;
    this.shown.rows.push({
      document: index,
      row: {
        action,
        at,
        by,
        ...(name === undefined ? {} : { ref: `${this.#ref}/${name}` }),
        ...(note === undefined || note === "" ? {} : { note: note.slice(0, NOTE) }),
      },
    });
  }

  #move(said: Saying, status: Status, note?: string): void {
    if (this.shown.status === status) return;
    this.shown.status = status;
    this.#log(said, status, note);
  }

  #apply(block: Block, said: Saying): void {
    const { shown } = this;
    switch (block.type) {
      case "status":
        this.#status(block.body, said);
        break;
      case "response":
        this.#response(said);
        break;
      case "reply":
        if (block.body.accept !== undefined) this.#judge(block.body.accept, said);
        if (block.body.confirm !== undefined) this.#confirm(block.body, said);
        if (block.body.answers !== undefined) this.#answer(block.body.answers, said);
        break;
      case "answer":
        this.#answer(block.body.value, said);
        break;
      case "cancel":
        if (this.#isLate(said)) break;
        this.#questions = [];
        this.#softClaim = undefined;
        this.#move(said, "cancelled", block.body.reason);
        break;
      case "suggestion":
        this.#suggestions.push({
          ...block.body,
          id: block.body.id ?? said.name ?? "",
          made_in: said.name,
        });
        break;
      default:
    }
    if (block.type === "status") shown.responded = false;
  }

  #isLate({ index }: Saying): boolean {
    const late = isFinal(this.shown.status);
    if (late && !this.shown.late.includes(index)) this.shown.late.push(index);
    return late;
  }

  #status(update: StatusUpdate, said: Saying): void {
    const { shown } = this;
    const { by } = said;
    // An executor's `cancelled` is a decline (decision 35).
    const code = update.code === "cancelled" && by !== EXCHANGE ? "declined" : update.code;
    const note = noteOf(update);
    if (by === EXCHANGE) {
      if (code === shown.status) return;
      this.#exchangeMoves(code);
      if (update.superseded_by !== undefined) shown.superseded_by = update.superseded_by;
      this.#log(said, code, note);
      return;
    }
    const takesOver = code === "claimed" && shown.status === "delegated";
    if (!takesOver && this.#isLate(said)) return;
    if (code === "declined") return this.#decline(said, note);
    if (code === "claimed" && shown.status === "needs_input" && this.#softClaim === by) {
      shown.executor = by;
      this.#resume = "claimed";
      this.#softClaim = undefined;
      this.#log(said, "claimed");
      return;
    }
    const claims = code === "claimed" && shown.executor !== by;
    if (claims || (shown.executor === null && code !== "needs_input")) this.#take(said);
    if (code === "needs_input") this.#ask(update, said);
    else if (code === "needs_confirmation") {
      this.#questions = [];
      this.#actionOpen = true;
      this.#move(said, code, update.action);
    } else if (code === "failed") this.#move(said, code, note);
    else if (code === "delegated") {
      if (update.delegated_to !== undefined) shown.delegated_to = update.delegated_to;
      this.#move(said, code, `to ${update.delegated_to ?? ""}`);
    } else {
      this.#questions = [];
      this.#actionOpen = false;
      if (update.superseded_by !== undefined) shown.superseded_by = update.superseded_by;
      this.#move(said, code, note);
      if (!isFinal(code) && code !== "partial") this.#resume = code;
    }
  }

  #exchangeMoves(status: Status): void {
    const { shown } = this;
    this.#released = false;
    if (status === "pending" || status === "retrying" || status === "expired") this.#letGo();
    if (status === "pending") delete shown.delegated_to;
    if (status === "retrying") this.#resume = status;
    shown.status = status;
  }

  #letGo(): void {
    this.shown.executor = null;
    this.#resume = "pending";
    this.#questions = [];
    this.#softClaim = undefined;
    this.#actionOpen = false;
  }

  #take(said: Saying): void {
    this.shown.executor = said.by;
    this.shown.declined = false;
    this.#softClaim = undefined;
    this.#questions = [];
    this.#move(said, "claimed");
    this.#resume = "claimed";
  }

  #decline(said: Saying, note: string | undefined): void {
    const { shown } = this;
    if (shown.executor === said.by) {
      this.#letGo();
      this.#move(said, "declined", note);
      return;
    }
    this.#log(said, "declined", note);
    if (this.#softClaim === said.by) this.#questions = [];
    shown.declined = shown.executor === null;
  }

  #ask(update: StatusUpdate, said: Saying): void {
    if (this.shown.executor === null) this.#softClaim ??= said.by;
    this.#actionOpen = false;
    const asked = (update.questions ?? []).map(({ id }) => ({
      key: id ?? "q1",
      asked_in: said.name,
    }));
    const still = this.#questions.filter(({ key }) => asked.every((one) => one.key !== key));
    this.#questions = [...still, ...asked];
    this.#move(said, "needs_input", update.message ?? update.questions?.[0]?.question);
  }

  #response(said: Saying): void {
    const { shown } = this;
    if (isFinal(shown.status) || shown.status === "partial") return;
    if (shown.executor === null) this.#take(said);
    shown.responded = true;
  }

  #confirm(
    { confirm, reason }: { confirm?: boolean | undefined; reason?: string | undefined },
    said: Saying,
  ): void {
    if (!this.#actionOpen) return;
    this.#actionOpen = false;
    this.#log(said, "replied", confirm ? undefined : reason);
    if (confirm) this.shown.status = this.#resume;
    else {
      this.#move(said, "held", reason ?? "not confirmed");
      this.#resume = "held";
    }
  }

  #answer(answers: Json, said: Saying): void {
    if (this.#questions.length === 0) return;
    const meant = isMap(answers)
      ? Object.keys(answers)
      : this.#questions
          .filter(({ asked_in }) => said.about === undefined || asked_in === said.about)
          .map(({ key }) => key);
    this.#questions = this.#questions.filter(({ key }) => !meant.includes(key));
    if (this.#questions.length > 0) return;
    this.#log(said, "replied");
    this.shown.status = this.#resume;
    this.#softClaim = undefined;
  }

  #judge(accept: boolean, said: Saying): void {
    const meant = this.#suggestions.find(
      ({ made_in }) => said.about === undefined || made_in === said.about,
    );
    if (!meant) return;
    this.#suggestions = this.#suggestions.filter(({ id }) => id !== meant.id);
    this.#yields = accept && this.shown.status !== "pending" && yields(meant, this.shown.executor);
    this.#log(said, accept ? "accepted" : "rejected", `suggestion ${meant.id}`);
  }
}
