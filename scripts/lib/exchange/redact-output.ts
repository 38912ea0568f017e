/** Preloaded into wrangler's process: redacts secrets, since wrangler prints request paths, which can contain link codes. */
import process from "node:process";
import { redact } from "../../../src/redact.ts";

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean =>
    write(typeof chunk === "string" ? redact(chunk) : chunk, ...rest);
}
