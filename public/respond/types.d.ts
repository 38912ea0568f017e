/** What the page's modules hand to one another. Ambient: nothing here exists at run time. */

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

interface May {
  action: string;
  allowed: boolean;
  /** A code, which the page has words for, and the exchange's own words. */
  reason?: string;
  message?: string;
}

/** Which thread: its ref alone may stand for threads of two households in one browser. */
interface Where {
  ref: string;
  /** As the exchange told it; empty where it is not known. */
  session: string;
}

/** `GET /respond/state` */
interface ThreadState {
  envelope: Envelope;
  messages: MessageDocument[];
  attachments: AttachmentInfo[];
  me: { executor: string; permissions: string[] };
  may: May[];
  members: { id: string; name?: string }[];
  /** What people call those who had a part in it. */
  names?: Record<string, string>;
  cursor: number;
  session?: string;
}

/** What the page last knew of a thread, as the device keeps it. */
interface StoredState {
  state: ThreadState;
  /** Milliseconds since 1970, by the device. */
  at: number;
}

type MediaKind = "image" | "audio" | "video" | "file";

/** A file that the person adds; its bytes stay on the device until it is sent. */
interface LocalFile {
  id: string;
  kind: MediaKind;
  name: string;
  mime: string;
  size: number;
  blob: Blob;
  /** The token that the exchange gave for the bytes. */
  token?: string;
  /** An upload in pieces that has begun. */
  upload?: string;
}

interface Place {
  lat?: number;
  lng?: number;
  accuracy?: number;
  name?: string;
}

/** What stands in the answer's form. */
interface Answer {
  text: string;
  notes: string;
  files: LocalFile[];
  place?: Place;
  /** Values of the form that the request asks for, by key. */
  values: { [key: string]: Json };
}

type QueueState = "held" | "queued" | "sending" | "sent" | "conflict" | "blocked";

/** Something that the person said and that waits to be sent, once. */
interface QueueItem {
  id: string;
  where: Where;
  act: string;
  state: QueueState;
  created: number;
  /** Milliseconds since 1970: before this it may still be taken back. */
  hold_until: number;
  /** The payloads; a file is named `local:{id}` until its bytes are stored. */
  blocks: JsonMap[];
  files: LocalFile[];
  /** What came of it last, where it was not sent. */
  error?: { code: string; message: string; hint?: string; status?: string };
  sent_at?: number;
  /** The answer as it stood, so that it can be taken back. */
  answer?: Answer;
}

interface FieldSpec {
  key: string;
  /** Empty where the page names the field itself. */
  label: string;
  type: "choice" | "choices" | "boolean" | "number" | "date" | "text";
  options?: string[];
  min?: number;
  max?: number;
  /** The answer carries it as `confirmation` rather than in `structured`. */
  confirmation?: boolean;
}

/** What the request wants back. */
interface AnswerSpec {
  fields: FieldSpec[];
  /** Kinds of entries that are asked for, with what was said of each. */
  kinds: { kind: string; label: string }[];
}

interface Prefs {
  lang: string;
  theme: "auto" | "light" | "dark";
  size: "normal" | "large" | "larger";
  camera: "environment" | "user";
  /** Bytes that a photo is brought to; 0 sends it as it is. */
  photo: number;
  keepLocation: boolean;
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
