/**
 * Every quota and rate of the exchange, in one table: the owner's view, the operator's settings and the table in
 * docs/limits.md are built from it or compared with it. Limits of a single message are in `limits.ts`.
 */
import { defined } from "./defined.ts";
import * as z from "zod";
import { type MessError, refuse } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** Where a quota is counted, and therefore who can change it. */
export type QuotaKind =
  /** By a rate limit binding in the Worker, before an object is called. Its limit is in wrangler.toml. */
  | "binding"
  /** In the Worker's memory. */
  | "worker"
  /** Exactly, in the household's object; the operator can change it for one household. */
  | "household"
  /** Exactly, in the thread's object. */
  | "thread"
  /** In the thread's object; part of the protocol, and the same for everybody. */
  | "fixed";

export interface Quota {
  readonly limit: number;
  /** The counted things, with the period for rates. */
  readonly unit: string;
  readonly kind: QuotaKind;
  readonly code: "rate_limited" | "too_many" | "storage_full" | "thread_full";
  /** Seconds after which a refused caller may try again; absent where only an end of the thread helps. */
  readonly retrySeconds?: number;
  /** How to fix a refused call. */
  readonly hint: string;
}

const HOUR_SECONDS = 3_600;

const defineQuotas = <T extends Record<string, Quota>>(quotas: T): { [K in keyof T]: Quota } =>
  quotas;

export const QUOTAS = defineQuotas({
  requests_per_credential: {
    limit: 200,
    unit: "requests in 10 seconds",
    kind: "binding",
    code: "rate_limited",
    retrySeconds: 10,
    hint: "Send fewer calls: wait for changes with /wait instead of polling, and send several blocks in one message.",
  },
  requests_per_household: {
    limit: 600,
    unit: "requests in 10 seconds",
    kind: "binding",
    code: "rate_limited",
    retrySeconds: 10,
    hint: "The household's members send too many calls together; send fewer.",
  },
  attempts_per_address: {
    limit: 30,
    unit: "failed or anonymous attempts in 60 seconds",
    kind: "binding",
    code: "rate_limited",
    retrySeconds: 60,
    hint: "Check the key or link before you try again.",
  },
  waits_per_credential: {
    limit: 64,
    unit: "waiting calls at a time",
    kind: "worker",
    code: "too_many",
    retrySeconds: 10,
    hint: "Wait for several threads in one call: GET /mess?for=me&wait=25, or mess_wait with several refs.",
  },
  open_threads_per_member: {
    limit: 300,
    unit: "open threads that the member requested",
    kind: "household",
    code: "too_many",
    retrySeconds: HOUR_SECONDS,
    hint: "Cancel requests that are no longer needed, or wait until some of them end.",
  },
  open_threads_per_household: {
    limit: 1_000,
    unit: "open threads",
    kind: "household",
    code: "too_many",
    retrySeconds: HOUR_SECONDS,
    hint: "Cancel requests that are no longer needed, or wait until some of them end.",
  },
  new_threads_per_member: {
    limit: 300,
    unit: "new threads in a day",
    kind: "household",
    code: "rate_limited",
    hint: "Continue an existing thread with a followup, or send the request tomorrow.",
  },
  new_threads_per_household: {
    limit: 1_000,
    unit: "new threads in a day",
    kind: "household",
    code: "rate_limited",
    hint: "Continue an existing thread with a followup, or send the request tomorrow.",
  },
  schedules_per_member: {
    limit: 50,
    unit: "schedules",
    kind: "household",
    code: "too_many",
    retrySeconds: HOUR_SECONDS,
    hint: "Delete a schedule that has ended.",
  },
  schedules_per_household: {
    limit: 200,
    unit: "schedules",
    kind: "household",
    code: "too_many",
    retrySeconds: HOUR_SECONDS,
    hint: "Delete a schedule that has ended.",
  },
  keys_per_member: {
    limit: 20,
    unit: "active keys",
    kind: "household",
    code: "too_many",
    retrySeconds: HOUR_SECONDS,
    hint: "Revoke a key that is no longer used: GET /api/v1/keys lists them.",
  },
  keys_per_household: {
    limit: 200,
    unit: "active keys",
    kind: "household",
    code: "too_many",
    retrySeconds: HOUR_SECONDS,
    hint: "Revoke a key that is no longer used: GET /api/v1/keys lists them.",
  },
  uploads_per_member: {
    limit: 500,
    unit: "files in a day",
    kind: "household",
    code: "rate_limited",
    hint: "Send the file tomorrow, or publish it at a URL and send the URL.",
  },
  upload_bytes_per_member: {
    limit: 2 * 1024 ** 3,
    unit: "bytes of files in a day",
    kind: "household",
    code: "rate_limited",
    hint: "Send the file tomorrow, or publish it at a URL and send the URL.",
  },
  stored_bytes_per_household: {
    limit: 10 * 1024 ** 3,
    unit: "bytes of stored files",
    kind: "household",
    code: "storage_full",
    retrySeconds: HOUR_SECONDS,
    hint: "Publish the file at a URL and send the URL, or ask the operator of the exchange for more space.",
  },
  link_messages_per_thread: {
    limit: 500,
    unit: "messages that one member sends through links",
    kind: "thread",
    code: "thread_full",
    hint: "Ask the requestor to create a new request.",
  },
  link_bytes_per_thread: {
    limit: 1024 ** 2,
    unit: "bytes of text that one member sends through links",
    kind: "thread",
    code: "thread_full",
    hint: "Ask the requestor to create a new request, or send the text as a file.",
  },
  messages_per_thread: {
    limit: LIMITS.messagesPerThread,
    unit: "messages",
    kind: "fixed",
    code: "thread_full",
    hint: "Create a new request, and refer to this thread with a ref entry in its context.",
  },
  bytes_per_thread: {
    limit: LIMITS.threadBytes,
    unit: "bytes of text",
    kind: "fixed",
    code: "thread_full",
    hint: "Create a new request, and refer to this thread with a ref entry in its context.",
  },
});

