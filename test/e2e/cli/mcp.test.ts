/** `mess mcp` with the real clients of both SDKs over stdio. */
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../../scripts/lib/client.ts";
import { type Cli, CLI_PROGRAM, createCli } from "../../support/cli.ts";
import {
  joinExchange,
  removeDirectories,
  type SharedExchange,
} from "../../support/exchange-process.ts";

const INFO = { name: "test", version: "1.0.0" };

let home: SharedExchange;
let work: SharedExchange;
/** Signed in to both as their agents. */
let cli: Cli;
beforeAll(async () => {
  [home, work] = await Promise.all([joinExchange(), joinExchange()]);
  const keys = { home: home.ready.keys.agent, work: work.ready.keys.agent };
  cli = createCli(home.ready.origin, keys);
});
afterAll(removeDirectories);

const buildOptions = (...args: string[]) => ({
  command: process.execPath,
  args: [CLI_PROGRAM, "mcp", ...args],
  env: { MESS_CONFIG: cli.configPath },
});

type Fields = Record<string, unknown>;

/** The person with the phone claims the first task of the household, and asks or answers. */
async function act({ ready }: SharedExchange, build: (ref: string) => object[]): Promise<void> {
  const phone = createClient(ready.origin, ready.keys.executors["ann-phone"]!);
  const { threads } = await phone.get<{ threads: { ref: string }[] }>("/mess?for=me&wait=20");
  await phone.post("/mess", { MESS: build(threads[0]!.ref) });
}

it("a client of 2025 calls the tools of two exchanges, and answers the form of the second", async () => {
  const forms: unknown[] = [];
  const client = new LegacyClient(INFO, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    forms.push(params);
    await act(work, (re) => [{ status: { re, code: "completed", message: "shut it" } }]);
    return { action: "accept", content: { door: "left" } };
  });
  await client.connect(new LegacyTransport(buildOptions()));
  const { tools } = await client.listTools();
  const observe = (exchange: string | undefined, more: Fields) =>
    client.callTool({
      name: "mess_observe",
      arguments: { intent: "Is it shut?", requires: ["check-visual"], exchange, ...more },
    });
  const first = await observe(undefined, { wait_seconds: 0 });
  const asked = observe("work", { wait_seconds: 40 });
  await act(work, (re) => [
    { status: { re, code: "claimed" } },
    { status: { re, code: "needs_input", questions: [{ field: "door", question: "Which?" }] } },
  ]);
  const second = await asked;
  const unknown = observe("nowhere", {});

  await expect(unknown).rejects.toThrow(/home, work/);
  expect(tools.map(({ inputSchema }) => inputSchema.properties?.["exchange"])).toEqual(
    tools.map(() => expect.objectContaining({ enum: ["home", "work"] })),
  );
  expect(forms).toMatchObject([{ message: expect.stringContaining("Which?") }]);
  expect(second.structuredContent).toMatchObject({ status: "completed" });
  const { ref } = first.structuredContent as { ref: string };
  const resource = await client.readResource({ uri: `thread://${ref}/envelope` });
  expect(JSON.stringify(resource)).toContain("Is it shut?");
  const other = (second.structuredContent as { ref: string }).ref;
  expect(
    JSON.stringify(await client.readResource({ uri: `thread://${other}?exchange=work` })),
  ).toContain("shut it");
  await client.close();
});

it("a client of 2026 gets the tools of one exchange unchanged, and their results", async () => {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new ModernTransport(buildOptions("--profile", "work", "--tools", "all")));
  const { tools } = await client.listTools();
  const asked = await client.callTool({
    name: "mess_observe",
    arguments: { intent: "Is the light on?", requires: ["check-visual"], wait_seconds: 0 },
  });
  const pending = await client.readResource({ uri: "mess://pending" });

  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["mess_observe", "message_draft"]),
  );
  expect(JSON.stringify(tools)).not.toContain('"exchange"');
  expect(asked.structuredContent).toMatchObject({ ref: expect.any(String) });
  expect(JSON.stringify(pending)).toContain("Is the light on?");
  await client.close();
});

it("tells the client what to do where a key is not valid, and which lines are no messages", async () => {
  const wrong = createCli(home.ready.origin, { home: `mess_home_${"0".repeat(64)}` });
  const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });

  const { stdout } = await wrong.run(["mcp"], `not JSON\n${list}\n`);

  const [broken, refused] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields);
  expect(broken).toMatchObject({ id: null, error: { code: -32_700 } });
  expect(refused).toMatchObject({
    id: 7,
    error: { message: expect.stringContaining("mess login") },
  });
});
