/** Durable jobs that call the lifecycle hooks of the household. */
import type { ThreadSummary } from "../../contracts/thread.ts";
import { sendHook } from "../../channels/webhook/send-hook.ts";
import { getConfig } from "../../config.ts";
import { type Hook, listHookEvents } from "../../mess/config/hooks.ts";
import type { Json } from "../../mess/json.ts";
import type { Status } from "../../mess/status.ts";
import { writeTime } from "../../mess/times.ts";
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { getWebhookRetryDelayMs } from "../../object/webhook-retry.ts";
import type { HouseholdJobs } from "../jobs/job-kinds.ts";
import { fillReferences, findReferences } from "../secrets/secret-references.ts";
import { SecretVault } from "../secrets/secret-vault.ts";
import type { Stores } from "../stores.ts";

/** Slightly more than the egress waits for a response. */
const ATTEMPT_TIMEOUT_MS = 25_000;
/** A hook that was due for longer is given up, also where it waited behind others of a dead receiver. */
const MAX_AGE_MS = 3 * 86_400_000;
const MAX_INTENT_CHARS = 1_000;
/** Hooks that wait; further events are dropped, and logged for the owners. */
const MAX_WAITING = 1_000;

const listHooks = ({ settings }: Stores, event: string): Hook[] =>
  (settings.getHooks()[event] ?? []) as unknown as Hook[];

/** Adds a job for each hook of what happened. Call it in the transaction that records the summary. */
export function queueHooks(
  stores: Stores,
  summary: ThreadSummary,
  before: { seq: number; status: Status },
  now: number,
): void {
  if (Object.keys(stores.settings.getHooks()).length === 0) return;
  const isNew = before.seq === 0;
  // A candidate may decline while the request stays open.
  const passed = (summary.moves ?? [])
    .filter(
      ([seq, status]) => seq > before.seq && (status !== "declined" || summary.status === status),
    )
    .map(([, status]) => status);
  for (const { event, status } of listHookEvents(isNew ? undefined : before.status, passed))
    for (const [index, hook] of listHooks(stores, event).entries()) {
      if (stores.jobs.countOfKind("hook", MAX_WAITING) >= MAX_WAITING) {
        stores.events.appendHookFailure(summary.ref, `${event}: too many hooks wait`, now);
        continue;
      }
      const id = `msg_${crypto.randomUUID()}`;
      const variables = buildVariables(summary, event, status);
      stores.jobs.add("hook", `hook ${event} ${index}`, { id, at: now, hook, variables }, now);
    }
}

const buildVariables = (
  { household, ref, intent, priority, requestor, executor, created, updated, zone }: ThreadSummary,
  event: string,
  status: Status,
) => ({
  event,
  exchange_id: household,
  ref,
  intent: intent.slice(0, MAX_INTENT_CHARS).toWellFormed(),
  status,
  priority,
  requestor,
  requestor_id: requestor,
  executor: executor ?? "",
  executor_id: executor ?? "",
  created_at: writeTime(created, zone),
  updated_at: writeTime(updated, zone),
});

export function createHookHandlers(
  env: Pick<Env, "MESS_SECRET" | "MESS_OPERATOR_KEY">,
  stores: Stores,
  household: string,
): Pick<JobHandlers<HouseholdJobs>, "hook"> {
  /** The hook with its secrets; undefined where an owner has removed or changed it, or a secret is not set. */
  const open = async ({ hook, variables }: HouseholdJobs["hook"]): Promise<Hook | undefined> => {
    const written = JSON.stringify(hook);
    const isSet = listHooks(stores, variables.event).some((one) => JSON.stringify(one) === written);
    if (!isSet) return undefined;
    const vault = new SecretVault(getConfig(env).secret, household, stores.secrets);
    const value = hook as unknown as Json;
    const known = await vault.openAll(findReferences(value));
    const filled = fillReferences(value, known) as unknown as Partial<Hook>;
    return filled.url === undefined || (hook.secret !== undefined && filled.secret === undefined)
      ? undefined
      : { ...filled, url: filled.url };
  };
  const giveUp = (job: HouseholdJobs["hook"], reason: string) => {
    stores.events.appendHookFailure(
      job.variables.ref,
      `${job.variables.event}: ${reason}`,
      Date.now(),
    );
    return "give_up" as const;
  };
  return {
    hook: {
      run: async (job, attempts) => {
        const hook = await open(job);
        if (!hook) return "done";
        const { id, variables } = job;
        const sent = await sendHook(env, { household, id, hook, variables });
        if (sent === "accepted") return "done";
        if (sent === "refused") return giveUp(job, "the receiver refuses it for good");
        const isLast = getWebhookRetryDelayMs(attempts + 1) === undefined;
        return isLast || Date.now() - job.at > MAX_AGE_MS
          ? giveUp(job, "the receiver does not answer")
          : "retry";
      },
      retryDelayMs: getWebhookRetryDelayMs,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
    },
  };
}
