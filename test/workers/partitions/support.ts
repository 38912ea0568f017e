import { defined } from "../../../src/mess/defined.ts";
import { env } from "cloudflare:workers";
import { getPartition } from "../../../src/mess/status.ts";
import {
  type ListedThread,
  type ListFilter,
  type ListedThreads,
  queryThreads,
} from "../../../src/partitions/list.ts";
import { upsertThread } from "../../../src/partitions/upsert.ts";
import type { ThreadSummary } from "../../../src/contracts/thread.ts";

let households = 0;

/** D1 is shared by the tests of a file, so each test uses a separate household. */
export const createFreshHousehold = (): string => `house-${++households}`;

export function buildSummary(
  household: string,
  ref: string,
  changed: Partial<ThreadSummary> = {},
): ThreadSummary {
  const status = changed.status ?? "pending";
  return {
    household,
    ref,
    client_id: null,
    seq: 1,
    status,
    partition: getPartition(status),
    requestor: "kitchen-agent",
    executor: null,
    participants: ["kitchen-agent"],
    intent: "Water the basil",
    priority: "normal",
    zone: "UTC",
    created: 1_000,
    updated: 1_000,
    expires: null,
    text: "Water the basil",
    ...changed,
  };
}

export async function indexSummaries(...summaries: ThreadSummary[]): Promise<void> {
  for (const summary of summaries) await upsertThread(env.INDEX, summary);
}

export async function listThreadsOf(
  household: string,
  filter: Partial<ListFilter> = {},
  db: D1Database = env.INDEX,
): Promise<ListedThreads> {
  const outcome = await queryThreads(db, household, { limit: 50, ...filter });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

export const listRefs = ({ threads }: { threads: ListedThread[] }): string[] =>
  threads.map(({ ref }) => ref);

/** All pages, one after the other. */
export async function listAllPages(
  household: string,
  filter: Omit<ListFilter, "cursor">,
): Promise<string[]> {
  const refs: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listThreadsOf(household, {
      ...filter,
      ...defined({ cursor }),
    });
    if (page.threads.length > filter.limit) throw new Error("a page is longer than its limit");
    refs.push(...listRefs(page));
    if (new Set(refs).size < refs.length) throw new Error("a page repeats a thread");
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return refs;
}

export interface Asked {
  sql: string;
  values: unknown[];
  meta?: D1Meta;
}

/** The index, with a record of its batches. */
export function watchDatabase(): { db: D1Database; asked: Asked[] } {
  const asked: Asked[] = [];
  const known = new Map<D1PreparedStatement, Asked>();
  const db = {
    prepare: (sql: string) => ({
      bind: (...values: unknown[]) => {
        const statement = env.INDEX.prepare(sql).bind(...values);
        known.set(statement, { sql, values });
        return statement;
      },
    }),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await env.INDEX.batch(statements);
      for (const [at, statement] of statements.entries())
        asked.push({ ...known.get(statement)!, meta: results[at]!.meta });
      return results;
    },
  };
  return { db: db as unknown as D1Database, asked };
}
