/** Handlers of the household's jobs. A job may run several times; the thread applies it once. */
import { getConfig } from "../../config.ts";
import { reportSealing } from "../../partitions/sealing-registry.ts";
import { resealSecrets } from "../secrets/reseal.ts";
import { SecretVault } from "../secrets/secret-vault.ts";
import { getThreadStub } from "../../stubs.ts";
import { log } from "../../log.ts";
import { Jobs } from "../../object/jobs.ts";
import { type JobHandlers, type JobOutcome, StoredJobs } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { CreateInput } from "../../contracts/thread.ts";
import { buildJoinedAnswer } from "../threads/joined-thread-answer.ts";
import { createGroupHandlers, type GROUP_JOB_KINDS } from "../memberships/group-jobs.ts";
import { createSourceHandlers, type SOURCE_JOB_KINDS } from "../message-sources/source-jobs.ts";
import { createHookHandlers } from "../hooks/hook-jobs.ts";
import { recordObservation } from "../threads/coalesce.ts";
import type { Stores } from "../stores.ts";
import type { HouseholdJobs } from "./job-kinds.ts";

/** One second, doubling up to an hour. A thread that cannot be reached is tried without limit. */
const THREAD_RETRY = exponential(1_000, 3_600_000);
/** At most 30 seconds, which is also how long an isolate caches an API key. */
const REVOCATION_RETRY = exponential(1_000, 30_000);
/** Attempts for a thread that does not exist yet: about two days. */
const MAX_ATTEMPTS = 60;

/** A notice may have been postponed again while its release was on the way; after these it waits for a good reason. */
const MAX_RELEASES = 3;

type ThreadEnv = Pick<Env, "THREADS">;
type JobEnv = Pick<
  Env,
  "THREADS" | "GROUPS" | "SOURCES" | "INDEX" | "MESS_SECRET" | "MESS_OPERATOR_KEY"
>;

/** Runs the jobs of the household. The stores are those of a household that exists. */
export const createHouseholdJobs = (
  env: JobEnv,
  storage: Pick<DurableObjectStorage, "transactionSync">,
  stores: Stores,
): Jobs<keyof HouseholdJobs> => {
  const household = stores.settings.getHousehold().id;
  const jobs = new StoredJobs(stores.jobs, {
    storage,
    handlers: {
      ...createThreadHandlers(env, stores, household),
      ...createGroupHandlers(env, stores, household),
      ...createSourceHandlers(env, stores, household),
      ...createHookHandlers(env, stores, household),
      reseal: {
        run: async () => {
          const vault = new SecretVault(getConfig(env).secret, household, stores.secrets);
          await resealSecrets(storage, stores, vault, (state) =>
            reportSealing(env.INDEX, household, state),
          );
          return "done";
        },
        retryDelayMs: THREAD_RETRY,
      },
    },
    onError: ({ kind, attempts }) => log("job_failed", { household, kind, attempts }),
    onGiveUp: ({ kind, queue }) => log("job_given_up", { household, kind, queue }),
  });
  return new Jobs([jobs]);
};

function createThreadHandlers(
  env: ThreadEnv,
  stores: Stores,
  household: string,
): Omit<
  JobHandlers<HouseholdJobs>,
  "reseal" | "hook" | (typeof GROUP_JOB_KINDS)[number] | (typeof SOURCE_JOB_KINDS)[number]
> {
  const thread = (ref: string) => getThreadStub(env, household, ref);
  return {
    create: {
      run: async (job) =>
        (await thread(job.ref).create(await resolveJoin(env, stores, job))).ok ? "done" : "give_up",
      retryDelayMs: THREAD_RETRY,
    },
    deleteThread: {
      run: async ({ ref }) => {
        await thread(ref).erase({ household, ref });
        stores.settings.set("files_counted", false);
        return "done";
      },
      retryDelayMs: THREAD_RETRY,
    },
    supersede: {
      run: async ({ ref, by }, attempts) => retryUnless(await thread(ref).supersede(by), attempts),
      retryDelayMs: THREAD_RETRY,
    },
    await: {
      run: async ({ ref, of, instead }) => {
        await thread(ref).replaceDependency(of, instead);
        return "done";
      },
      retryDelayMs: THREAD_RETRY,
    },
    inform: {
      run: async ({ ref, of }, attempts) =>
        retryUnless(await sendJoinedAnswer(env, household, ref, of), attempts),
      retryDelayMs: THREAD_RETRY,
    },
    say: {
      run: async ({ ref, message }, attempts) =>
        retryUnless(await thread(ref).postSystemMessage(message), attempts),
      retryDelayMs: THREAD_RETRY,
    },
    unblock: {
      run: async ({ ref, dependency, status }) => {
        await thread(ref).resolveDependency(dependency, status);
        return "done";
      },
      retryDelayMs: THREAD_RETRY,
    },
    releaseHeld: {
      run: async ({ ref, actor }, attempts) =>
        (await thread(ref).releaseHeld(actor)) || attempts >= MAX_RELEASES ? "done" : "retry",
      retryDelayMs: THREAD_RETRY,
    },
    revokeLinks: {
      run: async ({ ref, end }) => {
        await thread(ref).endAccess(end);
        return "done";
      },
      retryDelayMs: REVOCATION_RETRY,
    },
  };
}

/** The thread does not exist yet, so the job is retried a limited number of times. */
function retryUnless(isDone: boolean, attempts: number): JobOutcome {
  if (isDone) return "done";
  return attempts < MAX_ATTEMPTS ? "retry" : "give_up";
}

/** Joins the other thread if it accepts, as `exchange/create-threads` does for callers' requests. */
async function resolveJoin(
  env: ThreadEnv,
  stores: Stores,
  { input, joins }: HouseholdJobs["create"],
): Promise<CreateInput> {
  if (!joins) return input;
  const { household, ref, requestor } = input;
  const first = getThreadStub(env, household, joins.ref);
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

/** Sends the answer of the joined thread. False where there is no answer yet, or no thread to receive it. */
async function sendJoinedAnswer(
  env: ThreadEnv,
  household: string,
  ref: string,
  of: string,
): Promise<boolean> {
  const answer = await buildJoinedAnswer(getThreadStub(env, household, of), household, of);
  const message = answer && { key: `joined ${of}`, joined: of, ...answer };
  return (
    message !== undefined && (await getThreadStub(env, household, ref).postSystemMessage(message))
  );
}
