/** Builds a change of a thread: the new state with its history rows, documents, notices and effects. */
import { defined } from "../defined.ts";
import type { HistoryEntry, MessageDocument } from "../envelope.ts";
import type { JsonMap } from "../json.ts";
import { messageToMess } from "../wire/message.ts";
import { getMessageKind, buildMessageName, findSenderId } from "../refs.ts";
import type { Block, Message } from "../wire/schema.ts";
import { raiseVersion } from "../wire/versions.ts";
import type { Status } from "../status.ts";
import { writeTime } from "../times.ts";
import type { Effect } from "./suggestions/effects.ts";
import type { ThreadNotice } from "./thread-notices.ts";
import { EXCHANGE } from "./policy.ts";
import type { ThreadState } from "./state.ts";
import { EXCHANGE_TRANSITIONS } from "./transitions.ts";

/** A document as the thread stores it: a message and the acks that confirm it (decision 14). */
export interface StoredDocument {
  /** `response-002-inventory`; absent for the request (decision 10). */
  name?: string;
  serial: number;
  document: MessageDocument;
  /** The exchange's acks of it, as documents; empty for messages of the exchange. */
  acks: MessageDocument[];
}

export interface Change {
  state: ThreadState;
  history: HistoryEntry[];
  documents: StoredDocument[];
  /** Notices to send; not stored in the thread's log. */
  notices: ThreadNotice[];
  /** Effects that the household carries out outside of the thread; absent where there are none. */
  effects?: Effect[];
}

export class ThreadDraft {
  readonly state: ThreadState;
  readonly history: HistoryEntry[] = [];
  readonly documents: StoredDocument[] = [];
  readonly notices: ThreadNotice[] = [];
  readonly effects: Effect[] = [];
  readonly now: number;
  #time: string | undefined;

  /** @param state changed in place: pass a copy */
  constructor(state: ThreadState, now: number) {
    this.state = state;
    this.now = now;
    state.updated = now;
  }

  get time(): string {
    return (this.#time ??= writeTime(this.now, this.state.zone));
  }

  /** Logs an action; `name` is the message that caused it. */
  log(action: string, by: string, name?: string, note?: string): void {
    this.history.push({
      action,
      at: this.time,
      by,
      ...(name === undefined ? {} : { ref: `${this.state.ref}/${name}` }),
      ...(note === undefined || note === "" ? {} : { note: note.slice(0, 300) }),
    });
  }

  /** Changes the status and logs it; does nothing where the status is the same. */
  move(status: Status, by: string, name?: string, note?: string): void {
    if (this.state.status === status) return;
    this.state.status = status;
    this.log(status, by, name, note);
  }

  /** Adds a notice to send after the commit. Without recipients it is dropped, except for an alert. */
  notify(
    kind: ThreadNotice["kind"],
    to: string[],
    note?: string,
    more: Pick<ThreadNotice, "again" | "about"> = {},
  ): void {
    if (kind !== "alert" && to.length === 0) return;
    this.notices.push({ kind, to, ...defined({ note }), ...more });
  }

  buildAck(ack: JsonMap): MessageDocument {
    return { from: EXCHANGE, received: this.time, MESS: [{ ack }] };
  }

  /** Stores a sender's message under the next serial, with its ack. */
  storeMessage(
    from: string,
    channel: string,
    message: Message,
    about: string | undefined,
  ): StoredDocument {
    const { ref } = this.state;
    const id = findSenderId(message.blocks);
    const serial = ++this.state.serial;
    const name = buildMessageName(getMessageKind(message.blocks), serial, id);
    const { message: versioned, warning } = raiseVersion(message);
    const stored: StoredDocument = {
      name,
      serial,
      document: {
        from,
        received: this.time,
        channel,
        re: about === undefined ? ref : `${ref}/${about}`,
        MESS: messageToMess(versioned),
      },
      acks: [
        this.buildAck({
          ...defined({ re: id }),
          ref: `${ref}/${name}`,
          received_at: this.time,
          ...(warning === undefined ? {} : { warnings: [warning] }),
        }),
      ],
    };
    this.documents.push(stored);
    this.state.documents++;
    this.state.size += JSON.stringify(stored.document.MESS).length;
    return stored;
  }

  /**
   * Changes the status by the exchange, with a message, so that the messages alone show the course of the thread.
   * Returns false and does nothing where `EXCHANGE_TRANSITIONS` does not allow the change.
   */
  moveByExchange(code: Status, message: string, fields: JsonMap = {}): boolean {
    const { state } = this;
    if (!EXCHANGE_TRANSITIONS[state.status].includes(code)) return false;
    const body = { code, message, ...fields };
    const name = this.storeExchangeMessage("status", { type: "status", body } as unknown as Block);
    this.move(code, EXCHANGE, name, message);
    return true;
  }

  /** Stores a message of the exchange under the next serial and returns its name. */
  storeExchangeMessage(kind: "status" | "followup", block: Block): string {
    const { state } = this;
    const serial = ++state.serial;
    const name = buildMessageName(kind, serial);
    this.documents.push({
      name,
      serial,
      document: {
        from: EXCHANGE,
        received: this.time,
        re: state.ref,
        MESS: messageToMess(raiseVersion({ blocks: [block] }).message),
      },
      acks: [],
    });
    state.documents++;
    return name;
  }

  get change(): Change {
    const { state, history, documents, notices, effects } = this;
    return { state, history, documents, notices, ...(effects.length > 0 ? { effects } : {}) };
  }
}
