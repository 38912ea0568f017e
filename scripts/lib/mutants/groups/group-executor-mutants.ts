/** Defects of requests that agents of the pool carry out: work done twice, in a wrong name, or lost. */
import type { Mutant } from "../mutant.ts";

const TESTS = ["groups/executors"];

export const GROUP_EXECUTOR_MUTANTS: readonly Mutant[] = [
  {
    name: "executors: an agent gets an excerpt of an answer only",
    file: "src/delivery/fan-out.ts",
    find: "extractEvents(document, isMemberId(executor))",
    replace: "extractEvents(document, isMemberId(`${executor}.`))",
    tests: TESTS,
  },
  {
    name: "executors: the names of modified files are lost",
    file: "src/groups/requests/agent-requests.ts",
    find: "buildAgentMessage(type, content, ref, details.files_modified)",
    replace: "buildAgentMessage(type, content, ref, details.tool_usage)",
    tests: TESTS,
  },
  {
    name: "executors: an agent that is claimed for a group is offered a request",
    file: "src/household/memberships/pools/pool-executors.ts",
    find: "isFree && actor !== requestor",
    replace: "actor !== requestor",
    tests: TESTS,
  },
  {
    name: "executors: a request is offered to an agent of its requestor",
    file: "src/household/memberships/pools/pool-executors.ts",
    find: "isFree && actor !== requestor",
    replace: "isFree",
    tests: TESTS,
  },
  {
    name: "executors: an agent reports as the member that its key belongs to",
    file: "src/groups/requests/agent-requests.ts",
    find: '{ ...principal, actor: sender, role: "executor" }',
    replace: "principal",
    tests: TESTS,
  },
  {
    name: "executors: all agents of the pool see which request another carries out",
    file: "src/household/memberships/pools/pool-views.ts",
    find: "some((one) => !isPoolId(group) || one.key === key)",
    replace: "some((one) => one.active)",
    tests: TESTS,
  },
  {
    name: "executors: the request of a silent agent is not given back",
    file: "src/groups/end-assignment.ts",
    find: 'if (reason !== "ended")',
    replace: 'if (reason === "ended")',
    tests: TESTS,
  },
  {
    name: "executors: an agent stays busy after its request",
    file: "src/household/memberships/pools/assign-request.ts",
    find: 'if (entry) endClaim(stores, entry, "ended", now);',
    replace: "",
    tests: TESTS,
  },
];
