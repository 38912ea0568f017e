/** One message appended to a thread, against one row inserted: by length of the thread, and by clients at once. */
import { type Compared, compare, HEAD, load, row } from "./lib/measure.ts";
import { household, type Home, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 9;
/** Operations in a round, and at least in each thread: one that is spoken in goes on for a while. */
const COUNT = 400;
const EACH = 25;

const insert = (stack: Stack, object: string) =>
  fetch(`${stack.origin}/floor/${object}`, { method: "POST", body: JSON.stringify(NOTE) }).then(
    (response) => response.text(),
  );

const NOTE = { followup: { message: "the second shelf holds a jar of plums, half full" } };

const note = (home: Home, ref: string) =>
  home.agent.say({ followup: { re: ref, ...NOTE.followup } });

export async function appendBench(stack: Stack): Promise<string> {
  const home = await household(stack, "append");
  const lines = ["## Append", "", HEAD];
  for (const length of [1, 10, 1_000]) {
    const { ref } = await home.agent.say({ request: { intent: `a thread of ${length}` } });
    for (let n = 1; n < length; n++) await note(home, ref);
    lines.push(row(`thread of ${length}, 1 client`, await versus(stack, home, [ref], 1)));
  }
  for (const clients of [8, 64]) {
    const refs = await Promise.all(
      Array.from(
        { length: clients },
        async (_, n) => (await home.agent.say({ request: { intent: `many ${n}` } })).ref,
      ),
    );
    lines.push(row(`${clients} clients, a thread each`, await versus(stack, home, refs, clients)));
    lines.push(
      row(`${clients} clients, one thread`, await versus(stack, home, refs.slice(0, 1), clients)),
    );
  }
  return lines.join("\n");
}

/** Ours and the floor's objects are as many, and meet as many clients. */
const versus = (
  stack: Stack,
  home: Home,
  refs: readonly string[],
  clients: number,
): Promise<Compared> => {
  const count = Math.max(COUNT, EACH * refs.length);
  return compare(
    ROUNDS,
    () => load(clients, count, (client) => insert(stack, refs[client % refs.length]!)),
    () => load(clients, count, (client) => note(home, refs[client % refs.length]!)),
  );
};
