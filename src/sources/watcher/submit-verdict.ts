/** Stores the verdict of a connected agent about a message that waits for one. */
import type { SourceMessageSummary } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { parseVerdict } from "../../mess/sources/parse-verdict.ts";
import { refuseMessageNotFound } from "../../mess/sources/refusals.ts";
import { showSummary } from "../messages/show-message.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { isUnclassified, storeVerdict } from "./store-verdict.ts";

/**
 * The same verdict again changes nothing, so that an agent can repeat a call whose answer was lost.
 * @param mayDraft false where the agent's credential may not write drafts: its draft is left out
 */
export function submitVerdict(
  store: SourceStore,
  id: string,
  text: string,
  mayDraft: boolean,
  now: number,
): Outcome<SourceMessageSummary> {
  const message = store.messages.find(id);
  if (!message) return refuseMessageNotFound();
  const parsed = parseVerdict(text);
  if (!parsed.ok) return parsed;
  const { tier, reason } = parsed.value;
  const isRepeated =
    message.classified_by === "agent" && message.tier === tier && message.reason === reason;
  if (!isUnclassified(message) && !isRepeated)
    return refuse(
      "already_exists",
      "the message is classified already",
      "List the messages that wait for a verdict with unclassified=true. A person can correct a tier.",
    );
  const { draft, ...verdict } = parsed.value;
  const suggested = mayDraft && draft !== undefined ? { draft } : {};
  if (!isRepeated) storeVerdict(store, message.seq, { ...verdict, ...suggested, by: "agent" }, now);
  return ok(showSummary(store.get(), store.messages.get(message.seq)!));
}
