/** `GET /mess?for=me`: what the caller has to do, for executors that ask rather than being called. */
import type * as z from "zod";
import { tasksFor } from "../../../exchange/member-tasks.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { isMap, type JsonMap } from "../../../mess/json.ts";
import { envelopeDocument } from "../../../mess/messe-af/write.ts";
import { ok } from "../../../mess/result.ts";
import type { ThreadSight } from "../../../contracts/thread.ts";
import type { listQuery } from "../parameters.ts";
import type { Call, Handled } from "../route.ts";

type ListCall = Call<z.output<typeof listQuery>>;

/** Threads of one answer: each is read from its own object. */
const MOST = 50;

const OWN = ["wait", "since_cursor"] as const;
const OTHERS = ["state", "status", "executor", "requestor", "since", "q", "cursor"] as const;

/** A refusal where parameters of the two kinds of list are mixed. */
export function mixedQuery(query: ListCall["query"]): Outcome<true> {
  const mine = query.for === "me";
  const wrong = (mine ? OTHERS : OWN).find((name) => query[name] !== undefined);
  if (wrong === undefined) return ok(true);
  return mine
    ? refuse(
        "bad_parameter",
        `${wrong}: not together with for=me`,
        "for=me takes wait, since_cursor and limit.",
        { path: wrong },
      )
    : refuse("bad_parameter", `${wrong}: only together with for=me`, "Add for=me.", {
        path: wrong,
      });
}

export async function listTasks({ env, principal, query }: ListCall): Handled {
  const { wait = 0, since_cursor: after, limit } = query;
  const { threads, cursor } = await tasksFor(env, principal, {
    timeout: wait * 1_000,
    limit: Math.min(limit, MOST),
    ...(after === undefined ? {} : { after }),
  });
  return ok({ body: { threads: threads.map(taskOf), cursor } });
}

/** The envelope with what was asked for and what the caller may do now; `cursor` is the thread's own, to read on from. */
function taskOf({ envelope, messages, may, cursor }: ThreadSight): JsonMap {
  const { history: _history, ...shown } = envelopeDocument(envelope);
  const request = messages[0]?.MESS.map((item) => item["request"]).find(isMap);
  return {
    ...shown,
    ...(request === undefined ? {} : { request }),
    actions: may.filter(({ allowed }) => allowed).map(({ action }) => action),
    cursor,
    thread: `/mess/${envelope.ref}`,
  };
}
