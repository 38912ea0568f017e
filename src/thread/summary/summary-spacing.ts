/** Spaces the summaries that a thread sends to one target, so that a burst of changes costs few calls. */
import type { ThreadSummary } from "../../contracts/thread.ts";

/** While a burst changes nothing that lists show except the time, each delay is twice the last, up to this. */
const MAX_SPACING_MS = 2_000;

/** The listed fields of a summary, without its sequence number. */
const serializeListedState = (summary: ThreadSummary): string =>
  JSON.stringify({ ...summary, seq: 0, updated: 0, text: "" });

export class SummarySpacing {
  readonly #minSpacingMs: number;
  readonly #buildSummary: () => ThreadSummary;
  /** The last call: `spacingMs` is the time until the next one. */
  #last: { at: number; spacingMs: number; listedState: string } | undefined;

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
        this.#last = { at: Date.now(), spacingMs: next, listedState };
        return summary;
      }
      // Waits in steps, because a change of status ends a long delay early.
      await scheduler.wait(Math.min(spacingMs - since, spacing));
    }
  }
}
