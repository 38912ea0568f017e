/**
 * The calls of a crash schedule's clients: single requests and batches, texts, statuses, answers, with and without
 * files. Many of them are refused because of the thread's state or the sender's role.
 */
import { type Random } from "../../support/generators/random.ts";
import type { RawMessage } from "../../../src/exchange/exchange.ts";
import type { Sent } from "./retrying-client.ts";
import type { ReliabilityHousehold } from "./reliability-household.ts";

/** Larger than data that stays inline. */
const FILE_BYTES = 3_300;

const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** The files of a message: its entries, and the bytes that are sent along. */
interface Files {
  context: object[];
  files: Uint8Array[];
  raw: Partial<RawMessage>;
}

interface More extends Pick<Sent, "marker" | "upload"> {
  key: boolean;
  requests?: number;
  files?: Uint8Array[];
  raw?: Partial<RawMessage>;
}

export class ScheduleCalls {
  readonly #home: ReliabilityHousehold;
  readonly #random: Random;
  readonly #seed: number;
  readonly #keys = new Map<string, number>();
  #made = 0;

  constructor(home: ReliabilityHousehold, seed: number, random: Random) {
    this.#home = home;
    this.#seed = seed;
    this.#random = random;
  }

  #call(actor: string, blocks: object[], { key, raw, ...more }: More): Sent {
    return {
      requests: 0,
      files: [],
      ...more,
      principal: this.#home.as(actor),
      raw: {
        text: JSON.stringify({ MESS: blocks }),
        channel: "http",
        ...(key ? { key: this.#key(actor) } : {}),
        ...raw,
      },
    };
  }

  /** New for this actor; other actors use the same id. */
  #key(actor: string): string {
    const used = (this.#keys.get(actor) ?? 0) + 1;
    this.#keys.set(actor, used);
    return `key-${this.#seed}-${used}`;
  }

  /** A text that no other message has. */
  #marker(): string {
    return `<${this.#seed}.${++this.#made}>`;
  }

  /** One request, or two or three of which the later ones depend on the first. */
  request(): Sent {
    const marker = this.#marker();
    const actor = this.#one(["scout", "sage", "olga"]);
    const count = this.#chance(0.25) ? this.#random.pickBetween(2, 3) : 1;
    const named = this.#chance(0.7);
    const { context, files, raw } = this.#files(0.4);
    const createId = (at: number) => `job-${this.#seed}-${this.#made}-${at}`;
    const depends = named && this.#chance(0.7);
    const blocks = Array.from({ length: count }, (_, at) => ({
      request: {
        intent: `do it ${marker}${at}`,
        requires: ["look"],
        ...(named ? { id: createId(at) } : {}),
        ...(at === 0 && context.length > 0 ? { context } : {}),
        ...(at > 0 && depends ? { constraints: { depends_on: [createId(0)] } } : {}),
      },
    }));
    const call = { marker, requests: count, files, raw, key: !named || this.#chance(0.4) };
    return this.#call(actor, blocks, call);
  }

  /** A message of a member to one of the threads. */
  message(threads: readonly string[], sent: readonly Sent[]): Sent {
    const marker = this.#marker();
    const re = this.#one(threads);
    const { context, files, raw } = this.#files(0.35);
    const actor = this.#one(["scout", "sage", "olga", "ann", "ann", "robo"]);
    const executor = actor === "ann" || actor === "robo";
    if (this.#chance(0.15)) return this.#uploaded(marker, actor, re);
    const asked = sent.some(
      ({ requests, refs, principal }) => requests > 0 && refs && principal.actor === actor,
    );
    const last = asked && this.#chance(0.3);
    const brought = context.length > 0 ? { context } : {};
    const to = last ? "last" : re;
    const followup = { followup: { re: to, message: `note ${marker}`, ...brought } };
    const block = executor
      ? this.#one([
          followup,
          { status: { re, code: "claimed", message: marker } },
          { status: { re, code: "in_progress", message: marker } },
          {
            status: {
              re,
              code: "needs_input",
              message: marker,
              questions: [{ id: "which", question: `which? ${marker}` }],
            },
          },
          { status: { re, code: "failed", recoverable: this.#chance(0.5), message: marker } },
          { status: { re, code: "declined", message: marker } },
          { status: { re, code: "completed", message: marker } },
          { response: { re, content: [`done ${marker}`, ...context] } },
        ])
      : this.#one([
          followup,
          followup,
          { reply: { re: to, answers: { which: `this ${marker}` } } },
          { cancel: { re: to, reason: marker } },
          { status: { re: to, code: "completed", message: marker } },
        ]);
    const names =
      JSON.stringify(block).includes("data:") || JSON.stringify(block).includes("f.bin");
    const brings = names ? { files, raw } : {};
    return this.#call(actor, [block], { marker, key: true, ...brings });
  }

  /** The end of the thread, by a member that may complete it. */
  completion(re: string): Sent {
    const marker = this.#marker();
    const status = { re, code: "completed", message: marker };
    return this.#call("ann", [{ status }], { marker, key: true });
  }

  /** A message with a file that was uploaded before. */
  #uploaded(marker: string, actor: string, re: string): Sent {
    const bytes = Uint8Array.from({ length: 700 }, () => this.#random.pickBetween(0, 255));
    const block = { followup: { re, message: marker, context: [{ file: { file: "FILE" } }] } };
    const caller = this.#home.callers[actor]!;
    const upload = { key: `up-${marker}`, caller, ref: re, bytes };
    return this.#call(actor, [block], {
      marker,
      key: true,
      files: [bytes],
      upload,
    });
  }

  /** A file in the message, one beside it, or one that the message names but that is missing. */
  #files(chance: number): Files {
    if (!this.#chance(chance)) return { context: [], files: [], raw: {} };
    const bytes = Uint8Array.from({ length: FILE_BYTES }, () => this.#random.pickBetween(0, 255));
    const inline = { file: `data:application/octet-stream;base64,${encodeBase64(bytes)}` };
    switch (this.#random.pickBetween(0, 3)) {
      case 0: {
        const body = bytes.slice(0, 900);
        const sent = { name: "f.bin", mime: "application/octet-stream", size: 900, body };
        return { context: [{ file: { file: "f.bin" } }], files: [body], raw: { files: [sent] } };
      }
      case 1:
        return { context: [inline, { file: { file: "never-came.bin" } }], files: [bytes], raw: {} };
      default:
        return { context: [inline], files: [bytes], raw: {} };
    }
  }

  #chance(of: number): boolean {
    return this.#random.next() < of;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random.pickBetween(0, list.length - 1)]!;
  }
}
