/** Lists and searches of a household with 100 threads and of one with 100,000: they must cost the same. */
import { compare, TABLE_HEAD, runLoad, formatRow } from "./lib/measure.ts";
import { createHousehold, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 5;
const COUNT = 100;
const SIZES = [100, 100_000];

const QUERIES = [
  ["newest", "/mess?limit=20"],
  ["by state", "/mess?state=executing&limit=20"],
  ["by executor", "/mess?executor=ann&limit=20"],
  ["search", "/mess?q=plums+kitchen&limit=20"],
] as const;

export async function runListBench(stack: Stack): Promise<string> {
  const lines = ["## Lists", "", TABLE_HEAD];
  const readLast = async () => (await fetch(`${stack.origin}/floor/list`)).text();
  await fetch(`${stack.origin}/floor/list`, { method: "POST", body: "a row" });
  for (const size of SIZES) {
    const household = await createHousehold(stack, `list-${size}`);
    await fillIndex(stack, household.id, size);
    for (const [name, path] of QUERIES) {
      const listThreads = async () => (await household.owner.send("GET", path)).text();
      const both = await compare(
        ROUNDS,
        () => runLoad(1, COUNT, readLast),
        () => runLoad(1, COUNT, listThreads),
      );
      lines.push(formatRow(`${name}, ${size.toLocaleString("en")} threads`, both));
    }
    const listMine = async () => (await household.ann.send("GET", "/mess?limit=20")).text();
    const both = await compare(
      ROUNDS,
      () => runLoad(1, COUNT, readLast),
      () => runLoad(1, COUNT, listMine),
    );
    lines.push(formatRow(`offered to one executor, ${size.toLocaleString("en")} threads`, both));
  }
  return lines.join("\n");
}

/** Rows as the upsert writes them, made inside the database. One in a thousand is about plums. */
async function fillIndex(stack: Stack, id: string, size: number): Promise<void> {
  const step = 10_000;
  for (let from = 0; from < size; from += step)
    await stack.d1
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)
         INSERT INTO threads (household, ref, seq, status, partition, requestor, executor, participants,
                              intent, priority, zone, created, updated, words)
         SELECT ?1, printf('2026-01-01-%06d', i), 1,
                CASE i % 4 WHEN 0 THEN 'pending' WHEN 1 THEN 'in_progress' ELSE 'completed' END,
                CASE i % 4 WHEN 0 THEN 'received' WHEN 1 THEN 'executing' ELSE 'finished' END,
                'claude', CASE i % 4 WHEN 0 THEN NULL ELSE 'ann' END, '["ann","claude"]',
                'look at shelf ' || i, 'normal', 'UTC', i, i,
                'look at shelf ' || CASE i % 1000 WHEN 7 THEN 'plums kitchen' ELSE 'jars cellar' END
         FROM n`,
      )
      .bind(id, from, Math.min(from + step, size))
      .run();
}
