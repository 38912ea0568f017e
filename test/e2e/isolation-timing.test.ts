/**
 * The time of a response does not tell another household's things from things that do not exist. The calls of a pair
 * are sent in random order, so without a difference each of them is the slower one in half of the pairs.
 *
 * ISOLATION_PROBES sets the number of pairs.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../scripts/lib/client.ts";
import { NO_LIMITS } from "../../scripts/lib/no-limits.ts";
import { openState } from "../../scripts/lib/exchange/state-directory.ts";
import { createSeededRandom } from "../support/generators/random.ts";
import { removeDirectories, type Stack, startStack } from "../support/exchange-process.ts";

const PROBES = Number(process.env["ISOLATION_PROBES"] ?? 40);
const SEED = Number(process.env["RELIABILITY_SEED"] ?? 1);
/** Standard deviations of the number of slower calls; by chance one run in two million exceeds them. */
const MAX_DEVIATIONS = 5;

let stack: Stack;
let victimRef: string;
let strangerKey: string;

beforeAll(async () => {
  stack = await startStack(undefined, ["--limits", NO_LIMITS]);
  const { origin, keys } = stack.ready;
  const agent = createClient(origin, keys.agent);
  const created = await agent.post<{ MESS: { ack: { ref: string } }[] }>("/mess", {
    request: { intent: "look at the secret shelf", requires: ["check-visual"] },
  });
  victimRef = created.MESS[0]!.ack.ref;
  const operator = createClient(origin, openState(stack.state).operatorKey);
  const made = await operator.post<{ owner: { key: string } }>("/api/v1/households", {
    id: "stranger",
  });
  strangerKey = made.owner.key;
});
afterAll(async () => {
  await stack?.stop();
  removeDirectories();
});

async function measure(path: string, init: RequestInit): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${stack.ready.origin}${path}`, {
    ...init,
    headers: {
      ...(init.headers as Record<string, string>),
      Authorization: `Bearer ${strangerKey}`,
    },
  });
  await response.arrayBuffer();
  const took = performance.now() - began;
  expect(response.status).toBe(404);
  return took;
}

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const FOLLOWUP: RequestInit = {
  method: "POST",
  body: '{"MESS": [{"followup": {"message": "hello"}}]}',
  headers: { "Content-Type": "application/json" },
};

const CALLS: readonly [name: string, buildPath: (ref: string) => string, init: RequestInit][] = [
  ["a thread", (ref) => `/mess/${ref}`, {}],
  ["a thread by the start of its ref", (ref) => `/mess/${ref.slice(0, 14)}`, {}],
  ["a message to a thread", (ref) => `/thread/${ref}`, FOLLOWUP],
  ["a file", (ref) => `/mess/${ref}/attachments/att-001-image-shelf.png`, {}],
  ["the page's state", (ref) => `/respond/state?ref=${ref}`, {}],
];

describe("the time of a refusal", () => {
  it.each(CALLS)(
    `the time of a refusal does not show whether another household has the thing: %s, ${PROBES} pairs`,
    { timeout: 60_000 + PROBES * 200 },
    async (_name, buildPath, init) => {
      const random = createSeededRandom(SEED);
      const real = buildPath(victimRef);
      const absent = buildPath(victimRef.replace(/-\d{3}-/, "-877-"));
      const times = { real: [] as number[], absent: [] as number[] };
      for (let warm = 0; warm < 5; warm++)
        for (const path of [real, absent]) await measure(path, init);

      let slower = 0;
      for (let pair = 0; pair < PROBES; pair++) {
        const isRealFirst = random.next() < 0.5;
        const first = await measure(isRealFirst ? real : absent, init);
        const second = await measure(isRealFirst ? absent : real, init);
        const [ofReal, ofAbsent] = isRealFirst ? [first, second] : [second, first];
        times.real.push(ofReal);
        times.absent.push(ofAbsent);
        slower += ofReal > ofAbsent ? 1 : 0;
      }

      const deviations = Math.abs(slower - PROBES / 2) / Math.sqrt(PROBES / 4);
      const medians = [times.real, times.absent].map((one) => computeMedian(one).toFixed(3));
      console.log(`medians ${medians.join(" and ")} ms, ${deviations.toFixed(1)} deviations`);
      expect(deviations, `medians ${medians.join(" and ")} ms, seed ${SEED}`).toBeLessThan(
        MAX_DEVIATIONS,
      );
    },
  );
});
