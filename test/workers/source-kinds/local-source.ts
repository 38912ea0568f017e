/** A source whose provider is a local server or stand-in, with the interface that the contract tests use. */
import { env } from "cloudflare:workers";
import { hashSha256 } from "../../../src/auth/hash.ts";
import type { SourceMessageSummary, SourceMessageView } from "../../../src/contracts/sources.ts";
import { createEgress } from "../../../src/egress/egress-fetch.ts";
import type { SourceKindName } from "../../../src/mess/sources/vocabulary.ts";
import { findSourceKind } from "../../../src/source-kinds/registry.ts";
import type { OutgoingMessage, SourceSendResult } from "../../../src/source-kinds/source-kind.ts";
import { getHouseholdStub, getSourceStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";
import { expectOkJson, ORIGIN, type TestHousehold } from "../support.ts";

/** A message as its provider delivers it. */
export interface Delivery {
  /** The same in a repeated delivery. */
  id: string;
  subject: string;
  text: string;
  file?: { name: string; mime: string; bytes: Uint8Array };
}

/** A message as it arrived at the provider. */
export interface SentMessage {
  subject?: string;
  text: string;
  files: { name: string; bytes: Uint8Array }[];
}

/** What stands for the provider of a kind. */
export interface LocalProvider {
  settings: Record<string, unknown>;
  /** Settings of the household's channels, where the source uses one of them. */
  dispatch?: Record<string, object>;
  /** To whom the source sends; a mail address by default. */
  to?: string;
  /** False where messages have no subject: deliveries have it in the first line of the text. */
  hasSubject?: boolean;
  /** False where the raw message has another spelling of its texts. */
  hasPlainRaw?: boolean;
  /** False where the kind sends text only. */
  sendsFiles?: boolean;
  /** Settings that the kind refuses, with the path of the wrong one. */
  invalid: { settings: Record<string, unknown>; path: string };
  /** Texts that no error may contain. */
  secrets: readonly string[];
  /** Delivers to the exchange; resolves with false if the exchange refused it, or did not ask for it. */
  deliver: (message: Delivery, source: LocalSource) => Promise<boolean>;
  /** False where a delivery has no files. */
  hasFiles: boolean;
  /** Resolves after the first poll; without it, one could still run when the test has ended. */
  waitForPoll?: () => Promise<void>;
  /** What the provider got from the exchange; absent where the kind cannot send. */
  listSent?: () => SentMessage[] | Promise<SentMessage[]>;
  bindings?: () => Partial<Env>;
  /** The next messages are refused for now; returns the seconds to wait. */
  throttle?: () => number | Promise<number>;
  /** From now on messages are refused for good. */
  refuse?: () => void | Promise<void>;
  /** The provider takes the next message, but the connection ends before its answer. */
  breakConnection?: () => void | Promise<void>;
  /** The provider counts a repeated message once. */
  knowsRepeated?: boolean;
}

export class LocalSource {
  readonly home: TestHousehold;
  readonly kind: SourceKindName;
  readonly name: string;
  readonly provider: LocalProvider;

  constructor(home: TestHousehold, kind: SourceKindName, name: string, provider: LocalProvider) {
    this.home = home;
    this.kind = kind;
    this.name = name;
    this.provider = provider;
  }

  configure = (settings: object): Promise<Response> =>
    this.home.owner.postBlocks({
      config: { sources: { [this.name]: { kind: this.kind, ...settings } } },
    });

  deliver = (message: Delivery): Promise<boolean> => this.provider.deliver(message, this);

  async connect(): Promise<this> {
    const { dispatch, settings } = this.provider;
    if (dispatch) await expectOkJson(await this.home.owner.postBlocks({ config: { dispatch } }));
    await expectOkJson(await this.configure(settings));
    return this;
  }

  /** The owner disconnects the source. */
  async disconnect(): Promise<void> {
    const { id } = this.home;
    const rpc = getHouseholdStub(env, id);
    const key_hash = await hashSha256(crypto.randomUUID());
    const added = unwrap(await rpc.identity.addKey({ actor: "olga", role: "owner", key_hash }));
    const credential = `key:${added.id}` as const;
    const olga = { household: id, actor: "olga", role: "owner", credential } as const;
    unwrap(await rpc.sources.setStatus(olga, this.name, "disconnected"));
  }

  async list(): Promise<SourceMessageSummary[]> {
    const { messages } = getSourceStub(env, this.home.id, this.name);
    return unwrap(await messages.list({ limit: 100 })).messages;
  }

  async read(id: string): Promise<SourceMessageView> {
    return unwrap(await getSourceStub(env, this.home.id, this.name).messages.read(id));
  }

  async readOnly(): Promise<SourceMessageView> {
    const messages = await this.list();
    if (messages.length !== 1) throw new Error(`${messages.length} messages instead of one`);
    return await this.read(messages[0]!.id);
  }

  /** The stored bytes of an attachment or of the raw message. */
  async readBytes(id: string, part: "raw" | number): Promise<Uint8Array> {
    const { messages } = getSourceStub(env, this.home.id, this.name);
    const { key } = unwrap(await messages.locate(id, part));
    const stored = await env.BLOBS.get(key);
    return new Uint8Array(await stored!.arrayBuffer());
  }

  countBlobs = async (): Promise<number> =>
    (await env.BLOBS.list({ prefix: `${this.home.id}/` })).objects.length;

  /** Makes one attempt of sending. */
  async send(message: Partial<OutgoingMessage> = {}): Promise<SourceSendResult> {
    const kind = findSourceKind(this.kind)!;
    return await kind.send!(
      {
        household: this.home.id,
        source: this.name,
        settings: kind.settings.parse(
          this.provider.dispatch?.[kind.channel ?? ""] ?? this.provider.settings,
        ),
        egress: createEgress({ loopback: true, origin: ORIGIN }),
        env: { ...env, ...this.provider.bindings?.() },
        now: Date.now(),
      },
      {
        key: "d_0123456789ab1.1",
        to: [this.provider.to ?? "ann@elsewhere.example"],
        body: "Tuesday suits us.",
        attachments: [],
        ...message,
      },
    );
  }
}
