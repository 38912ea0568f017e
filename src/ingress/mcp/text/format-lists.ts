/** Formats short lists for a model: the first items and the number of the others. */
import type { listThreads } from "../../../exchange/exchange.ts";
import { toListedEnvelope } from "../../../exchange/lists/list-envelope.ts";
import { inlineText } from "./untrusted-text.ts";

export type ListedResult = Extract<Awaited<ReturnType<typeof listThreads>>, { ok: true }>["value"];

/** Joins the first items and appends the number of the others. */
export function formatInlineList(items: readonly string[], maxItems: number): string {
  const first = items.slice(0, maxItems).map((item) => inlineText(item, 120));
  const left = items.length - first.length;
  return `${first.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** One line per thread: ref, status, holder, time, intent. */
export function formatThreadLines({ threads }: ListedResult, actor: string): string[] {
  return threads.map((thread) => {
    const { ref, status, executor, requestor, updated, intent } = toListedEnvelope(thread);
    const holder = executor ? ` by ${executor}` : "";
    const requestorNote = requestor === actor ? "" : ` (asked by ${requestor})`;
    return `${ref}: ${status}${holder}, ${updated.slice(0, 16)}, "${inlineText(intent, 60)}"${requestorNote}`;
  });
}
