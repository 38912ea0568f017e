/** Defects with which one caller uses up what belongs to others, or a family is locked out. */
import type { Mutant } from "./mutant.ts";

const RATES = ["quotas/request-rates"];
const QUOTAS = ["quotas/household-quotas"];

export const QUOTA_MUTANTS: readonly Mutant[] = [
  {
    name: "quotas: a credential has no rate",
    file: "src/auth/rates/request-rate.ts",
    find: "if (!own.ok) return own;",
    replace: "if (!own.ok && count < 0) return own;",
    tests: RATES,
  },
  {
    name: "quotas: refused requests of one key use up those of the household",
    file: "src/auth/rates/request-rate.ts",
    find: "if (!own.ok) return own;",
    replace:
      'if (!own.ok) return await countRequest(env, "requests_per_household", caller.household).then(() => own);',
    tests: RATES,
  },
  {
    name: "quotas: a call with many messages counts once",
    file: "src/exchange/exchange.ts",
    find: "checkRequestRate(env, principal, appends - 1)",
    replace: "checkRequestRate(env, principal, appends - appends)",
    tests: RATES,
  },
  {
    name: "quotas: wrong keys lock out a valid key of the same address",
    file: "src/auth/api-keys.ts",
    find: "known ? undefined : checkAttempt(key, address, now);",
    replace: "checkAttempt(key, address, now);",
    tests: ["quotas/wrong-keys"],
  },
  {
    name: "quotas: wrong keys are not counted",
    file: "src/auth/api-keys.ts",
    find: "await recordWrongKey(env, key, address, now);",
    replace: "",
    tests: RATES,
  },
  {
    name: "quotas: a device with one expired key blocks its home",
    file: "src/auth/rates/wrong-keys.ts",
    find: "known !== undefined && known.knownUntil > now",
    replace: "known !== undefined && known.knownUntil < 0",
    tests: ["quotas/wrong-keys"],
  },
  {
    name: "quotas: every address of an IPv6 network counts on its own",
    file: "src/auth/rates/caller-address.ts",
    find: ".slice(0, 4)",
    replace: ".slice(0, 8)",
    tests: RATES,
  },
  {
    name: "quotas: a refusal has no Retry-After",
    file: "src/ingress/http/response.ts",
    find: '{ "Retry-After": String(error.retry_after) }',
    replace: "{}",
    tests: RATES,
  },
  {
    name: "quotas: threads are not counted",
    file: "src/household/threads/open-threads.ts",
    find: "if (exceeded) return fail(exceeded);",
    replace: "",
    tests: QUOTAS,
  },
  {
    name: "quotas: a repeated request counts again",
    file: "src/household/threads/open-threads.ts",
    find: "assigned.filter(({ existing }) => !existing).length",
    replace: "assigned.length",
    tests: QUOTAS,
  },
  {
    name: "quotas: the operator's changes have no effect",
    file: "src/household/quotas/quotas.ts",
    find: 'resolveLimits(deploymentLimits, settings.get("limits") ?? {})',
    replace: "resolveLimits(deploymentLimits, settings.get('limits') && {})",
    tests: QUOTAS,
  },
  {
    name: "quotas: a repeated upload counts again",
    file: "src/exchange/stage-upload.ts",
    find: "    await deleteBlobs(env.BLOBS, [blob.key]);\n    await releaseFiles(env, principal, sizes);",
    replace: "    await deleteBlobs(env.BLOBS, [blob.key]);",
    tests: QUOTAS,
  },
  {
    name: "quotas: a repeated message is refused when there is no space",
    file: "src/exchange/append-message.ts",
    find: "return found.ok && found.value !== null ? ok(false) : reserved;",
    replace: "return found.ok && found.value !== null ? reserved : reserved;",
    tests: QUOTAS,
  },
  {
    name: "quotas: a file that a crash left behind counts for ever",
    file: "src/household/jobs/blob-cleanup.ts",
    find: "storedFiles.settle(day, keptBytes);",
    replace: "",
    tests: QUOTAS,
  },
  {
    name: "quotas: a member without a new key is added anyway",
    file: "src/household/identity/member-keys.ts",
    find: "if (full) return fail(full);",
    replace: "",
    tests: QUOTAS,
  },
  {
    name: "quotas: messages through links have no budget",
    file: "src/thread/write-message.ts",
    find: "linkLimits: actor.scope?.jti === undefined ? undefined : linkLimits,",
    replace: "linkLimits: actor.scope?.jti === undefined ? linkLimits && undefined : undefined,",
    tests: ["quotas/link-budget"],
  },
  {
    name: "quotas: each link has a budget of its own",
    file: "src/mess/thread/link-budget.ts",
    find: "used.find((one) => one.actor === actor)",
    replace: "used.find((one) => one.actor === actor && one.messages > 1e9)",
    tests: ["quotas/link-budget", "unit/mess/thread/link-budget"],
  },
  {
    name: "quotas: a credential may wait any number of times",
    file: "src/exchange/wait-slots.ts",
    find: "if (count >= limit) return",
    replace: "if (count < 0) return",
    tests: ["quotas/waits"],
  },
  {
    name: "quotas: a wait that has ended keeps its slot",
    file: "src/exchange/wait-slots.ts",
    find: "    slot.value();",
    replace: "",
    tests: ["quotas/waits"],
  },
];
