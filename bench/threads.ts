/** Creates and reads threads, compared with inserting a row into a new object and reading a row. */
import { compare, TABLE_HEAD, runLoad, formatRow } from "./lib/measure.ts";
import { createHousehold, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 5;
const COUNT = 200;

/**
 * Otherwise Miniflare compresses JSON, but not YAML, in the same process: two thirds of the time of a long read. On
 * Cloudflare the edge compresses, outside of the Worker.
 */
const UNCOMPRESSED = { "Accept-Encoding": "identity" };

export async function runThreadsBench(stack: Stack): Promise<string> {
  const household = await createHousehold(stack, "threads");
  let created = 0;
  const insertNew = (route: string) =>
    fetch(`${stack.origin}/${route}/new-${created++}`, {
      method: "POST",
      body: "what is in the fridge?",
    }).then((response) => response.text());
  const insertBaseline = () => insertNew("baseline");
  const createLeast = () => insertNew("least-create");
  const createThread = () =>
    household.agent.postBlocks({
      request: { intent: "what is in the fridge?", requires: ["take-photo"], coalesce: false },
    });
  const lines = ["## Create and read", "", TABLE_HEAD];
  for (const clients of [1, 8]) {
    for (const [name, create] of [
      ["create", createThread],
      ["the least of a create", createLeast],
    ] as const) {
      const both = await compare(
        ROUNDS,
        () => runLoad(clients, COUNT, insertBaseline),
        () => runLoad(clients, COUNT, create),
      );
      lines.push(formatRow(`${name}, ${clients} client${clients > 1 ? "s" : ""}`, both));
    }
  }
  for (const length of [10, 1_000]) {
    const { ref } = await household.agent.postBlocks({ request: { intent: `read ${length}` } });
    for (let n = 1; n < length; n++)
      await household.agent.postBlocks({ followup: { re: ref, message: `note ${n}` } });
    const readLast = () =>
      fetch(`${stack.origin}/baseline/new-0`, { headers: UNCOMPRESSED }).then((response) =>
        response.text(),
      );
    const read = (type: string) =>
      household.agent
        .send("GET", `/mess/${ref}`, undefined, { ...UNCOMPRESSED, Accept: type })
        .then((response) => response.text());
    const readAsJson = () => read("application/json");
    const readAsYaml = () => read("application/yaml");
    const count = length > 100 ? 20 : COUNT;
    const measureBaseline = () => runLoad(1, count, readLast);
    lines.push(
      formatRow(
        `read JSON, ${length} messages`,
        await compare(ROUNDS, measureBaseline, () => runLoad(1, count, readAsJson)),
      ),
    );
    lines.push(
      formatRow(
        `read YAML, ${length} messages`,
        await compare(ROUNDS, measureBaseline, () => runLoad(1, count, readAsYaml)),
      ),
    );
  }
  return lines.join("\n");
}
