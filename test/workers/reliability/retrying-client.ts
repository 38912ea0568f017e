/**
 * A correct client: every call has its own key or id and is repeated unchanged until it is answered. The answers are
 * recorded, and the stored threads are compared with them.
 */
import { env } from "cloudflare:workers";
import type { Principal } from "../../../src/auth/principal.ts";
import { postMessages, type RawMessage } from "../../../src/exchange/exchange.ts";
import { toCanonicalJson, type JsonMap } from "../../../src/mess/json.ts";
import type { Caller } from "../support.ts";
import { type Faults, isFault } from "./fault-injection.ts";

export interface Upload {
  key: string;
  caller: Caller;
  ref: string;
  bytes: Uint8Array;
}

export interface Sent {
  /** A file that is uploaded first; the message refers to it as FILE. */
  upload?: Upload;
  /** A marker in the text of each of the call's messages. */
  marker: string;
  principal: Principal;
  raw: RawMessage;
  /** The requests of the call; none for a message to a thread. */
  requests: number;
  /** The bytes of each of its files. */
  files: Uint8Array[];
  /** Positions of the first sending and of the first answer in the order of all calls. */
  sentAt?: number;
  answeredAt?: number;
  /** The answer: the refs of the acks, or the code of the refusal. */
  refs?: string[];
  ack?: string;
  refused?: string;
  /** An attempt was lost and may still arrive, when it would no longer be refused. */
  mayArriveLate?: true;
}

interface Answer {
  refs: string[];
  ack: string;
}

/** Threads that an ack or the message names. */
function answerOf(ack: JsonMap): Answer {
  const many = ack["requests"] as { ref: string }[] | undefined;
  const refs = many ? many.map(({ ref }) => ref) : [ack["ref"] as string];
  return { refs, ack: toCanonicalJson(ack) };
}

export class Client {
  readonly faults: Faults;
  /** All calls that were sent. */
  readonly sent: Sent[] = [];
  /** Violations of guarantees in the answers. */
  readonly violations: string[] = [];
  /** R2 keys that may exist without a reference until the cleanup. */
  readonly orphanKeys = new Set<string>();
  retries = 0;
  #order = 0;

  constructor(faults: Faults) {
    this.faults = faults;
  }

  /** Sends the calls concurrently; those without an answer can be sent again. */
  async send(...calls: Sent[]): Promise<void> {
    this.faults.takePut();
    const before = this.faults.injectedCounts.get("delete before") ?? 0;
    const { lostCallCount } = this.faults;
    let lost = false;
    await Promise.all(
      calls.map(async (call) => {
        if (!(await this.#send(call))) lost = true;
      }),
    );
    if (this.faults.lostCallCount > lostCallCount)
      for (const call of calls) call.mayArriveLate = true;
    const kept = (this.faults.injectedCounts.get("delete before") ?? 0) > before;
    const after = (this.faults.injectedCounts.get("delete after") ?? 0) > 0;
    if (lost || kept || after) for (const key of this.faults.takePut()) this.orphanKeys.add(key);
  }

  /** The calls with their results, for debugging. */
  get trace(): string {
    const lines = this.sent.map(({ principal, raw, sentAt, answeredAt, refs, refused }) => {
      const text = raw.text.replaceAll(/base64,[^"]+/g, "…").slice(0, 300);
      return `${sentAt}–${answeredAt} ${principal.actor} ${text} → ${refs?.join() ?? refused}`;
    });
    return lines.join("\n");
  }

  get unanswered(): Sent[] {
    return this.sent.filter(({ answeredAt }) => answeredAt === undefined);
  }

  /** Sends another message with the key of an answered call, which must be a conflict. */
  async sendOther({ principal, raw, marker }: Sent): Promise<void> {
    if (raw.key === undefined) return;
    const other = { ...raw, text: raw.text.replaceAll(marker, "something else") };
    const outcome = await postMessages(env, principal, other);
    const code = outcome.ok ? "an ack" : outcome.error.code;
    if (code !== "idempotency_conflict")
      this.violations.push(`another message with ${raw.key} got ${code}`);
  }

  /** Uploads the file of the message; returns its token once that is known. */
  async #upload({ key, caller, ref, bytes }: Upload): Promise<string | undefined> {
    const response = await caller.fetch(`/mess/${ref}/attachments`, {
      method: "POST",
      body: bytes,
      headers: { "Idempotency-Key": key, "Content-Type": "application/octet-stream" },
    });
    const body: { file?: string; error?: { code: string } } = await response.json();
    return body.error?.code === "internal" ? undefined : (body.file ?? "refused");
  }

  async #send(call: Sent): Promise<boolean> {
    if (call.sentAt === undefined) {
      call.sentAt = ++this.#order;
      this.sent.push(call);
    } else this.retries++;
    let outcome;
    try {
      const { upload } = call;
      if (upload) {
        const file = await this.#upload(upload);
        if (file === undefined) return false;
        call.raw.text = call.raw.text.replace("FILE", file);
      }
      outcome = await postMessages(env, call.principal, call.raw);
    } catch (error) {
      if (!isFault(error)) this.violations.push(`${call.marker} threw ${String(error)}`);
      return false;
    }
    const entry = outcome.ok ? outcome.value.entries[0] : undefined;
    if (outcome.ok && !(entry && "ack" in entry)) {
      this.violations.push(`${call.marker} was answered without an ack`);
      return true;
    }
    const answer = entry && "ack" in entry ? answerOf(entry.ack) : undefined;
    const refused = outcome.ok ? undefined : outcome.error.code;
    if (refused === "idempotency_conflict")
      this.violations.push(`${call.marker} was refused as a conflict with another message`);
    if (call.answeredAt === undefined) {
      call.answeredAt = ++this.#order;
      if (answer) Object.assign(call, answer);
      if (refused !== undefined) call.refused = refused;
    } else if (call.ack !== answer?.ack)
      this.violations.push(
        `${call.marker} was answered ${call.ack ?? call.refused}, and again ${answer?.ack ?? refused}`,
      );
    return true;
  }
}
