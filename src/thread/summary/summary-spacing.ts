/**
 * Spaces the summaries that a thread sends to one target, so that a burst of changes costs few calls. A summary with
 * other open suggestions need not wait: their requestor may name them as soon as they are read (decision 74).
 */
import type { ThreadSummary } from "../../contracts/thread.ts";

/** While a burst changes nothing that lists show except the time, each delay is twice the last, up to this. */
const MAX_SPACING_MS = 2_000;

/** The listed fields of a summary, without its sequence number. */
const serializeListedState = (summary: ThreadSummary): string =>
  JSON.stringify({ ...summary, seq: 0, updated: 0, text: "" });

const toNames = (names: readonly string[]): string => names.join();

export class SummarySpacing {
  readonly #minSpacingMs: number;
  readonly #buildSummary: () => ThreadSummary;
  /** The last call: `spacingMs` is the time until the next one. */
  #last: { at: number; spacingMs: number; listedState: string } | undefined;
  #sentSuggestions = "";

  /** @param minSpacingMs between two calls: the first is made at once, and a burst after it costs one call */
  constructor(minSpacingMs: number, buildSummary: () => ThreadSummary) {
    this.#minSpacingMs = minSpacingMs;
    this.#buildSummary = buildSummary;
  }

  /** Waits until the target may be called again, and returns the newest summary. */
  async waitForNext(): Promise<ThreadSummary> {
    const spacing = this.#minSpacingMs;
    const begun = Date.now();
    for (let waited = 0; ; waited += spacing) {
      const summary = this.#buildSummary();
      const listedState = serializeListedState(summary);
      const last = this.#last ?? { at: 0, spacingMs: 0, listedState };
      const spacingMs = last.listedState === listedState ? last.spacingMs : spacing;
      // Time spent waiting counts even where the clock stands still, as it does in tests.
      const since = Math.max(Date.now(), begun + waited) - last.at;
      if (since >= spacingMs) {
        const next = since < 2 * spacingMs ? Math.min(2 * spacingMs, MAX_SPACING_MS) : spacing;
        return this.#recordCall(summary, listedState, next);
      }
      // Waits in steps, because a change of status ends a long delay early.
      await scheduler.wait(Math.min(spacingMs - since, spacing));
    }
  }

  /** True if the last call had other open suggestions than these. */
  hasOldSuggestions(open: readonly { made_in: string }[]): boolean {
    return toNames(open.map(({ made_in }) => made_in)) !== this.#sentSuggestions;
  }

  /** Returns the newest summary for a call that does not wait. */
  takeNow(): ThreadSummary {
    const summary = this.#buildSummary();
    return this.#recordCall(summary, serializeListedState(summary), this.#minSpacingMs);
  }

  #recordCall(summary: ThreadSummary, listedState: string, spacingMs: number): ThreadSummary {
    this.#last = { at: Date.now(), spacingMs, listedState };
    this.#sentSuggestions = toNames(summary.suggestions?.map(([, name]) => name) ?? []);
    return summary;
  }
}
