/** Lists the caller's requests: those that wait for its reply, then other open ones, then finished ones. */
import type { Principal } from "../../../auth/principal.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { listThreads, readThread } from "../../../exchange/exchange.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { defined } from "../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { listStatusesIn, readStatus, type Status, STATUSES } from "../../../mess/status.ts";
import type { ListedResult } from "../text/format-lists.ts";
import { canReply } from "../text/describe-thread.ts";

export const PAGE_SIZE = 10;
const MAX_FINISHED = 3;
/** Open requests after the first page that are also searched for suggestions, since the index does not have these. */
const MAX_SEARCHED = 20;

const QUESTION_STATUSES: Status[] = ["needs_input", "needs_confirmation"];
const OPEN_STATUSES = listStatusesIn("received", "executing");
const FINISHED_STATUSES = listStatusesIn("finished", "canceled");
const OTHER_OPEN_STATUSES = OPEN_STATUSES.filter((status) => !QUESTION_STATUSES.includes(status));

type Row = ListedResult["threads"][number];

export interface RequestOverview {
  /** Whole threads with a question, an action or a suggestion for the caller. */
  forYou: ResourceView[];
  open: ListedResult;
  finished: ListedResult;
}

/** Reads a filter: `for_you`, `open`, `finished` or one status. */
export function readStatusFilter(text: string): Outcome<Status[] | "for_you"> {
  const name = text.trim().toLowerCase();
  if (name === "for_you") return ok(name);
  if (name === "open") return ok(OPEN_STATUSES);
  if (name === "finished") return ok(FINISHED_STATUSES);
  const status = readStatus(name);
  return status
    ? ok([status])
    : refuse("bad_parameter", "status: not a status", "Use one of the valid ones.", {
        valid: ["for_you", "open", "finished", ...STATUSES],
      });
}

/** Returns the first page of each group. */
export async function listOverview(
  env: ExchangeBindings,
  viewer: Principal,
): Promise<Outcome<RequestOverview>> {
  const list = (status: Status[], limit: number, cursor?: string) =>
    listThreads(env, viewer, { status, limit, ...defined({ cursor }) });
  const [asking, open, finished] = await Promise.all([
    list(QUESTION_STATUSES, PAGE_SIZE),
    list(OTHER_OPEN_STATUSES, PAGE_SIZE),
    list(FINISHED_STATUSES, MAX_FINISHED),
  ]);
  if (!asking.ok) return asking;
  if (!open.ok) return open;
  if (!finished.ok) return finished;
  const { next_cursor } = open.value;
  const further = next_cursor ? await list(OTHER_OPEN_STATUSES, MAX_SEARCHED, next_cursor) : open;
  const searched = [
    ...open.value.threads,
    ...(next_cursor && further.ok ? further.value.threads : []),
  ];
  const suggesting = await findSuggesting(env, viewer, searched);
  const isMine = (row: Row) => canReply(row, viewer);
  const forYou = [...asking.value.threads.filter(isMine), ...suggesting];
  const views = await Promise.all(forYou.map(({ ref }) => readThread(env, viewer, ref)));
  const others = open.value.threads.filter((row) => !suggesting.includes(row));
  return ok({
    forYou: views.flatMap((view) => (view.ok && isForYou(view.value) ? [view.value] : [])),
    open: {
      ...open.value,
      threads: [...asking.value.threads.filter((row) => !isMine(row)), ...others],
    },
    finished: finished.value,
  });
}

/** The threads with open suggestions for the viewer. */
async function findSuggesting(
  env: ExchangeBindings,
  viewer: Principal,
  rows: readonly Row[],
): Promise<Row[]> {
  const own = rows.filter((row) => canReply(row, viewer));
  const heads = await Promise.all(
    own.map(({ ref }) => readThread(env, viewer, ref, Number.MAX_SAFE_INTEGER)),
  );
  return own.filter((_, index) => {
    const head = heads[index];
    return head?.ok === true && head.value.open.suggestions.length > 0;
  });
}

/** The index may be behind the thread. */
const isForYou = ({ open, envelope: { status } }: ResourceView): boolean =>
  QUESTION_STATUSES.includes(status) || open.suggestions.length > 0;
