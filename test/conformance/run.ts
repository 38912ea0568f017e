/**
 * Runs the suite against any adapter that uses JSON lines: `node run.ts [--only id] [--skip-bytes] -- command…`. Prints
 * one line for each case that does not conform and a summary; exits with 1 if there is one.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import type { Json } from "../../src/mess/json.ts";
import { type Adapter, check } from "./check.ts";
import { readLines, writeLine } from "./lines.ts";
import { loadSuite } from "./suite.ts";

/** An adapter in a separate process, which may respond in any order. */
function connect(child: ChildProcessByStdio<Writable, Readable, null>): Adapter {
  const waiting = new Map<number, (result: Json) => void>();
  let last = 0;
  let ended = false;
  const listen = async (): Promise<void> => {
    for await (const line of readLines(child.stdout)) {
      const { id, result } = line as { id: number; result: Json };
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  };
  const end = (): void => {
    ended = true;
    for (const settle of waiting.values()) settle({ defect: "the adapter has ended" });
  };
  listen().then(end, end);
  child.stdin.on("error", end);
  return (call) =>
    new Promise((resolve) => {
      if (ended) return resolve({ defect: "the adapter has ended" });
      const id = ++last;
      waiting.set(id, resolve);
      child.stdin.write(writeLine({ id, ...call }));
    });
}

const { values, positionals } = parseArgs({
  options: { only: { type: "string" }, "skip-bytes": { type: "boolean" } },
  allowPositionals: true,
});
const [command, ...args] = positionals;
if (command === undefined) {
  process.stderr.write("usage: node run.ts [--only id] [--skip-bytes] -- command [argument…]\n");
  process.exit(2);
}

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
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
