/** A source's object whose household, classifier and provider are played by the test, and survive its crashes. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Principal } from "../../../../src/auth/principal.ts";
import type { SourceRpc } from "../../../../src/contracts/sources.ts";
import type { SourceSendResult } from "../../../../src/source-kinds/source-kind.ts";
import { webhookKind } from "../../../../src/source-kinds/webhook/webhook.ts";
import { getSourceStub } from "../../../../src/stubs.ts";
import { createScriptedClassifier } from "../../../support/channels/classifier.ts";
import { buildFakeWebhookSecret } from "../../household/support.ts";
import { reachOutside } from "../../ingress/local-services.ts";
import { buildIncoming, TestSource } from "../../sources/support.ts";
import { advanceClock } from "../reliability-household.ts";

const MODEL = "https://model.test";
const SETTINGS = { secret: buildFakeWebhookSecret("hook"), url: "https://receiver.test/hook" };

/** The world outside of the sources of a test. */
export class Outside {
  isModelDown = false;
  /** Keys of the messages that the provider got, in the order of the calls. */
  readonly sent: string[] = [];
  /** Ids of the messages about which the household was notified. */
  readonly notices: string[] = [];
  readonly model = createScriptedClassifier({
    apiKey: "sk",
    answer: () =>
      this.isModelDown
        ? new Response("later", { status: 503 })
        : "TIER: DECLINE\nREASON: A sales call.\nDRAFT: No, thank you.",
  });

  /** @param detectsRepeats whether the provider recognizes the key of a repeated message */
  install(detectsRepeats: boolean): this {
    reachOutside({ [MODEL]: this.model.handle });
    Object.assign(webhookKind, { detectsRepeats });
    vi.spyOn(webhookKind, "send").mockImplementation((_context, { key }) => {
      this.sent.push(key);
      const result: SourceSendResult = { ok: true, external_id: key };
      return Promise.resolve(result);
    });
    const record = { kind: "webhook", status: "connected" };
    const facet: Record<string, (...given: never[]) => unknown> = {
      getClassification: () => ({
        rules: [],
        policy: { version: 1, text: "Sort.", author: "exchange", created: "2026-01-01T00:00:00Z" },
        examples: [],
        classifier: { kind: "openai", url: `${MODEL}/v1`, model: "small", api_key: "sk" },
        zone: "UTC",
      }),
      postNotice: ({ message }: { message: string }) => void this.notices.push(message),
      isSuspended: () => false,
      openSettings: () => ({ record, settings: SETTINGS, routes: ["here"] }),
    };
    vi.spyOn(env.HOUSEHOLDS, "getByName").mockReturnValue({
      callFacet: (_facet: string, method: string, args: never[]) =>
        Promise.resolve(facet[method]!(...args)),
    } as never);
    return this;
  }
}

export class CrashSource {
  readonly #source = new TestSource();

  static async create(): Promise<CrashSource> {
    const created = new CrashSource();
    await created.rpc.sync({ ...created.#source.record, kind: "webhook" });
    return created;
  }

  /** A new stub each time, since a stub breaks when its object crashes. */
  get rpc(): SourceRpc {
    return getSourceStub(env, this.#source.household, this.#source.name);
  }

  get person(): Principal {
    const { household } = this.#source;
    return { household, actor: "olga", role: "owner", credential: "session:1", verified: true };
  }

  /** The sender repeats a message until it is answered. */
  receive = (n = 1) => this.rpc.messages.receive([buildIncoming(n)]);

  /** Lets the time pass, and runs what is due. */
  async pass(milliseconds: number): Promise<void> {
    advanceClock(milliseconds);
    const object = env.SOURCES.getByName(`${this.#source.household}/${this.#source.name}`);
    await runInDurableObject(object, async (instance) => {
      await (instance as unknown as { alarm: () => Promise<void> }).alarm();
    });
  }
}