export type QuotaName = keyof typeof QUOTAS;

export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

/** The limits that hold: the defaults, with the changes of the deployment and of the household. */
export type QuotaLimits = Readonly<Record<QuotaName, number>>;

const buildLimitsSchema = (kinds: readonly QuotaKind[]) =>
  z.strictObject(
    Object.fromEntries(
      QUOTA_NAMES.filter((name) => kinds.includes(QUOTAS[name].kind)).map((name) => [
        name,
        // A rate can be turned off here; its number is that of its binding.
        (QUOTAS[name].kind === "binding"
          ? z.union([z.int().min(0), z.null().transform(() => Infinity)])
          : z.int().min(0)
        ).exactOptional(),
      ]),
    ),
  ) as unknown as z.ZodType<Partial<QuotaLimits>>;

/** The changes of a deployment, in its variable LIMITS. */
export const deploymentLimitsSchema = buildLimitsSchema([
  "binding",
  "worker",
  "household",
  "thread",
]);

/** The changes for one household, which its operator makes. */
export const householdLimitsSchema = buildLimitsSchema(["household"]);

export const resolveLimits = (...changes: readonly Partial<QuotaLimits>[]): QuotaLimits =>
  Object.assign(
    Object.fromEntries(QUOTA_NAMES.map((name) => [name, QUOTAS[name].limit])),
    ...changes,
  ) as QuotaLimits;

/** The refusal of a call beyond the quota. @param retrySeconds for quotas of a day: the rest of the day */
export function refuseQuota(
  name: QuotaName,
  limit: number,
  retrySeconds?: number,
): { readonly ok: false; readonly error: MessError } {
  const { code, unit, hint, retrySeconds: usual } = QUOTAS[name];
  const seconds = retrySeconds ?? usual;
  return refuse(code, `${name}: at most ${limit.toLocaleString("en")} ${unit}`, hint, {
    reason: name,
    ...defined({ retry_after: seconds }),
  });
}
