/** Runs every case of the suite against this implementation. */
import { describe, expect, it } from "vitest";
import { runAdapter } from "./adapter.ts";
import { check } from "./check.ts";
import { loadSuite } from "./suite.ts";

const suite = loadSuite();
const byOperation = Map.groupBy(suite, ({ op }) => op);

for (const [op, cases] of byOperation)
  describe(op, () => {
    for (const one of cases)
      it(`${one.id}: ${one.title} [${one.follows.join(", ")}]`, async () => {
        expect(await check(one, runAdapter)).toEqual([]);
      });
  });
