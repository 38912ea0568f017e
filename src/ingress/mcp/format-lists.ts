/** Short lists: what a model needs to choose from, and how many more there are. */
import type { list } from "../../exchange/exchange.ts";
import { listedEnvelope } from "../../exchange/list-envelope.ts";
import { inline } from "./text/untrusted-text.ts";

type Listed = Extract<Awaited<ReturnType<typeof list>>, { ok: true }>["value"];

/** Joins the first few, and says how many are left. */
export function inlineList(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).map((item) => inline(item, 120));
  const left = items.length - shown.length;
  return `${shown.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** One line for a thread: ref, status, holder, since when, what was asked. */
export function threadLines({ threads }: Listed, actor: string): string[] {
  return threads.map((thread) => {
    const { ref, status, executor, requestor, updated, intent } = listedEnvelope(thread);
    const holder = executor ? ` by ${executor}` : "";
    const asker = requestor === actor ? "" : ` (asked by ${requestor})`;
    return `${ref}: ${status}${holder}, ${updated.slice(0, 16)}, "${inline(intent, 60)}"${asker}`;
  });
}
