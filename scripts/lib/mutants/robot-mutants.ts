/** Defects in how robots and services are called, and how they answer. */
import type { Mutant } from "./mutant.ts";

const ROBOTS = ["robots/storm"];
const CALLBACKS = ["robots/callbacks"];
const FILES = ["robots/files"];
const HOOKS = ["dispatch/webhook"];
const CALLS = ["dispatch/mcp"];
const POLLS = ["robots/polling"];
const SLOW = ["robots/slow"];

export const ROBOT_MUTANTS: readonly Mutant[] = [
  {
    name: "Robots: a callback with an invalid signature is accepted",
    file: "src/auth/callbacks/callback-caller.ts",
    find: "if (!known || !verified.includes(true))",
    replace: "if (!known)",
    tests: ROBOTS,
  },
  {
    name: "Robots: a callback's signature never expires",
    file: "src/auth/callbacks/webhook-signatures.ts",
    find: "> TOLERANCE_SECONDS) return undefined;",
    replace: "> TOLERANCE_SECONDS * 10_000) return undefined;",
    tests: ROBOTS,
  },
  {
    name: "Robots: a repeated callback counts again",
    file: "src/ingress/webhooks/executor-callbacks.ts",
    find: 'key: headers["webhook-id"] });',
    replace: "key: undefined });",
    tests: ROBOTS,
  },
  {
    name: "Robots: a token is valid for every executor",
    file: "src/ingress/webhooks/executor-callbacks.ts",
    find: 'if (household !== param("household") || actor !== param("executor"))',
    replace: 'if (household !== param("household"))',
    tests: CALLBACKS,
  },
  {
    name: "Robots: a token is valid for every thread",
    file: "src/auth/callbacks/callback-caller.ts",
    find: "return ok({ ...known, principal });",
    replace:
      "return ok({ ...known, principal: { household, actor: executor, role: principal.role } });",
    tests: CALLBACKS,
  },
  {
    name: "Robots: files are fetched from any origin",
    file: "src/ingress/webhooks/fetch-files.ts",
    find: "URL.canParse(uri) && caller.origins.includes(new URL(uri).origin);",
    replace: "URL.canParse(uri);",
    tests: FILES,
  },
  {
    name: "Robots: a webhook has a different id at each attempt",
    file: "src/channels/webhook/send.ts",
    find: "signWebhook(secrets, id, now, body.bytes)",
    replace: "signWebhook(secrets, `${id}${now}`, now, body.bytes)",
    tests: HOOKS,
  },
  {
    name: "Robots: a response for another thread is accepted",
    file: "src/channels/shared/machine-reply.ts",
    find: "splitTarget(re).thread !== ref)",
    replace: "splitTarget(re).thread === '')",
    tests: HOOKS,
  },
  {
    name: "Robots: a robot whose claim failed is called",
    file: "src/channels/mcp/send.ts",
    find: '!(await postReply(buildMachineMessages({ type: "status", body: { code: "claimed" } })))',
    replace:
      '!(await postReply(buildMachineMessages({ type: "status", body: { code: "claimed" } }))) && now < 0',
    tests: CALLS,
  },
  {
    name: "Robots: a robot that waits for tasks is not woken",
    file: "src/exchange/lists/member-tasks.ts",
    find: "    resume?.();\n  };\n  const end",
    replace: "  };\n  const end",
    tests: POLLS,
  },
  {
    name: "Robots: a thread that changes keeps its position in the list of changes",
    file: "src/household/threads/thread-catalog.ts",
    find: "change: this.#getLastChange() + 1,",
    replace: 'change: Number(before["change"]) || this.#getLastChange() + 1,',
    tests: POLLS,
  },
  {
    name: "MCP: a task is polled only once",
    file: "src/channels/mcp/poll-task.ts",
    find: "pollAfterSeconds: getPollSeconds(state.pollSeconds),",
    replace: "",
    tests: SLOW,
  },
  {
    name: "MCP: a task that is no longer wanted continues",
    file: "src/channels/mcp/poll-task.ts",
    find: "if (!isHolder || isFinal(status as Status)) return await stop();",
    replace: "",
    tests: SLOW,
  },
  {
    name: "MCP: a robot that works silently loses its task",
    file: "src/channels/mcp/poll-task.ts",
    find: "const MAX_REPORT_INTERVAL_MS = 5 * MINUTE_MS;",
    replace: "const MAX_REPORT_INTERVAL_MS = 500 * MINUTE_MS;",
    tests: SLOW,
  },
];
