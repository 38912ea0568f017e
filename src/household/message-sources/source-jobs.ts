/** Durable jobs that call the object of a message source. */
import { getSourceStub } from "../../stubs.ts";
import { exponential } from "../../object/retry.ts";
import type { JobHandlers } from "../../object/stored-jobs.ts";
import type { HouseholdJobs } from "../jobs/job-kinds.ts";
import type { Stores } from "../stores.ts";

const SOURCE_RETRY = exponential(1_000, 60_000);

export const SOURCE_JOB_KINDS = ["syncSource", "eraseSource", "catchUpSource"] as const;
type SourceJobKind = (typeof SOURCE_JOB_KINDS)[number];

/** A source that was removed and registered again must be erased before its new record arrives. */
const toQueue = (source: string): string => `source ${source}`;

/** Call it in the transaction that changes the source. Added, not put: an earlier one may be before an erasure. */
export const syncSource = ({ jobs }: Stores, source: string, now: number): void =>
  jobs.add("syncSource", toQueue(source), { source }, now);

export const eraseSource = ({ jobs }: Stores, source: string, now: number): void =>
  jobs.add("eraseSource", toQueue(source), { source }, now);

/** Call it in the transaction that changes the policy, the rules or the classifier. */
export function catchUpSources({ jobs, messageSources }: Stores, now: number): void {
  for (const { name } of messageSources.list())
    jobs.put("catchUpSource", `catch up ${name}`, { source: name }, now);
}

export function createSourceHandlers(
  env: Pick<Env, "SOURCES">,
  stores: Stores,
  household: string,
): Pick<JobHandlers<HouseholdJobs>, SourceJobKind> {
  const object = (source: string) => getSourceStub(env, household, source);
  return {
    syncSource: {
      run: async ({ source }) => {
        const found = stores.messageSources.find(source);
        if (found) {
          const { settings: _settings, ...record } = found;
          await object(source).sync({ household, ...record });
        }
        return "done";
      },
      retryDelayMs: SOURCE_RETRY,
    },
    eraseSource: {
      run: async ({ source }) => {
        await object(source).erase({ household, name: source });
        return "done";
      },
      retryDelayMs: SOURCE_RETRY,
    },
    catchUpSource: {
      run: async ({ source }) => {
        if (stores.messageSources.find(source)) await object(source).watcher.catchUp();
        return "done";
      },
      retryDelayMs: SOURCE_RETRY,
    },
  };
}
