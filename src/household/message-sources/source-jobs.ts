/** Durable jobs that call the object of a message source. */
import { getConfig } from "../../config.ts";
import type { SourceRecord } from "../../contracts/sources.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import { getSourceStub, getThreadStub } from "../../stubs.ts";
import { exponential } from "../../object/retry.ts";
import type { JobHandlers } from "../../object/stored-jobs.ts";
import type { HouseholdJobs } from "../jobs/job-kinds.ts";
import { GeneratedSecrets } from "../secrets/generated-secrets.ts";
import { SecretVault } from "../secrets/secret-vault.ts";
import type { Stores } from "../stores.ts";
import { openSourceSettings } from "./open-settings.ts";
import { toRequestMessage } from "./show-requests.ts";
import type { StoredSource } from "./source-table.ts";

const SOURCE_RETRY = exponential(1_000, 60_000);
const INCOMPLETE_REASON =
  "The settings of this source are incomplete: a secret that they name is not set.";

export const SOURCE_JOB_KINDS = [
  "syncSource",
  "eraseSource",
  "catchUpSource",
  "showRequest",
] as const;
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

/** The source as its object stores it; undefined for one that was removed. */
export function buildRecord(
  { messageSources }: Stores,
  household: string,
  name: string,
): SourceRecord | undefined {
  const { settings: _settings, ...record } = messageSources.find(name) ?? {};
  return "revision" in record ? { household, ...record } : undefined;
}

export function createSourceHandlers(
  env: Pick<Env, "SOURCES" | "THREADS" | "MESS_SECRET" | "MESS_OPERATOR_KEY">,
  stores: Stores,
  household: string,
): Pick<JobHandlers<HouseholdJobs>, SourceJobKind> {
  const explainCannotSend = async (source: StoredSource): Promise<string | undefined> => {
    const vault = new SecretVault(getConfig(env).secret, household, stores.secrets);
    const generated = new GeneratedSecrets(stores, vault);
    const settings = await openSourceSettings(vault, generated, stores, source);
    const kind = findSourceKind(source.kind);
    if (settings !== null) return kind?.explainCannotSend(settings);
    return kind?.channel === undefined
      ? INCOMPLETE_REASON
      : `The channel of this source is not set up: set dispatch.${kind.channel}.`;
  };
  const object = (source: string) => getSourceStub(env, household, source);
  return {
    syncSource: {
      run: async ({ source }) => {
        const found = stores.messageSources.find(source);
        if (found) {
          stores.messageSources.setCannotSend(source, await explainCannotSend(found));
          const record = buildRecord(stores, household, source);
          if (record) await object(source).sync(record);
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
    showRequest: {
      run: async ({ ref, source }) => {
        const summary = await getThreadStub(env, household, ref).getSummary();
        // A disconnected or full source refuses it.
        if (summary && stores.messageSources.find(source))
          await object(source).messages.receive([toRequestMessage(stores, summary)]);
        return "done";
      },
      retryDelayMs: SOURCE_RETRY,
    },
  };
}
