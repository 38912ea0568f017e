/** The adapter as a process: one JSON call a line on standard input, one JSON answer a line on standard output. */
import { createInterface } from "node:readline";
import { adapter } from "./adapter.ts";
import type { Call } from "./check.ts";

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const { id, ...call } = JSON.parse(line) as Call & { id: number };
  let result;
  try {
    result = adapter(call);
  } catch (defect) {
    result = { defect: String(defect) };
  }
  process.stdout.write(`${JSON.stringify({ id, result })}\n`);
}
