/** `npm start`: runs the exchange on this machine, with a demo household, until Ctrl-C. */
import { relative, resolve } from "node:path";
import { type ReadyFile, withExchange } from "./lib/exchange.ts";
import { DEMO_AGENT_ID, DEMO_PHONE_ID } from "./lib/demo-household.ts";
import { runCommand, waitForStop } from "./lib/program.ts";
import { ROOT } from "./lib/wrangler.ts";

const USAGE = `npm start -- [options]

  --port N           port on 127.0.0.1, 0 for any free port      (8787)
  --state DIR        directory for all data                      (.mess)
  --ready-file FILE  write origin and keys to FILE while running
  --pages DIR        serve the pages from DIR, such as the bundled
                     copy of npm run build-pages          (public)
  --help             show this text`;

await runCommand("start", 8787, USAGE, async (options, signal) => {
  const directory = options.state ?? resolve(ROOT, ".mess");
  console.log("Starting the exchange…");
  await withExchange(options, directory, signal, async (ready) => {
    console.log(buildWelcome(ready, directory));
    await waitForStop(signal);
    console.log("\nStopping…");
  });
});

function buildWelcome({ origin, mcp, household, keys }: ReadyFile, directory: string): string {
  const executors = Object.entries(keys.executors).map(([id, key]) => `  ${id.padEnd(10)} ${key}`);
  const shown = relative(process.cwd(), directory) || ".";
  return `
The MESS exchange is running.

  HTTP   ${origin}/mess
  MCP    ${mcp}
  state  ${shown.startsWith("..") ? directory : shown}

Keys of the household "${household}", which stay the same on every start:

  ${"owner".padEnd(10)} ${keys.owner}
  ${DEMO_AGENT_ID.padEnd(10)} ${keys.agent}
${executors.join("\n")}

Send a request as the agent:

curl -s ${origin}/mess -H 'Authorization: Bearer ${keys.agent}' \\
  -H 'Content-Type: application/yaml' --data-binary @- <<'EOF'
MESS:
  - request:
      id: fridge-check
      intent: what's in the fridge?
      requires: [take-photo, home-kitchen-access]
EOF

List the requests offered to ${DEMO_PHONE_ID}:

  curl -s ${origin}/mess -H 'Accept: application/yaml' \\
    -H 'Authorization: Bearer ${keys.executors[DEMO_PHONE_ID] ?? ""}'

Press Ctrl-C to stop.`;
}
