/** Timing: several clients at once, alternating with the floor so that both meet the same machine. */

export interface Sample {
  /** Operations a second, all clients together. */
  throughput: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export const getQuantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

export const measureMedian = (values: readonly number[]): number =>
  getQuantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

/** Each client does its operation again and again until all have done `count` together. */
export async function runLoad(
  clients: number,
  count: number,
  operation: (client: number) => Promise<unknown>,
): Promise<Sample> {
  const times: number[] = [];
  let left = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (left-- > 0) {
        const begun = performance.now();
        await operation(client);
        times.push(performance.now() - begun);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  return {
    throughput: times.length / seconds,
    p50: getQuantile(times, 0.5),
    p99: getQuantile(times, 0.99),
  };
}

export interface Comparison {
  floor: Sample;
  ours: Sample;
  /** Our throughput over the floor's: the median of the rounds' ratios. */
  ratio: number;
}

/** Rounds of floor and ours in turn. The first round of each warms up and is not counted. */
export async function compare(
  rounds: number,
  floor: () => Promise<Sample>,
  ours: () => Promise<Sample>,
): Promise<Comparison> {
  const floors: Sample[] = [];
  const mine: Sample[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = [await floor(), await ours()] as const;
    if (round === 0) continue;
    floors.push(pair[0]);
    mine.push(pair[1]);
  }
  return {
    floor: getMedianSample(floors),
    ours: getMedianSample(mine),
    ratio: measureMedian(
      mine.map(({ throughput }, index) => throughput / floors[index]!.throughput),
    ),
  };
}

const getMedianSample = (samples: readonly Sample[]): Sample => ({
  throughput: measureMedian(samples.map(({ throughput }) => throughput)),
  p50: measureMedian(samples.map(({ p50 }) => p50)),
  p99: measureMedian(samples.map(({ p99 }) => p99)),
});

/** One row of a Markdown table. */
export const formatRow = (name: string, { floor, ours, ratio }: Comparison): string =>
  `| ${name} | ${floor.throughput.toFixed(0)} | ${ours.throughput.toFixed(0)} | **${ratio.toFixed(2)}** | ${ours.p50.toFixed(1)} (${floor.p50.toFixed(1)}) | ${ours.p99.toFixed(1)} (${floor.p99.toFixed(1)}) |`;

export const TABLE_HEAD = `| | floor/s | ours/s | ratio | p50 ms (floor) | p99 ms (floor) |
| --- | --- | --- | --- | --- | --- |`;
