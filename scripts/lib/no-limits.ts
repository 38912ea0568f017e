/** Limits for load tests and benchmarks, which send more than any household may. */
import { QUOTA_NAMES, type QuotaKind, QUOTAS } from "../../src/mess/quotas.ts";

const MAX_COUNT = 1_000_000_000;

const UNLIMITED_KINDS: readonly QuotaKind[] = ["binding", "worker", "household"];

/** A value of the variable LIMITS: no rates, and no quotas of a household. */
export const NO_LIMITS: string = JSON.stringify(
  Object.fromEntries(
    QUOTA_NAMES.filter((name) => UNLIMITED_KINDS.includes(QUOTAS[name].kind)).map((name) => [
      name,
      QUOTAS[name].kind === "binding" ? null : MAX_COUNT,
    ]),
  ),
);
