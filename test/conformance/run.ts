/**
 * Runs the suite against any adapter that speaks JSON lines: `node run.ts [--only id] [--skip-bytes] command…`.
 * Prints one line for each case that does not conform and a summary; exit code 1 when there is one.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { Json } from "../../src/mess/json.ts";
import { type Adapter, check } from "./check.ts";
import { loadSuite } from "./suite.ts";

/** Calls answered by a process, in the order in which they were sent. */
function connect(child: ChildProcessWithoutNullStreams): Adapter {
  const waiting = new Map<number, (result: Json) => void>();
  let last = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line) as { id: number; result: Json };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  child.on("exit", () => {
    for (const settle of waiting.values()) settle({ defect: "the adapter has ended" });
  });
  return (call) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ id, ...call })}\n`);
    });
}

const { values, positionals } = parseArgs({
  options: { only: { type: "string" }, "skip-bytes": { type: "boolean" } },
  allowPositionals: true,
});
const [command, ...args] = positionals;
if (command === undefined) {
  process.stderr.write("usage: node run.ts [--only id] [--skip-bytes] command [argument…]\n");
  process.exit(2);
}

const child = spawn(command, args, {
  stdio: ["pipe", "pipe", "inherit"],
}) as unknown as ChildProcessWithoutNullStreams;
const adapter = connect(child);
const cases = loadSuite().filter(
  ({ id, level }) =>
    id.startsWith(values.only ?? "") && !(values["skip-bytes"] === true && level === "bytes"),
);
let failed = 0;
for (const one of cases) {
  const differences = await check(one, adapter);
  if (differences.length === 0) continue;
  failed++;
  process.stdout.write(
    `${one.id}: ${one.title} [${one.follows.join(", ")}]\n${differences.map((line) => `    ${line}\n`).join("")}`,
  );
}
child.stdin.end();
process.stdout.write(`${cases.length - failed} of ${cases.length} cases conform\n`);
process.exitCode = failed === 0 ? 0 : 1;
