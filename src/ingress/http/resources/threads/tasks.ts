/** `GET /mess?for=me`: the caller's tasks, for executors that poll instead of receiving callbacks. */
import { defined } from "../../../../mess/defined.ts";
import type * as z from "zod";
import { findTasks } from "../../../../exchange/lists/member-tasks.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { isMap, type JsonMap } from "../../../../mess/json.ts";
import { buildEnvelopeDocument } from "../../../../mess/messe-af/write.ts";
import { ok } from "../../../../mess/result.ts";
import type { ThreadWithActions } from "../../../../contracts/thread-views.ts";
import type { listQuerySchema } from "../../parameters.ts";
import type { HttpCall, HandlerPromise } from "../../route.ts";

type ListCall = HttpCall<z.output<typeof listQuerySchema>>;

/** Maximum threads in one response: each is read from its own Durable Object. */
const MAX_THREADS = 50;

const TASK_PARAMETERS = ["wait", "since_cursor"] as const;
const LIST_PARAMETERS = [
  "state",
  "status",
  "executor",
  "requestor",
  "since",
  "q",
  "cursor",
] as const;

/** Refuses parameters of the other kind of list. */
export function checkNotMixed(query: ListCall["query"]): Outcome<true> {
  const isForCaller = query.for === "me";
  const misplacedKey = (isForCaller ? LIST_PARAMETERS : TASK_PARAMETERS).find(
    (name) => query[name] !== undefined,
  );
  if (misplacedKey === undefined) return ok(true);
  return isForCaller
    ? refuse(
        "bad_parameter",
        `${misplacedKey}: not allowed together with for=me`,
        "for=me takes wait, since_cursor and limit.",
        { path: misplacedKey },
      )
    : refuse("bad_parameter", `${misplacedKey}: allowed only together with for=me`, "Add for=me.", {
        path: misplacedKey,
      });
}

export async function listTasks({ env, principal, query }: ListCall): HandlerPromise {
  const { wait = 0, since_cursor: after, limit } = query;
  const tasks = await findTasks(env, principal, {
    timeout: wait * 1_000,
    limit: Math.min(limit, MAX_THREADS),
    ...defined({ after }),
  });
  if (!tasks.ok) return tasks;
  const { threads, cursor } = tasks.value;
  return ok({ body: { threads: threads.map(toTask), cursor } });
}

/**
 * The envelope with the request and the allowed actions; `cursor` is the position in this thread for the next read.
 */
function toTask({ envelope, messages, may, cursor }: ThreadWithActions): JsonMap {
  const { history: _history, ...envelopeFields } = buildEnvelopeDocument(envelope);
  const request = messages[0]?.MESS.map((item) => item["request"]).find(isMap);
  return {
    ...envelopeFields,
    ...defined({ request }),
    actions: may.filter(({ allowed }) => allowed).map(({ action }) => action),
    cursor,
    thread: `/mess/${envelope.ref}`,
  };
}
