/**
 * What the household has yet to do to threads: make those that it opened by itself, end those that were replaced,
 * hand an answer on. Errands of one bundle are run in order, each until it is done, so that a crash between two of
 * them loses neither and does neither twice.
 */
import { threadStub } from "../../stubs.ts";
import { log } from "../../log.ts";
import type { Replacement } from "../../mess/thread/supersede.ts";
import type { CreateInput, Told } from "../../contracts/thread.ts";
import { answerOf } from "../threads/joined-thread-answer.ts";
import { observe } from "../threads/coalesce.ts";
import type { Stores } from "../stores.ts";
import { pause } from "./backoff.ts";

export type Errand =
  /** Makes the thread, which joins another first, if that lets it in. */
  | { do: "create"; input: CreateInput; joins?: { ref: string; within: number; asks: string } }
  | { do: "supersede"; by: Replacement }
  /** Lets the thread wait for others than the one that they replace. */
  | { do: "await"; of: string; instead: string[] }
  /** Tells the thread what became of the one that it joined. */
  | { do: "inform"; of: string }
  /** A word of the exchange, said once under its key. */
  | { do: "say"; told: Told };

interface Due {
  n: number;
  bundle: string;
  ref: string;
  errand: Errand;
  attempts: number;
}

/** Bundles that are gone on with in one go, and how often; the alarm comes again for the rest. */
const AT_ONCE = 50;
const ROUNDS = 8;

/** Attempts after which a thread that was never made is given up: about two days. */
const MOST_ATTEMPTS = 60;

export class Errands {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** @param bundle errands under one name are run in the order in which they were added */
  add(bundle: string, ref: string, errand: Errand, now: number): void {
    this.#sql.exec(
      "INSERT INTO errands (bundle, ref, errand, due) VALUES (?, ?, ?, ?)",
      bundle,
      ref,
      JSON.stringify(errand),
      now,
    );
  }

  /** The first errand of each bundle whose time has come. */
  due(now: number, limit: number): Due[] {
    return this.#sql
      .exec<Omit<Due, "errand"> & { errand: string }>(
        `SELECT n, bundle, ref, errand, attempts FROM errands e WHERE due <= ?
         AND n = (SELECT min(n) FROM errands WHERE bundle = e.bundle) ORDER BY due, n LIMIT ?`,
        now,
        limit,
      )
      .toArray()
      .map((row) => ({ ...row, errand: JSON.parse(row.errand) as Errand }));
  }

  nextDue(): number | undefined {
    const { due } = this.#sql
      .exec<{ due: number | null }>(
        `SELECT min(due) AS due FROM errands e
         WHERE n = (SELECT min(n) FROM errands WHERE bundle = e.bundle)`,
      )
      .one();
    return due ?? undefined;
  }

  done({ n }: Due): void {
    this.#sql.exec("DELETE FROM errands WHERE n = ?", n);
  }

  /** Gives the errand up, and with it those that were to follow. */
  drop({ bundle }: Due): void {
    this.#sql.exec("DELETE FROM errands WHERE bundle = ?", bundle);
  }

  postpone({ n, attempts }: Due, now: number): void {
    this.#sql.exec(
      "UPDATE errands SET attempts = attempts + 1, due = ? WHERE n = ?",
      now + pause(attempts),
      n,
    );
  }
}

/** Runs what is due. A failed call is tried again later; what a thread refuses is given up. */
export async function runErrands(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const { errands } = stores;
  const household = stores.settings.household().id;
  const run = async (due: Due): Promise<void> => {
    try {
      const outcome = await carryOut(env, stores, due);
      if (outcome === "done") errands.done(due);
      else if (outcome === "later" && due.attempts < MOST_ATTEMPTS) errands.postpone(due, now);
      else {
        log("errand_given_up", { household, ref: due.ref, errand: due.errand.do });
        errands.drop(due);
      }
    } catch {
      errands.postpone(due, now);
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    const due = errands.due(now, AT_ONCE);
    if (due.length === 0) return;
    await Promise.all(due.map(run));
  }
}

async function carryOut(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  { ref, errand }: Due,
): Promise<"done" | "later" | "never"> {
  const household = stores.settings.household().id;
  const thread = threadStub(env, household, ref);
  switch (errand.do) {
    case "create":
      return (await thread.create(await joined(env, stores, errand))).ok ? "done" : "never";
    case "await":
      await thread.waitInstead(errand.of, errand.instead);
      return "done";
    case "supersede":
      return (await thread.supersede(errand.by)) ? "done" : "later";
    case "say":
      return (await thread.say(errand.told)) ? "done" : "later";
    case "inform":
      return (await inform(env, household, ref, errand.of)) ? "done" : "later";
    default:
      return errand satisfies never;
  }
}

/** As `exchange/ask` does it for those who call. */
async function joined(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  { input, joins }: Extract<Errand, { do: "create" }>,
): Promise<CreateInput> {
  if (!joins) return input;
  const { household, ref, requestor } = input;
  const first = threadStub(env, household, joins.ref);
  const found = await first.join({ actor: requestor, ref }, joins.within);
  if (found.ok) return { ...input, joins: joins.ref };
  stores.observations.unjoin(ref);
  const [block] = input.message.blocks;
  if (block?.type === "request")
    observe(stores, requestor, { ref, request: block.body, asks: joins.asks }, Date.now());
  return input;
}

/** Hands the answer of the thread that it joined on; false where there is none yet, or nobody to tell. */
async function inform(
  env: Pick<Env, "THREADS">,
  household: string,
  ref: string,
  of: string,
): Promise<boolean> {
  const answer = await answerOf(threadStub(env, household, of), household, of);
  const told = answer && { key: `joined ${of}`, joined: of, ...answer };
  return told !== undefined && (await threadStub(env, household, ref).say(told));
}
