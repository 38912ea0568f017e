/** `npm run demo`: starts an exchange on a temporary state and plays one request from start to end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DEMO_AGENT_ID } from "./lib/demo/demo-household.ts";
import { createInvitation, type Invitation, waitForAnswer } from "./lib/demo/demo-invitation.ts";
import { playScenario, type ScenarioResult } from "./lib/demo/demo-scenario.ts";
import { type ReadyFile, withExchange } from "./lib/exchange/exchange.ts";
import { formatPhoneLink } from "./lib/phone-link.ts";
import { CLOSED_PIPE, runCommand, waitForStop } from "./lib/program.ts";
import { ROOT } from "./lib/exchange/wrangler.ts";

const USAGE = `npm run demo -- [options]

  --once             stop after the demo; exit code 0 on success
  --out DIR          directory for the photo and the archive       (.mess/demo)
  --port N           port on 127.0.0.1                             (any free port)
  --state DIR        directory for all data                        (temporary)
  --public-origin U  https address of a tunnel or proxy to the exchange, for
                     links that open on a phone
  --ready-file FILE  write origin and keys to FILE while running
  --help             show this text`;

await runCommand("demo", 0, USAGE, async (options, signal) => {
  const directory = options.state ?? mkdtempSync(join(tmpdir(), "mess-demo-"));
  try {
    console.log("Starting the exchange…");
    await withExchange(options, directory, signal, async (ready) => {
      console.log(
        `The exchange is running on ${ready.origin}, with the household "${ready.household}".`,
      );
      const result = await playScenario(
        ready,
        options.out ?? resolve(ROOT, ".mess", "demo"),
        signal,
      );
      if (options.once) {
        console.log("\nDone.");
        return;
      }
      const invitation = await createInvitation(ready, signal);
      console.log(buildFarewell(ready, result, invitation));
      void reportAnswer(ready, invitation, signal);
      await waitForStop(signal);
      console.log("\nStopping…");
    });
  } finally {
    if (options.once && signal.aborted && signal.reason !== CLOSED_PIPE) process.exitCode = 130;
    if (options.state === undefined) rmSync(directory, { recursive: true, force: true });
  }
});

/** Prints the answer of the person at the terminal. */
async function reportAnswer(
  ready: ReadyFile,
  invitation: Invitation,
  signal: AbortSignal,
): Promise<void> {
  const texts = await waitForAnswer(ready, invitation, signal).catch(() => undefined);
  if (texts === undefined) return;
  console.log(
    texts.length > 0
      ? `\n${DEMO_AGENT_ID} received your answer: ${texts.join(", ")}`
      : `\n${DEMO_AGENT_ID}'s request ended without an answer.`,
  );
}

function buildFarewell(
  { origin, mcp, keys }: ReadyFile,
  { ref, photo }: ScenarioResult,
  { intent, link }: Invitation,
): string {
  return `
Your turn. ${DEMO_AGENT_ID} asks: "${intent}"
Open the link and answer:

${formatPhoneLink(link, "npm run demo", process.stdout.isTTY)}

The exchange is still running. More to try:

  ${origin}/openapi.json   the API description
  ${mcp}   the MCP server

  curl -s ${origin}/mess/${ref} -H 'Accept: application/yaml' \\
    -H 'Authorization: Bearer ${keys.agent}'

Photo: ${photo}
`;
}
