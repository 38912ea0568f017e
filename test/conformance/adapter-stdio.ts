/** The adapter as a process: one JSON call per line on standard input, one JSON result per line on standard output. */
import { runAdapter } from "./adapter.ts";
import type { Call } from "./check.ts";
import { readLines, writeLine } from "./lines.ts";

for await (const line of readLines(process.stdin)) {
  const { id, ...call } = line as Call & { id: number };
  let result;
  try {
    result = runAdapter(call);
  } catch (defect) {
    result = { defect: String(defect) };
  }
  process.stdout.write(writeLine({ id, result }));
}
