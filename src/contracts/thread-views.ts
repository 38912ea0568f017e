/** The views of a thread that callers read. Types only. */
import type { Attachment, Envelope, MessageDocument } from "../mess/envelope.ts";
import type { InlineFile } from "../mess/messe-af/resource-documents.ts";
import type { Status } from "../mess/status.ts";
import type { ActionPermission } from "../mess/thread/actions.ts";
import type { OpenItems } from "../mess/thread/state.ts";

/** The thread with all documents, or those after a cursor. */
export interface ThreadView {
  envelope: Envelope;
  messages: MessageDocument[];
  attachments: Attachment[];
  /** Cursor for reading or waiting for later documents. */
  cursor: number;
  /** Items that wait for the requestor. */
  open: OpenItems;
}

/** An earlier thread to which a request's context refers: its request and newest answers, or the part that is named. */
export interface EarlierThread {
  ref: string;
  /** The message or file to which the request refers; absent for the whole thread. */
  part?: string;
  intent: string;
  status: Status;
  /** With files as `content://` resources. */
  messages: MessageDocument[];
  /** The files of these messages. */
  attachments: Omit<Attachment, "key">[];
}

export interface EarlierThreadWithFiles {
  thread: EarlierThread;
  files: (Attachment | InlineFile)[];
}

/** The thread with files as `content://` resources. */
export interface ResourceView extends Omit<ThreadView, "attachments"> {
  attachments: Omit<Attachment, "key">[];
}

/** A range of documents by serial, both ends included. */
export interface DocumentRange {
  from: number;
  to: number;
}

/** Documents as text: items of a JSON list, or YAML documents with separators between them. */
export interface DocumentText {
  text: string;
  /** The documents that follow in the range, where the text would be too long for one call. */
  rest?: DocumentRange;
}

/** The documents to read. */
export interface ThreadPage {
  /** Only documents after this cursor. */
  after?: number | undefined;
  /** About how many messages; documents of one change stay together. Default: all. */
  limit?: number | undefined;
}

/** The thread with its documents as text. */
export interface ThreadText extends Omit<ThreadView, "messages" | "open">, DocumentText {
  /** More documents follow on the next page, after `cursor`. */
  more: boolean;
}

/** The thread with the actions that the viewer may take now. */
export interface ThreadWithActions extends ThreadView {
  may: ActionPermission[];
  /** What the request of a message source asks an owner: whether to send a draft, or only to have read a message. */
  decision?: "send" | "read";
}
