/** Compares docs/limits.md and the rate limit bindings of wrangler.toml with the table of quotas. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { getConfig } from "../../../src/config.ts";
import { ERRORS } from "../../../src/mess/errors.ts";
import {
  deploymentLimitsSchema,
  householdLimitsSchema,
  QUOTA_NAMES,
  type QuotaKind,
  type QuotaName,
  QUOTAS,
  refuseQuota,
  resolveLimits,
} from "../../../src/mess/quotas.ts";
import { getSection, listCodes, parseTables, readPage } from "../../support/markdown.ts";

const COUNTED: Readonly<Record<QuotaKind, string>> = {
  binding: "Worker (rate)",
  worker: "Worker (memory)",
  household: "household",
  thread: "thread",
  fixed: "thread (fixed)",
};

const BINDINGS: Partial<Record<QuotaName, string>> = {
  requests_per_credential: "CREDENTIAL_REQUESTS",
  requests_per_household: "HOUSEHOLD_REQUESTS",
  attempts_per_address: "STRANGERS",
};

describe("the table of quotas", () => {
  it("docs/limits.md lists every quota with its default, where it is counted, and its code", () => {
    const [table = []] = parseTables(getSection(readPage("docs/limits.md"), "All limits"));

    expect(
      table.map(([name = "", value, counted, code = ""]) => [
        listCodes(name)[0],
        value,
        counted,
        listCodes(code)[0],
      ]),
    ).toEqual(
      QUOTA_NAMES.map((name) => {
        const { limit, unit, kind, code } = QUOTAS[name];
        return [name, `${limit.toLocaleString("en")} ${unit}`, COUNTED[kind], code];
      }),
    );
  });

  it("wrangler.toml has the rates of the table", () => {
    const text = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    const found = [
      ...text.matchAll(
        /\[\[ratelimits\]\]\nname = "(\w+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = (\d+) \}/g,
      ),
    ].map(([, name, limit, period]) => `${name}: ${limit} in ${period} seconds`);

    const rates = QUOTA_NAMES.filter((name) => QUOTAS[name].kind === "binding").map((name) => {
      const { limit, unit } = QUOTAS[name];
      return `${BINDINGS[name]}: ${limit} ${/in \d+ seconds$/.exec(unit)?.[0]}`;
    });
    expect(found.toSorted()).toEqual(rates.toSorted());
  });

  it.each(QUOTA_NAMES)("a refusal by %s names the quota and how to fix the call", (name) => {
    const { error } = refuseQuota(name, 7);

    expect([429, 413, 409]).toContain(ERRORS[error.code]);
    expect(error).toMatchObject({ code: QUOTAS[name].code, reason: name, hint: QUOTAS[name].hint });
    expect(error.message).toContain("at most 7");
  });
});

describe("changed limits", () => {
  const VARS = {
    MESS_SECRET: "a-worker-secret-of-at-least-32-bytes",
    MESS_OPERATOR_KEY: "an-operator-key-of-16",
  };

  it("the variable LIMITS changes the limits that it names", () => {
    const { limits } = getConfig({ ...VARS, LIMITS: '{"waits_per_credential": 3}' });

    expect(limits).toEqual({ ...resolveLimits(), waits_per_credential: 3 });
    expect(getConfig({ ...VARS, LIMITS: "" }).limits).toEqual(resolveLimits());
  });

  it.each([
    "{",
    "[]",
    '{"open_threads": 1}',
    '{"keys_per_member": "many"}',
    '{"messages_per_thread": 1}',
  ])("a deployment whose LIMITS is %s serves nothing", (LIMITS) => {
    expect(() => getConfig({ ...VARS, LIMITS })).toThrow("LIMITS");
  });

  it("an operator changes for one household only what the household counts", () => {
    const settable = QUOTA_NAMES.filter(
      (name) => householdLimitsSchema.safeParse({ [name]: 1 }).success,
    );

    expect(settable).toEqual(QUOTA_NAMES.filter((name) => QUOTAS[name].kind === "household"));
    expect(deploymentLimitsSchema.safeParse({ bytes_per_thread: 1 }).success).toBe(false);
  });
});
