/** The kind of a source: its state between requests and polls, polling before it is due, and a check of its settings. */
import type {
  IncomingSourceMessage,
  KindStateChange,
  KindRpc,
  ReceivedMessage,
} from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { announceMessages } from "../messages/waits.ts";
import type { SourceContext } from "../source-context.ts";
import { checkSettings } from "./check-settings.ts";
import { receiveWithState } from "./receive-with-state.ts";
import { hastenPoll } from "./schedule-poll.ts";

export class KindFacet implements KindRpc {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async readState(): Promise<Outcome<{ state: Json | undefined }>> {
    return this.#context.read(({ state }) => ok({ state: state.getKindState() }));
  }

  async receive(
    messages: IncomingSourceMessage[],
    state: KindStateChange,
  ): Promise<Outcome<ReceivedMessage[] | null>> {
    const received = this.#context.change((store, now) => {
      const stored = receiveWithState(store, messages, state, now);
      if (stored.ok) store.problems.clear("receiving");
      return stored;
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
