/** Clients that append to threads as fast as the exchange responds, and record what was acknowledged. */
import { randomBytes, randomUUID } from "node:crypto";
import type { ReadyFile } from "../../scripts/lib/exchange/exchange.ts";
import type { AcknowledgedText, StoredText, SentText } from "./acknowledged-messages.ts";
import { sealText } from "./acknowledged-messages.ts";

export interface Attached {
  ref: string;
  bytes: Uint8Array;
}

/** A call without a response, so it is unknown whether it took effect. */
export interface Unanswered extends SentText {
  key: string;
  body: string;
  bytes: Uint8Array | undefined;
}

/** The calls and acknowledgements of all writers of a test. */
export class WriterLog {
  readonly sent = new Map<string, Set<string>>();
  readonly acked = new Map<string, AcknowledgedText[]>();
  readonly attached: Attached[] = [];
  unanswered: Unanswered[] = [];
  #number = 0;

  get acks(): number {
    return [...this.acked.values()].reduce((sum, list) => sum + list.length, 0);
  }

  /** A new message of the writer; with `withFile`, it has a file that is too large to stay inline. */
  write(thread: string, writer: string, withFile: boolean): Unanswered {
    const text = sealText(writer, ++this.#number, randomBytes(300).toString("hex"));
    const bytes = withFile ? new Uint8Array(randomBytes(6_000)) : undefined;
    const file = bytes
      ? [{ file: `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}` }]
      : [];
    const body = JSON.stringify({
      MESS: [{ followup: { re: thread, message: text, context: file } }],
    });
    getSet(this.sent, thread).add(text);
    return { thread, text, key: randomUUID(), body, bytes };
  }

  note({ thread, text, bytes }: Unanswered, ref: string): void {
    const list = this.acked.get(thread) ?? [];
    this.acked.set(thread, list);
    list.push({ thread, text, ref });
    if (bytes) this.attached.push({ ref, bytes });
  }
}

function getSet(map: Map<string, Set<string>>, key: string): Set<string> {
  const set = map.get(key) ?? new Set();
  map.set(key, set);
  return set;
}

/** Sends the call. Returns the message's ref if it was acknowledged, and undefined if no response came. */
export async function send(
  { origin, keys }: ReadyFile,
  call: Unanswered,
): Promise<string | undefined> {
  const response = await fetch(`${origin}/mess`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${keys.agent}`,
      "Content-Type": "application/json",
      "Idempotency-Key": call.key,
    },
    body: call.body,
  }).catch(() => undefined);
  if (!response?.ok) {
    const text = await response?.text().catch(() => "");
    if (response && response.status < 500) throw new Error(`refused: ${response.status} ${text}`);
    return undefined;
  }
  const read = (await response.json().catch(() => undefined)) as Answer | undefined;
  return read?.MESS[0]?.ack.ref;
}

interface Answer {
  MESS: { ack: { ref: string } }[];
}

/** Appends to the thread until a call gets no response, and records that call as unanswered. */
export async function appendUntilCut(
  ready: ReadyFile,
  book: WriterLog,
  thread: string,
  writer: string,
  withFile = false,
): Promise<void> {
  for (;;) {
    const call = book.write(thread, writer, withFile);
    const ref = await send(ready, call);
    if (ref === undefined) {
      book.unanswered.push(call);
      return;
    }
    book.note(call, ref);
  }
}

interface ThreadDocuments {
  messages: { from: string; MESS: Record<string, { message?: string; ref?: string }>[] }[];
  attachments: { name: string; url: string }[];
}

/** The thread's followups in order, each with the ref in its ack. */
export async function readStored(
  { origin, keys }: ReadyFile,
  thread: string,
): Promise<StoredText[]> {
  const { messages } = await readThread(origin, keys.agent, thread);
  const kept: StoredText[] = [];
  for (const [index, { MESS }] of messages.entries()) {
    const text = MESS[0]?.["followup"]?.message;
    if (text === undefined) continue;
    kept.push({ text, ref: messages[index + 1]?.MESS[0]?.["ack"]?.ref ?? "no ack" });
  }
  return kept;
}

/** The bytes of the message's file; undefined if there is none. */
export async function readAttachment(
  { origin, keys }: ReadyFile,
  ref: string,
): Promise<Uint8Array | undefined> {
  const [thread = "", message = ""] = ref.split("/");
  const serial = /-(\d{3,})/.exec(message)?.[1];
  const { attachments } = await readThread(origin, keys.agent, thread);
  const found = attachments.find(({ name }) => name.startsWith(`att-${serial}-`));
  if (!found) return undefined;
  const headers = { Authorization: `Bearer ${keys.agent}` };
  const response = await fetch(`${origin}${found.url}`, { headers });
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
}

async function readThread(origin: string, key: string, thread: string): Promise<ThreadDocuments> {
  const headers = { Authorization: `Bearer ${key}`, Accept: "application/json" };
  const response = await fetch(`${origin}/mess/${thread}`, { headers });
  if (!response.ok) throw new Error(`${thread} cannot be read: ${response.status}`);
  return (await response.json()) as ThreadDocuments;
}
