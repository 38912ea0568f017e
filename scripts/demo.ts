/** `npm run demo`: the exchange on a state of its own, and the main job in the open. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { playScenario, type ScenarioResult } from "./lib/demo-scenario.ts";
import { type ReadyFile, withExchange } from "./lib/exchange.ts";
import { runCommand, waitForStop } from "./lib/program.ts";
import { ROOT } from "./lib/wrangler.ts";

const USAGE = `npm run demo -- [options]

  --once             end after the main job, with exit code 0 when all went well
  --out DIR          where the photo and the archive are written   (.mess/demo)
  --port N           port on 127.0.0.1                             (any that is free)
  --state DIR        keep the state there                          (a temporary one)
  --ready-file FILE  JSON with origin and keys, while it runs
  --help             this text`;

await runCommand("demo", 0, USAGE, async (options, signal) => {
  const directory = options.state ?? mkdtempSync(join(tmpdir(), "mess-demo-"));
  try {
    console.log("Starting an exchange…");
    await withExchange(options, directory, signal, async (ready) => {
      console.log(`It runs on ${ready.origin}, with the household "${ready.household}".`);
      const result = await playScenario(
        ready,
        options.out ?? resolve(ROOT, ".mess", "demo"),
        signal,
      );
      if (options.once) {
        console.log("\nDone.");
        return;
      }
      console.log(farewell(ready, result));
      await waitForStop(signal);
      console.log("\nStopping…");
    });
  } finally {
    if (options.once && signal.aborted) process.exitCode = 130;
    if (options.state === undefined) rmSync(directory, { recursive: true, force: true });
  }
});

function farewell({ origin, mcp, keys }: ReadyFile, { ref, photo }: ScenarioResult): string {
  return `
The exchange stays up. To try:

  ${origin}/openapi.json   all there is
  ${mcp}   for MCP clients

  curl -s ${origin}/mess/${ref} -H 'Accept: application/yaml' \\
    -H 'Authorization: Bearer ${keys.agent}'

The photo is ${photo}

Ctrl-C stops it.`;
}
