/** Defects of following up: who is asked next, who owes an answer, and who is told. */
import type { Mutant } from "./mutant.ts";

const HINDERED = ["deliveries/hindered"];
const REQUESTOR = ["deliveries/requestor"];

export const MUTANTS_OF_FOLLOWING: readonly Mutant[] = [
  {
    name: "following: nobody is judged anew before it is told",
    file: "src/delivery/delivery-scheduler.ts",
    find: "if (hindered.length > 0) await this.#desk.putBehind(hindered);",
    replace: "",
    tests: HINDERED,
  },
  {
    name: "following: who was put behind is told all the same",
    file: "src/delivery/drop-reason.ts",
    find: 'return "others are asked first";',
    replace: "return undefined;",
    tests: HINDERED,
  },
  {
    name: "following: a rung's time runs while nobody on it is told",
    file: "src/mess/thread/escalation.ts",
    find: "state.rung_since = Math.max(rung_since, first);",
    replace: "state.rung_since = rung_since;",
    tests: HINDERED,
  },
  {
    name: "following: what a member holds does not count",
    file: "src/household/threads/routing-context.ts",
    find: "...(counts ? { load: catalogue.load() } : {}),",
    replace: "...(counts ? { load: {} } : {}),",
    tests: HINDERED,
  },
  {
    name: "following: who is passed over by the route is never asked",
    file: "src/mess/thread/state.ts",
    find: "const behind = later.filter(",
    replace: "const behind = [].filter(",
    tests: HINDERED,
  },
  {
    name: "following: a failure is followed by the next attempt at once",
    file: "src/mess/thread/escalation.ts",
    find: "return again && retry_at > now ? retry_at : undefined;",
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
    find: 'if (candidate) escalate(draft, "every candidate has declined");',
    replace: "",
    tests: REQUESTOR,
  },
];
