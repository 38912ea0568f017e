/**
 * The Durable Object of one message source: the record of its messages, their classification, drafts and what was sent.
 * The household decides which sources there are. Each facet implements one interface of the RPC surface.
 */
import { DurableObject } from "cloudflare:workers";
import type {
  PostForSource,
  SourceFacets,
  SourceObjectRpc,
  SourceRecord,
  SourceRequestChange,
} from "../contracts/sources.ts";
import { callFacet } from "../object/call-facet.ts";
import { MessagesFacet } from "./messages/messages-facet.ts";
import { OutboxFacet } from "./outbox/outbox-facet.ts";
import { takeRequestChange } from "./outbox/take-request-change.ts";
import { KindFacet } from "./polling/kind-facet.ts";
import { SourceContext } from "./source-context.ts";
import { acceptWait } from "./messages/waits.ts";
import { WatcherFacet } from "./watcher/watcher-facet.ts";

export class SourceObject extends DurableObject<Env> implements SourceObjectRpc {
  readonly #context: SourceContext;
  readonly #facets: SourceFacets;
  readonly #kind: KindFacet;

  /** @param postForSource opens requests to owners; injected, because sources do not import the exchange */
  constructor(ctx: DurableObjectState, env: Env, postForSource: PostForSource) {
    super(ctx, env);
    this.#context = new SourceContext(ctx, env, postForSource);
    this.#kind = new KindFacet(this.#context);
    this.#facets = {
      messages: new MessagesFacet(this.#context),
      watcher: new WatcherFacet(this.#context),
      outbox: new OutboxFacet(this.#context),
      kind: this.#kind,
    };
  }

  async callFacet(facet: keyof SourceFacets, method: string, args: unknown[]): Promise<unknown> {
    return await callFacet(this.#facets, facet, method, args);
  }

  async sync(record: SourceRecord): Promise<void> {
    await this.#context.sync(record);
  }

  async takeRequestChange(change: SourceRequestChange): Promise<void> {
    await takeRequestChange(this.#context, change);
  }

  async erase(source: { household: string; name: string }): Promise<void> {
    await this.#context.erase(source);
  }

  override async fetch(request: Request): Promise<Response> {
    const accepted = acceptWait(this.ctx, this.#context, request);
    if (accepted.status === 101) await this.#kind.hasten();
    return accepted;
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    await this.#context.runAlarm();
  }
}
