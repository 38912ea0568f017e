/** What the kind of a source keeps between requests, and polling before it is due. */
import type {
  IncomingSourceMessage,
  KeptState,
  PollingRpc,
  ReceivedMessage,
} from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { announceMessages } from "../messages/waits.ts";
import type { SourceContext } from "../source-context.ts";
import { checkSettings } from "./check-settings.ts";
import { receiveAndKeep } from "./keep-state.ts";
import { hastenPoll } from "./schedule-poll.ts";

export class PollingFacet implements PollingRpc {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async readKept(): Promise<Outcome<{ kept: Json | undefined }>> {
    return this.#context.read(({ state }) => ok({ kept: state.getKept() }));
  }

  async receive(
    messages: IncomingSourceMessage[],
    state: KeptState,
  ): Promise<Outcome<ReceivedMessage[] | null>> {
    const received = this.#context.change((store, now) => {
      const kept = receiveAndKeep(store, messages, state, now);
      if (kept.ok) store.problems.clear("receiving");
      return kept;
    });
    if (received.ok) announceMessages(this.#context.ctx, this.#context.store);
    return received;
  }

  async hasten(awaitedMs?: number): Promise<void> {
    this.#context.change((store, now) => ok(hastenPoll(store, now, awaitedMs)));
  }

  async check(source: { household: string; name: string }): Promise<string[]> {
    return await checkSettings(this.#context, source);
  }
}
