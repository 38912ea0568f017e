/** One message appended to a thread, against one row inserted: by length of the thread, and by clients at once. */
import { type Comparison, compare, TABLE_HEAD, runLoad, formatRow } from "./lib/measure.ts";
import { createHousehold, type BenchHousehold, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 9;
/** Operations in a round, and at least in each thread: one that is spoken in goes on for a while. */
const COUNT = 400;
const BATCH_SIZE = 25;

const insertRow = (stack: Stack, object: string) =>
  fetch(`${stack.origin}/floor/${object}`, {
    method: "POST",
    body: JSON.stringify(NOTE_TEXT),
  }).then((response) => response.text());

const NOTE_TEXT = { followup: { message: "the second shelf holds a jar of plums, half full" } };

const buildNote = (household: BenchHousehold, ref: string) =>
  household.agent.postBlocks({ followup: { re: ref, ...NOTE_TEXT.followup } });

export async function runAppendBench(stack: Stack): Promise<string> {
  const household = await createHousehold(stack, "append");
  const lines = ["## Append", "", TABLE_HEAD];
  for (const length of [1, 10, 1_000]) {
    const { ref } = await household.agent.postBlocks({
      request: { intent: `a thread of ${length}` },
    });
    for (let n = 1; n < length; n++) await buildNote(household, ref);
    lines.push(
      formatRow(`thread of ${length}, 1 client`, await compareAppend(stack, household, [ref], 1)),
    );
  }
  for (const clients of [8, 64]) {
    const refs = await Promise.all(
      Array.from(
        { length: clients },
        async (_, n) =>
          (await household.agent.postBlocks({ request: { intent: `many ${n}` } })).ref,
      ),
    );
    lines.push(
      formatRow(
        `${clients} clients, a thread each`,
        await compareAppend(stack, household, refs, clients),
      ),
    );
    lines.push(
      formatRow(
        `${clients} clients, one thread`,
        await compareAppend(stack, household, refs.slice(0, 1), clients),
      ),
    );
  }
  return lines.join("\n");
}

/** Ours and the floor's objects are as many, and meet as many clients. */
const compareAppend = (
  stack: Stack,
  household: BenchHousehold,
  refs: readonly string[],
  clients: number,
): Promise<Comparison> => {
  const count = Math.max(COUNT, BATCH_SIZE * refs.length);
  return compare(
    ROUNDS,
    () => runLoad(clients, count, (client) => insertRow(stack, refs[client % refs.length]!)),
    () => runLoad(clients, count, (client) => buildNote(household, refs[client % refs.length]!)),
  );
};
