/** Timing of concurrent clients, alternating with the baseline so that both run under the same conditions. */

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

/** Each client repeats its operation until all clients together have done `count`. */
export async function runLoad(
  clients: number,
  count: number,
  operation: (client: number) => Promise<unknown>,
): Promise<Sample> {
  const times: number[] = [];
  let remaining = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (remaining-- > 0) {
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
  baseline: Sample;
  ours: Sample;
  /** Throughput of the exchange divided by that of the baseline: the median of the rounds' ratios. */
  ratio: number;
}

/** Runs baseline and exchange in turn. The first round of each is a warm-up and is not counted. */
export async function compare(
  rounds: number,
  baseline: () => Promise<Sample>,
  ours: () => Promise<Sample>,
): Promise<Comparison> {
  const baselines: Sample[] = [];
  const mine: Sample[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = [await baseline(), await ours()] as const;
    if (round === 0) continue;
    baselines.push(pair[0]);
    mine.push(pair[1]);
  }
  return {
    baseline: getMedianSample(baselines),
    ours: getMedianSample(mine),
    ratio: measureMedian(
      mine.map(({ throughput }, index) => throughput / baselines[index]!.throughput),
    ),
  };
}

const getMedianSample = (samples: readonly Sample[]): Sample => ({
  throughput: measureMedian(samples.map(({ throughput }) => throughput)),
  p50: measureMedian(samples.map(({ p50 }) => p50)),
  p99: measureMedian(samples.map(({ p99 }) => p99)),
});

/** One row of a Markdown table. */
export const formatRow = (name: string, { baseline, ours, ratio }: Comparison): string =>
  `| ${name} | ${baseline.throughput.toFixed(0)} | ${ours.throughput.toFixed(0)} | **${ratio.toFixed(2)}** | ${ours.p50.toFixed(1)} (${baseline.p50.toFixed(1)}) | ${ours.p99.toFixed(1)} (${baseline.p99.toFixed(1)}) |`;

export const TABLE_HEAD = `| | baseline/s | exchange/s | ratio | p50 ms (baseline) | p99 ms (baseline) |
| --- | --- | --- | --- | --- | --- |`;
