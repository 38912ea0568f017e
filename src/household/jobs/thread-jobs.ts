/**
 * What the household has yet to do to threads: make those that it opened by itself, end those that were replaced,
 * hand an answer on. Errands of one bundle are run in order, each until it is done, so that a crash between two of
 * them loses neither and does neither twice.
 */
import { threadStub } from "../../stubs.ts";
import { log } from "../../log.ts";
import type { Replacement } from "../../mess/thread/supersede.ts";
import type { CreateInput, SystemMessage } from "../../contracts/thread.ts";
import { buildJoinedAnswer } from "../threads/joined-thread-answer.ts";
import { recordObservation } from "../threads/coalesce.ts";
import type { Stores } from "../stores.ts";
import { getBackoffMs } from "./backoff.ts";

export type ThreadJob =
  /** Makes the thread, which joins another first, if that lets it in. */
  | { do: "create"; input: CreateInput; joins?: { ref: string; within: number; asks: string } }
  | { do: "supersede"; by: Replacement }
  /** Lets the thread wait for others than the one that they replace. */
  | { do: "await"; of: string; instead: string[] }
  /** Tells the thread what became of the one that it joined. */
  | { do: "inform"; of: string }
  /** A word of the exchange, said once under its key. */
  | { do: "say"; told: SystemMessage };

interface DueJob {
  n: number;
  bundle: string;
  ref: string;
  errand: ThreadJob;
  attempts: number;
}

/** Bundles that are gone on with in one go, and how often; the alarm comes again for the rest. */
const MAX_BUNDLES_PER_ROUND = 50;
const MAX_ROUNDS = 8;

/** Attempts after which a thread that was never made is given up: about two days. */
const MAX_ATTEMPTS = 60;

export class ThreadJobs {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** @param bundle errands under one name are run in the order in which they were added */
  add(bundle: string, ref: string, job: ThreadJob, now: number): void {
    this.#sql.exec(
      "INSERT INTO errands (bundle, ref, errand, due) VALUES (?, ?, ?, ?)",
      bundle,
      ref,
      JSON.stringify(job),
      now,
    );
  }

  /** The first errand of each bundle whose time has come. */
  listDue(now: number, limit: number): DueJob[] {
    return this.#sql
      .exec<Omit<DueJob, "errand"> & { errand: string }>(
        `SELECT n, bundle, ref, errand, attempts FROM errands e WHERE due <= ?
         AND n = (SELECT min(n) FROM errands WHERE bundle = e.bundle) ORDER BY due, n LIMIT ?`,
        now,
        limit,
      )
      .toArray()
      .map((row) => ({ ...row, errand: JSON.parse(row.errand) as ThreadJob }));
  }

  getNextDue(): number | undefined {
    const { due } = this.#sql
      .exec<{ due: number | null }>(
        `SELECT min(due) AS due FROM errands e
         WHERE n = (SELECT min(n) FROM errands WHERE bundle = e.bundle)`,
      )
      .one();
    return due ?? undefined;
  }

  markDone({ n }: DueJob): void {
    this.#sql.exec("DELETE FROM errands WHERE n = ?", n);
  }

  /** Gives the errand up, and with it those that were to follow. */
  drop({ bundle }: DueJob): void {
    this.#sql.exec("DELETE FROM errands WHERE bundle = ?", bundle);
  }

  postpone({ n, attempts }: DueJob, now: number): void {
    this.#sql.exec(
      "UPDATE errands SET attempts = attempts + 1, due = ? WHERE n = ?",
      now + getBackoffMs(attempts),
      n,
    );
  }
}

/** Runs what is due. A failed call is tried again later; what a thread refuses is given up. */
export async function runThreadJobs(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const { threadJobs } = stores;
  const household = stores.settings.getHousehold().id;
  const run = async (due: DueJob): Promise<void> => {
    try {
      const outcome = await runJob(env, stores, due);
      if (outcome === "done") threadJobs.markDone(due);
      else if (outcome === "later" && due.attempts < MAX_ATTEMPTS) threadJobs.postpone(due, now);
      else {
        log("errand_given_up", { household, ref: due.ref, errand: due.errand.do });
        threadJobs.drop(due);
      }
    } catch {
      threadJobs.postpone(due, now);
    }
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const due = threadJobs.listDue(now, MAX_BUNDLES_PER_ROUND);
    if (due.length === 0) return;
    await Promise.all(due.map(run));
  }
}

async function runJob(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  { ref, errand: job }: DueJob,
): Promise<"done" | "later" | "never"> {
  const household = stores.settings.getHousehold().id;
  const thread = threadStub(env, household, ref);
  switch (job.do) {
    case "create":
      return (await thread.create(await resolveJoin(env, stores, job))).ok ? "done" : "never";
    case "await":
      await thread.replaceDependency(job.of, job.instead);
      return "done";
    case "supersede":
      return (await thread.supersede(job.by)) ? "done" : "later";
    case "say":
      return (await thread.postSystemMessage(job.told)) ? "done" : "later";
    case "inform":
      return (await sendJoinedAnswer(env, household, ref, job.of)) ? "done" : "later";
    default:
      return job satisfies never;
  }
}

/** As `exchange/ask` does it for those who call. */
async function resolveJoin(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  { input, joins }: Extract<ThreadJob, { do: "create" }>,
): Promise<CreateInput> {
  if (!joins) return input;
  const { household, ref, requestor } = input;
  const first = threadStub(env, household, joins.ref);
  const found = await first.acceptJoiner({ actor: requestor, ref }, joins.within);
  if (found.ok) return { ...input, joins: joins.ref };
  stores.observations.unjoin(ref);
  const [block] = input.message.blocks;
  if (block?.type === "request")
    recordObservation(
      stores,
      requestor,
      { ref, request: block.body, observationDigest: joins.asks },
      Date.now(),
    );
  return input;
}

/** Hands the answer of the thread that it joined on; false where there is none yet, or nobody to tell. */
async function sendJoinedAnswer(
  env: Pick<Env, "THREADS">,
  household: string,
  ref: string,
  of: string,
): Promise<boolean> {
  const answer = await buildJoinedAnswer(threadStub(env, household, of), household, of);
  const message = answer && { key: `joined ${of}`, joined: of, ...answer };
  return (
    message !== undefined && (await threadStub(env, household, ref).postSystemMessage(message))
  );
}
