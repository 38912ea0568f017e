/** Types shared by the modules of the page; ambient, nothing exists at run time. */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonMap = { [key: string]: Json };

interface HistoryRow {
  action: string;
  at: string;
  by: string;
  ref?: string;
  note?: string;
}

interface Envelope {
  ref: string;
  requestor: string;
  executor: string | null;
  status: string;
  created: string;
  updated: string;
  expires?: string;
  intent: string;
  priority: string;
  blocked_by?: string[];
  superseded_by?: string;
  delegated_to?: string;
  history: HistoryRow[];
}

interface MessageDocument {
  from: string;
  received: string;
  channel?: string;
  re?: string;
  MESS: JsonMap[];
}

interface AttachmentInfo {
  name: string;
  mime: string;
  size: number;
  url: string;
  original?: string;
}

/** An earlier thread to which the request refers. */
interface EarlierThread {
  ref: string;
  /** The message or file to which it refers; absent for the whole thread. */
  part?: string;
  intent: string;
  status: string;
  messages: MessageDocument[];
  attachments: AttachmentInfo[];
}

interface ActionPermission {
  action: string;
  allowed: boolean;
  /** A code, which the page translates, and the server's message. */
  reason?: string;
  message?: string;
}

/** Identifies a thread; two households in one browser may use the same ref. */
interface Where {
  ref: string;
  /** Name of the session; empty if not known yet. */
  session: string;
}

/** `GET /respond/state` */
interface ThreadState {
  envelope: Envelope;
  messages: MessageDocument[];
  attachments: AttachmentInfo[];
  earlier?: EarlierThread[];
  me: { executor: string; permissions: string[] };
  may: ActionPermission[];
  /** A message source asks an owner: whether to send a draft, or only to have read a message. */
  decision?: "send" | "read";
  members: { id: string; name?: string }[];
  /** Display names of the participants, by id. */
  names?: Record<string, string>;
  /** Short descriptions of the capabilities that the request requires, by id. */
  capabilities?: Record<string, string>;
  cursor: number;
  session?: string;
}

/** A thread state in the device's storage. */
interface StoredState {
  state: ThreadState;
  /** Milliseconds since 1970, by the device's clock. */
  at: number;
}

type MediaKind = "image" | "audio" | "video" | "file";

/** A file to send with an answer; its bytes stay on the device until then. */
interface LocalFile {
  id: string;
  kind: MediaKind;
  name: string;
  mime: string;
  size: number;
  blob: Blob;
  /** Key of the form field that asked for it. */
  field?: string;
  /** Upload token, once the bytes are stored. */
  token?: string;
  /** Id of a started multipart upload. */
  upload?: string;
}

/** Quarter turns clockwise, then the part of the turned photo, in fractions of its sides. */
interface PhotoEdit {
  turns: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Place {
  lat?: number;
  lng?: number;
  accuracy?: number;
  name?: string;
}

/** Contents of the answer form. */
interface Answer {
  text: string;
  notes: string;
  files: LocalFile[];
  place?: Place;
  /** Values that the request asks for, by key. */
  values: { [key: string]: Json };
}

type QueueState = "held" | "queued" | "sending" | "sent" | "conflict" | "blocked";

/** An action of the person in the send queue. */
interface QueueItem {
  id: string;
  where: Where;
  act: string;
  state: QueueState;
  created: number;
  /** End of the undo delay, in milliseconds since 1970. */
  hold_until: number;
  /** The message blocks; a file is named `local:{id}` until it is uploaded. */
  blocks: JsonMap[];
  files: LocalFile[];
  /** Error of the last attempt. */
  error?: {
    code: string;
    message: string;
    hint?: string;
    status?: string;
    /** When a refused item is sent again, in milliseconds since 1970, if the exchange asked to wait. */
    retry_at?: number;
  };
  sent_at?: number;
  /** The answer, to restore it on undo. */
  answer?: Answer;
}

interface FieldSpec {
  key: string;
  /** Empty if the page provides the label. */
  label: string;
  type:
    | "choice"
    | "choices"
    | "boolean"
    | "number"
    | "integer"
    | "rating"
    | "date"
    | "time"
    | "datetime"
    | "email"
    | "url"
    | "photo"
    | "list"
    | "group"
    | "text";
  required?: boolean;
  default?: Json;
  hint?: string;
  options?: string[];
  /** Values of the options, where they differ from their names. */
  values?: Json[];
  /** The person may type an option of their own. */
  other?: boolean;
  /** Fields of a group, or of each entry of a list of groups. */
  fields?: FieldSpec[];
  /** The entries of a list; `min` and `max` then count them. */
  items?: FieldSpec;
  /** Bounds of a text's length. */
  minLength?: number;
  maxLength?: number;
  min?: number;
  max?: number;
  /** Sent as a `confirmation` entry instead of in `structured`. */
  confirmation?: boolean;
}

/** The fields and entries that the request asks for in an answer. */
interface AnswerSpec {
  fields: FieldSpec[];
  /** Kinds of entries the request asks for, with their labels. */
  kinds: { kind: string; label: string }[];
  /** The answer that the requestor proposes. */
  draft?: import("./answer/draft.js").Draft | undefined;
}

interface Prefs {
  lang: string;
  theme: "auto" | "light" | "dark";
  size: "normal" | "large" | "larger";
  camera: "environment" | "user";
  /** Target size of photos in bytes; 0 sends them unchanged. */
  photo: number;
  keepLocation: boolean;
  /** Preferred container of voice recordings; another one where the browser cannot record it. */
  audioFormat: "webm" | "mp4";
  /** Id of the household that the console showed last; empty before. */
  household: string;
}

type Trusted = { createScriptURL(url: string): string };
interface Window {
  trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): Trusted;
  };
  DOMPurify?: {
    sanitize(html: string, options: object): DocumentFragment;
    addHook(name: string, hook: (node: Element) => void): void;
  };
}
interface WindowEventMap {
  "mess:retry": Event;
}

declare module "*/vendor/marked.js" {
  export class Marked {
    constructor(options: {
      gfm: boolean;
      breaks: boolean;
      renderer: { html(token: { text: string }): string };
    });
    parse(text: string, options: { async: false }): string;
  }
}
declare module "*/vendor/dompurify.js" {}
declare module "*/vendor/respond-shell.js" {
  export const SHELL: { version: string; files: string[] };
}
