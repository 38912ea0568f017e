/** `npm start`: runs the exchange on this machine, with a demo household, until Ctrl-C. */
import { relative, resolve } from "node:path";
import { type ReadyFile, withExchange } from "./lib/exchange/exchange.ts";
import { createClient } from "./lib/client.ts";
import { DEMO_AGENT_ID, DEMO_PHONE_ID } from "./lib/demo/demo-household.ts";
import { formatPhoneLink } from "./lib/phone-link.ts";
import { runCommand, waitForStop } from "./lib/program.ts";
import { ROOT } from "./lib/exchange/wrangler.ts";

const USAGE = `npm start -- [options]

  --port N           port on 127.0.0.1, 0 for any free port      (8787)
  --state DIR        directory for all data                      (.mess)
  --ready-file FILE  write origin and keys to FILE while running
  --public-origin U  https address of a tunnel or proxy to the exchange, for
                     links that open on a phone
  --pages DIR        serve the pages from DIR, such as the bundled
                     copy of npm run build-pages          (public)
  --limits JSON      change limits (docs/limits.md), such as
                     {"requests_per_credential": null}
  --help             show this text`;

await runCommand("start", 8787, USAGE, async (options, signal) => {
  const directory = options.state ?? resolve(ROOT, ".mess");
  console.log("Starting the exchange…");
  await withExchange(options, directory, signal, async (ready) => {
    const link = await createSignInLink(ready, signal);
    console.log(buildWelcome(ready, directory, link));
    await waitForStop(signal);
    console.log("\nStopping…");
  });
});

/** A link to the inbox of the demo household's person, without a request: the first one is up to the reader. */
async function createSignInLink({ origin, keys }: ReadyFile, signal: AbortSignal): Promise<string> {
  const owner = createClient(origin, keys.owner, signal);
  const person = { actor: DEMO_PHONE_ID, role: "executor" };
  return (await owner.post<{ url: string }>("/api/v1/sign-in-links", person)).url;
}

function buildWelcome(
  { origin, mcp, household, keys }: ReadyFile,
  directory: string,
  link: string,
): string {
  const executors = Object.entries(keys.executors).map(([id, key]) => `  ${id.padEnd(10)} ${key}`);
  const shown = relative(process.cwd(), directory) || ".";
  return `
The MESS exchange is running.

  HTTP   ${origin}/mess
  MCP    ${mcp}, for AI groups ${mcp}/groups
  state  ${shown.startsWith("..") ? directory : shown}

Keys of the household "${household}", which stay the same on every start:

  ${"owner".padEnd(10)} ${keys.owner}
  ${DEMO_AGENT_ID.padEnd(10)} ${keys.agent}
${executors.join("\n")}

1. Open the inbox of ${DEMO_PHONE_ID}. The link works once, within 15 minutes:

${formatPhoneLink(link, "npm start", process.stdout.isTTY)}

2. Send a request as the agent. It appears in the inbox, where you answer it:

curl -s ${origin}/mess -H 'Authorization: Bearer ${keys.agent}' \\
  -H 'Content-Type: application/yaml' --data-binary @- <<'EOF'
MESS:
  - request:
      id: fridge-check
      intent: what's in the fridge?
      requires: [take-photo, home-kitchen-access]
EOF

3. Read the answer as the agent:

  curl -s ${origin}/mess/fridge-check -H 'Accept: application/yaml' \\
    -H 'Authorization: Bearer ${keys.agent}'
`;
}
