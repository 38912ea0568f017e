/** Appends a message to a thread, compared with the insert of a row: by length of the thread and number of clients. */
import { type Comparison, compare, TABLE_HEAD, runLoad, formatRow } from "./lib/measure.ts";
import { createHousehold, type BenchHousehold, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 9;
/** Operations in a round. */
const MIN_OPERATIONS = 400;
/** Operations in each thread, since messages usually arrive in bursts. */
const MIN_OPERATIONS_PER_THREAD = 25;

const insertRow = (stack: Stack, object: string) =>
  fetch(`${stack.origin}/baseline/${object}`, {
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

/** Both sides use the same number of objects and clients. */
const compareAppend = (
  stack: Stack,
  household: BenchHousehold,
  refs: readonly string[],
  clients: number,
): Promise<Comparison> => {
  const count = Math.max(MIN_OPERATIONS, MIN_OPERATIONS_PER_THREAD * refs.length);
  return compare(
    ROUNDS,
    () => runLoad(clients, count, (client) => insertRow(stack, refs[client % refs.length]!)),
    () => runLoad(clients, count, (client) => buildNote(household, refs[client % refs.length]!)),
  );
};
