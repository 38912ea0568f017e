/** Defects of tasks that AI groups send to people and robots: a request that is doubled, a report that is lost. */
import type { Mutant } from "../mutant.ts";

const TESTS = ["groups/requests", "groups/request-questions"];

export const GROUP_REQUEST_MUTANTS: readonly Mutant[] = [
  {
    name: "a task for one person is offered to others",
    file: "src/exchange/create-threads.ts",
    find: "{ executor: opens.executor }",
    replace: "{}",
    tests: TESTS,
  },
  {
    name: "a task opens a request after the key of its sender has ended",
    file: "src/exchange/group-calls/post-for-member.ts",
    find: "if (!(await isStillLive(env, principal))) return refuseEndedCredential();",
    replace: "",
    tests: TESTS,
  },
  {
    name: "a task that is sent to the exchange again opens a second request",
    file: "src/groups/requests/request-jobs.ts",
    find: "postForMember(principal, request, { key: id, opens })",
    replace: "postForMember(principal, request, { key: `${id}${Date.now()}`, opens })",
    tests: TESTS,
  },
  {
    name: "the report of a request is posted again when the thread repeats it",
    file: "src/groups/requests/take-request-change.ts",
    find: "news.filter(({ serial }) => serial > known.serial)",
    replace: "news",
    tests: TESTS,
  },
  {
    name: "the end of a request leaves its task open",
    file: "src/groups/requests/take-request-change.ts",
    find: "...(completes ? completeTask(store, { id, task }) : {}),",
    replace: "",
    tests: TESTS,
  },
  {
    name: "a third member answers a question about the task of another",
    file: "src/groups/requests/match-request.ts",
    find: "?.assigner === sender.key;",
    replace: "?.assigner !== undefined;",
    tests: TESTS,
  },
  {
    name: "an answer that the exchange refuses is lost",
    file: "src/groups/requests/request-jobs.ts",
    find: 'type: about ? "question" : "report",',
    replace: 'type: "report",',
    tests: TESTS,
  },
];
