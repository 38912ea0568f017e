/** Defects of the escalation: offers to the next candidates, pending answers, and notices about them. */
import type { Mutant } from "./mutant.ts";

const UNAVAILABLE = ["deliveries/unavailable-members"];
const REQUESTOR = ["deliveries/requestor"];

export const ESCALATION_MUTANTS: readonly Mutant[] = [
  {
    name: "a snoozed member is notified at once",
    file: "src/household/contacts/contacts.ts",
    find: "if (snoozedUntil !== undefined) return",
    replace: "if (false) return",
    tests: ["deliveries/snooze"],
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
    find: 'if (candidate) alertOwners(draft, "every candidate has declined");',
    replace: "",
    tests: REQUESTOR,
  },
];
