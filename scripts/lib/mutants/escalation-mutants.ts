/** Defects of the escalation: offers to the next candidates, pending answers, and notices about them. */
import type { Mutant } from "./mutant.ts";

const UNAVAILABLE = ["deliveries/unavailable-members"];
const SNOOZE = ["deliveries/snooze"];
const REQUESTOR = ["deliveries/requestor"];

export const ESCALATION_MUTANTS: readonly Mutant[] = [
  {
    name: "a snoozed member is notified at once",
    file: "src/household/contacts/contacts.ts",
    find: "if (snoozedUntil !== undefined)",
    replace: "if (snoozedUntil === 0)",
    tests: ["deliveries/snooze"],
  },
  {
    name: "a notice that waits for a snooze waits on when its member is back",
    file: "src/household/contacts/presence.ts",
    find: "  releaseHeldNotices(stores, actor, now);\n",
    replace: "",
    tests: SNOOZE,
  },
  {
    name: "a household does not learn which notices wait for a member",
    file: "src/household/contacts/contacts-facet.ts",
    find: "if (delay) heldNotices.add(executor, ref, delay.until, now);",
    replace: "if (!delay) heldNotices.add(executor, ref, 0, now);",
    tests: SNOOZE,
  },
  {
    name: "a member who is back gets a notice whose channel failed before its next attempt",
    file: "src/thread/deliveries/delivery-table.ts",
    find: 'due > now && isDelayReason(error ?? "")',
    replace: "due > now",
    tests: SNOOZE,
  },
  {
    name: "a release of held notices is lost when the thread cannot be reached",
    file: "src/household/jobs/thread-jobs.ts",
    find: "(await thread(ref).releaseHeld(actor)) || attempts >= MAX_RELEASES",
    replace: "(await thread(ref).releaseHeld(actor).catch(() => true)) || attempts >= MAX_RELEASES",
    tests: SNOOZE,
  },
  {
    name: "escalation: availability is not checked again before a notice",
    file: "src/delivery/delivery-jobs.ts",
    find: "if (unavailable.length > 0) await this.#port.deprioritize(unavailable);",
    replace: "",
    tests: UNAVAILABLE,
  },
  {
    name: "escalation: a deprioritized candidate is notified at once",
    file: "src/delivery/drop-reason.ts",
    find: 'return "other candidates come first";',
    replace: "return undefined;",
    tests: UNAVAILABLE,
  },
  {
    name: "escalation: a step's time runs while all of its notices are delayed",
    file: "src/mess/thread/escalation.ts",
    find: "state.rung_since = Math.max(rung_since, first);",
    replace: "state.rung_since = rung_since;",
    tests: UNAVAILABLE,
  },
  {
    name: "escalation: held threads do not count towards capacity",
    file: "src/household/threads/routing-context.ts",
    find: "...(hasCapacityLimits ? { load: threadCatalog.countHeldThreads() } : {}),",
    replace: "...(hasCapacityLimits ? { load: {} } : {}),",
    tests: UNAVAILABLE,
  },
  {
    name: "escalation: candidates for later steps are never offered the thread",
    file: "src/mess/thread/state.ts",
    find: "const laterCandidates = later.filter(",
    replace: "const laterCandidates = [].filter(",
    tests: UNAVAILABLE,
  },
  {
    name: "escalation: a failed attempt is repeated without a delay",
    file: "src/mess/thread/escalation.ts",
    find: "return haveAllFailed && retry_at > now ? retry_at : undefined;",
    replace: "return undefined;",
    tests: ["robots/conversation"],
  },
  {
    name: "escalation: a requestor with a channel is treated as unreachable",
    file: "src/household/threads/open-threads.ts",
    find: "...(isReached(requestor) ? { requestor_reached: true } : {}),",
    replace: "",
    tests: REQUESTOR,
  },
  {
    name: "escalation: a requestor without a channel has deliveries",
    file: "src/household/threads/open-threads.ts",
    find: "...(isReached(requestor) ? { requestor_reached: true } : {}),",
    replace: "requestor_reached: true,",
    tests: REQUESTOR,
  },
  {
    name: "escalation: owners are not notified of a pending answer",
    file: "src/delivery/drop-reason.ts",
    find: 'return state.unanswered ? undefined : "it is answered";',
    replace: 'return "it is answered";',
    tests: REQUESTOR,
  },
  {
    name: "escalation: owners are not notified when all candidates have declined",
    file: "src/mess/thread/claims.ts",
    find: 'if (candidate && !getSourceOrigin(state)) alertOwners(draft, "every candidate has declined");',
    replace: "",
    tests: REQUESTOR,
  },
];
