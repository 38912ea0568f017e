/**
 * Simulates 3 ops and 40 agents. RELIABILITY_SIMULATIONS sets the number of simulations, RELIABILITY_SEED the first
 * seed.
 */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { Faults } from "../fault-injection.ts";
import { advanceClock } from "../reliability-household.ts";
import { listViolations } from "./checks.ts";
import { Simulation } from "./simulation.ts";

const SIMULATIONS = Number(env.RELIABILITY_SIMULATIONS);
const SEED = Number(env.RELIABILITY_SEED);

it(
  `3 ops and 40 agents with kills, restarts and lost answers lose and double nothing in ${SIMULATIONS} simulations (seeds from ${SEED})`,
  { timeout: 60_000 + SIMULATIONS * 20_000 },
  async () => {
    // Faults that pass through an object are logged as defects, as intended.
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const faults = new Faults().install();
    advanceClock(0);
    // The index of messages costs the most time.
    faults.setOutage("list", "before");
    const figures = { calls: 0, messages: 0, tasks: 0, claims: 0, streams: 0 };
    const violations: string[] = [];
    for (let seed = SEED; seed < SEED + SIMULATIONS && violations.length === 0; seed++) {
      const simulation = await Simulation.create(seed, faults);
      await simulation.run();
      const { world, members } = simulation;
      const found = await listViolations(world, members);
      violations.push(...found.map((violation) => `seed ${seed}: ${violation}`));
      figures.calls += world.callCount;
      figures.messages += world.sent.length;
      figures.tasks += world.taskCount;
      figures.claims += world.claims.length;
      figures.streams += world.streams.length;
    }
    log.mockRestore();
    console.log(JSON.stringify({ ...figures, faults: Object.fromEntries(faults.injectedCounts) }));
    expect(violations).toEqual([]);
    expect(figures.claims).toBeGreaterThan(20 * SIMULATIONS);
    expect(figures.messages).toBeGreaterThan(100 * SIMULATIONS);
    expect(faults.injectedCounts.size).toBeGreaterThan(10);
  },
);
