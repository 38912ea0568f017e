/** Stores the correction of a tier by a person, from which the household learns. */
import { isBrowserSession, type Principal } from "../../auth/principal.ts";
import type { SourceMessageSummary } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Tier } from "../../mess/sources/vocabulary.ts";
import { refuseMessageNotFound } from "../../mess/sources/refusals.ts";
import { showSummary } from "../messages/show-message.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { applyVerdict, isUnclassified } from "./store-verdict.ts";

/** An agent that was talked into a wrong tier must not teach the household to repeat it. */
export const mayCorrect = ({ role, paths, credential }: Principal): boolean =>
  paths === undefined && (role === "owner" || isBrowserSession(credential));

/** The same tier again confirms nothing and teaches nothing. */
export function correctTier(
  store: SourceStore,
  caller: Principal,
  id: string,
  tier: Tier,
  now: number,
): Outcome<SourceMessageSummary> {
  if (!mayCorrect(caller))
    return refuse(
      "wrong_role",
      "only owners correct the tier of a message",
      "Ask an owner of the household.",
    );
  const message = store.messages.find(id);
  if (!message) return refuseMessageNotFound();
  const { seq, urgency } = message;
  if (isUnclassified(message) || message.tier !== tier) {
    const reason =
      message.tier === null || message.provisional === 1
        ? `${caller.actor} decided.`
        : `${caller.actor} corrected ${message.tier}.`;
    store.changes.keepVerdict(seq, now);
    applyVerdict(store, message, { tier, reason, urgency, by: "person" }, now);
    store.jobs.put("learn", `learn ${seq}`, { seq }, now);
  }
  return ok(showSummary(store.get(), store.messages.get(seq)!));
}
