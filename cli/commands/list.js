/** `mess list`: requests, newest change first. */
import { readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";
import { formatTime, writeTable } from "../lib/text.js";

const USAGE = "mess list [WORDS…] [options]";
const STATES = ["received", "executing", "finished", "canceled"];
const PAGE_THREADS = 200;

/** @type {import("../lib/command.js").Command} */
export const list = {
  name: "list",
  summary: "List requests, newest change first",
  usage: [USAGE],
  description: `You see the requests that you made or that were offered to you; owners see all of the household.
WORDS search in what was asked and answered. With --mine, your tasks: offered to you, or held by you.`,
  options: {
    state: { type: "string", short: "s", value: "STATE", choices: STATES, help: "only this state" },
    status: {
      type: "string",
      value: "STATUS",
      help: "only this status, or several with commas: pending,claimed",
    },
    executor: { type: "string", value: "NAME", help: "only what this member does" },
    requestor: { type: "string", value: "NAME", help: "only what this member asked for" },
    since: {
      type: "string",
      value: "TIME",
      help: "only what changed since this time, such as 2026-01-31",
    },
    mine: { type: "boolean", short: "m", help: "only your tasks" },
    limit: { type: "string", short: "n", value: "N", help: "at most this many (50)" },
    all: { type: "boolean", short: "a", help: "all of them, however many" },
  },
  examples: [
    ["mess list --state executing", "what people are working on"],
    ["mess list printer --since 2026-01-01", "what was asked about the printer this year"],
    ["mess list --json | jq -r '.threads[].ref'", "the refs, for a script"],
  ],
  run: async (context) => {
    const [words = ""] = readArguments(context, ["WORDS?…"], USAGE);
    const { mine, all, state, status, executor, requestor, since } = context.values;
    const limit = all ? Infinity : readLimit(context.values["limit"]);
    const threads = mine
      ? await listTasks(context, limit)
      : await listThreads(
          context.exchange(),
          { state, status, executor, requestor, since, q: words || undefined },
          limit,
        );
    context.show({ threads }, () =>
      threads.length === 0
        ? mine
          ? "Nothing is waiting for you."
          : "No requests found."
        : writeTable(
            ["ref", "status", "by", "changed", "request"],
            threads.map((one) => [
              one.ref,
              one.status,
              one.executor ?? "",
              formatTime(one.updated),
              one.intent,
            ]),
            context.width,
          ),
    );
  },
};

/** @param {string} [text] */
function readLimit(text = "50") {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1)
    throw usageError(
      `--limit: ${text} is not a positive number`,
      "Write it like --limit 20, or --all.",
    );
  return limit;
}

/**
 * @param {import("../lib/exchange.js").Exchange} exchange
 * @param {Record<string, string | undefined>} filter
 * @param {number} limit
 * @returns {Promise<any[]>}
 */
export async function listThreads(exchange, filter, limit) {
  /** @type {any[]} */
  const threads = [];
  /** @type {string | undefined} */
  let cursor;
  do {
    const query = { ...filter, limit: Math.min(limit - threads.length, PAGE_THREADS), cursor };
    const page = await exchange.get("/mess", { query });
    threads.push(...page.threads);
    cursor = page.next_cursor;
  } while (cursor !== undefined && threads.length < limit);
  return threads;
}

/** @param {import("../lib/command.js").Context} context @param {number} limit @returns {Promise<any[]>} */
async function listTasks(context, limit) {
  const filters = ["state", "status", "executor", "requestor", "since"].filter(
    (one) => context.values[one] !== undefined,
  );
  if (filters.length > 0 || context.args.length > 0)
    throw usageError(
      "--mine cannot be combined with filters",
      "Leave out --mine, or the other filters.",
    );
  const { threads } = await context
    .exchange()
    .get("/mess", { query: { for: "me", limit: Math.min(limit, 50) } });
  return threads;
}
