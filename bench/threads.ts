/** Making a thread, and reading one: against a row inserted into a new object, and a row read. */
import { compare, HEAD, load, row } from "./lib/measure.ts";
import { household, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 5;
const COUNT = 200;

export async function threadsBench(stack: Stack): Promise<string> {
  const home = await household(stack, "threads");
  let made = 0;
  const insertNew = () =>
    fetch(`${stack.origin}/floor/new-${made++}`, {
      method: "POST",
      body: "what is in the fridge?",
    }).then((response) => response.text());
  const ask = () =>
    home.agent.say({
      request: { intent: "what is in the fridge?", requires: ["take-photo"], coalesce: false },
    });
  const lines = ["## Create and read", "", HEAD];
  for (const clients of [1, 8]) {
    const both = await compare(
      ROUNDS,
      () => load(clients, COUNT, insertNew),
      () => load(clients, COUNT, ask),
    );
    lines.push(row(`create, ${clients} client${clients > 1 ? "s" : ""}`, both));
  }
  for (const length of [10, 1_000]) {
    const { ref } = await home.agent.say({ request: { intent: `read ${length}` } });
    for (let n = 1; n < length; n++)
      await home.agent.say({ followup: { re: ref, message: `note ${n}` } });
    const last = () => fetch(`${stack.origin}/floor/new-0`).then((response) => response.text());
    const json = () => home.agent.send("GET", `/mess/${ref}`).then((response) => response.text());
    const yaml = () =>
      home.agent
        .send("GET", `/mess/${ref}`, undefined, { Accept: "application/yaml" })
        .then((response) => response.text());
    const count = length > 100 ? 20 : COUNT;
    const floor = () => load(1, count, last);
    lines.push(
      row(
        `read JSON, ${length} messages`,
        await compare(ROUNDS, floor, () => load(1, count, json)),
      ),
    );
    lines.push(
      row(
        `read YAML, ${length} messages`,
        await compare(ROUNDS, floor, () => load(1, count, yaml)),
      ),
    );
  }
  return lines.join("\n");
}
