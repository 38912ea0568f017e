/** Defects of following up: who is asked next, who owes an answer, and who is told. */
import type { Mutant } from "./mutant.ts";

const UNAVAILABLE = ["deliveries/unavailable-members"];
const REQUESTOR = ["deliveries/requestor"];

export const ESCALATION_MUTANTS: readonly Mutant[] = [
  {
    name: "following: nobody is judged anew before it is told",
    file: "src/delivery/delivery-scheduler.ts",
    find: "if (unavailable.length > 0) await this.#port.deprioritize(unavailable);",
    replace: "",
    tests: UNAVAILABLE,
  },
  {
    name: "following: who was put behind is told all the same",
    file: "src/delivery/drop-reason.ts",
    find: 'return "other candidates come first";',
    replace: "return undefined;",
    tests: UNAVAILABLE,
  },
  {
    name: "following: a rung's time runs while nobody on it is told",
    file: "src/mess/thread/escalation.ts",
    find: "state.rung_since = Math.max(rung_since, first);",
    replace: "state.rung_since = rung_since;",
    tests: UNAVAILABLE,
  },
  {
    name: "following: what a member holds does not count",
    file: "src/household/threads/routing-context.ts",
    find: "...(hasCapacityLimits ? { load: threadCatalog.countHeldThreads() } : {}),",
    replace: "...(hasCapacityLimits ? { countHeldThreads: {} } : {}),",
    tests: UNAVAILABLE,
  },
  {
    name: "following: who is passed over by the route is never asked",
    file: "src/mess/thread/state.ts",
    find: "const laterCandidates = later.filter(",
    replace: "const laterCandidates = [].filter(",
    tests: UNAVAILABLE,
  },
  {
    name: "following: a failure is followed by the next attempt at once",
    file: "src/mess/thread/escalation.ts",
    find: "return haveAllFailed && retry_at > now ? retry_at : undefined;",
    replace: "return undefined;",
    tests: ["robots/conversation"],
  },
  {
    name: "following: nobody knows that the requestor can be reached",
    file: "src/household/threads/open-threads.ts",
    find: "...(isReached(requestor) ? { requestor_reached: true } : {}),",
    replace: "",
    tests: REQUESTOR,
  },
  {
    name: "following: requestors whom nothing reaches have deliveries",
    file: "src/household/threads/open-threads.ts",
    find: "...(isReached(requestor) ? { requestor_reached: true } : {}),",
    replace: "requestor_reached: true,",
    tests: REQUESTOR,
  },
  {
    name: "following: owners are not told of an answer that somebody waits for",
    file: "src/delivery/drop-reason.ts",
    find: 'return state.unanswered ? undefined : "it is answered";',
    replace: 'return "it is answered";',
    tests: REQUESTOR,
  },
  {
    name: "following: nobody is told that all have declined",
    file: "src/mess/thread/claims.ts",
    find: 'if (candidate) alertOwners(draft, "every candidate has declined");',
    replace: "",
    tests: REQUESTOR,
  },
];
