/**
 * `npm run test:release [STEP …]`: the reliability tests in the sizes that a release requires. A step repeats its files
 * with other seeds in each round, since one workerd does not hold 100,000 schedules. Stops at the first failure.
 */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { RELEASE_STEPS } from "./lib/release-steps.ts";

const ROOT = resolve(import.meta.dirname, "..");
const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");

const names = process.argv.slice(2);
const unknown = names.find((name) => RELEASE_STEPS.every((step) => step.name !== name));
if (unknown !== undefined) {
  const known = RELEASE_STEPS.map(({ name }) => name).join(", ");
  console.error(`There is no step ${unknown}. The steps are ${known}; without a name, all run.`);
  process.exit(2);
}

for (const { name, rounds, seedStep, sizes, files } of RELEASE_STEPS) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (let round = 0; round < rounds; round++) {
    const seed = String(1 + round * seedStep);
    console.log(`${name}: round ${round + 1} of ${rounds}, seed ${seed}`);
    const { status } = spawnSync(process.execPath, [VITEST, "run", ...files], {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, ...sizes, RELIABILITY_SEED: seed, CRASH_SEED: seed },
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}
