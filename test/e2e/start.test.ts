/** `npm start` as a person uses it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNaming } from "../support/naming.ts";
import { createClient, ApiRefusal } from "../../scripts/lib/client.ts";
import {
  createMigratedState,
  listProcesses,
  waitForReadyFile,
  removeDirectories,
  run,
  runScript,
  type Stack,
  startStack,
  createTemporaryDirectory,
} from "../support/exchange-process.ts";

/** Time limit for expected changes, also on a slow machine. */
const SOON = { timeout: 20_000 };

/** An exchange that keeps running, for tests that do not change it. */
let shared: Stack;
beforeAll(async () => {
  // As a person starts it: wrangler bundles the Worker.
  vi.stubEnv("MESS_WRANGLER_CONFIG", undefined);
  shared = await startStack();
  vi.unstubAllEnvs();
});

const running: Stack[] = [];
const start = async (state?: string): Promise<Stack> => {
  const stack = await startStack(state);
  running.push(stack);
  return stack;
};

afterEach(async () => {
  await Promise.all(running.splice(0).map((stack) => stack.stop()));
});
afterAll(async () => {
  await shared.stop();
  removeDirectories();
});

describe("npm start", () => {
  it("npm start sets up a household, and prints keys that work", async () => {
    const { ready, output, state } = shared;

    expect(ready).toMatchObject({
      origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      mcp: `${ready.origin}/mcp`,
      household: "home",
    });
    const roles: Record<string, string> = {};
    for (const key of [
      ready.keys.owner,
      ready.keys.agent,
      ...Object.values(ready.keys.executors),
    ]) {
      const { you } = await createClient(ready.origin, key).get<{
        you: { actor: string; role: string };
      }>("/api/v1/household");
      roles[you.actor] = you.role;
      await expect.poll(output, SOON).toContain(key);
    }
    expect(roles).toEqual({
      owner: "owner",
      claude: "agent",
      "ann-phone": "executor",
      roomba: "executor",
    });
    for (const file of ["secrets.env", "keys.json", "ready.json"])
      expect(statSync(join(state, file)).mode & 0o077, file).toBe(0);
  });

  it("npm start prints an example that runs in a shell unchanged", async () => {
    const { ready, output } = shared;
    await expect.poll(output, SOON).toContain("Ctrl-C");
    const printed = /^curl[^]*?\nEOF$/m.exec(output())?.[0] ?? "";

    const shell = run("bash", ["-c", printed]);

    expect(await shell.exit, shell.output()).toBe(0);
    const { MESS } = JSON.parse(shell.output()) as { MESS: { ack: { ref: string } }[] };
    const ref = MESS[0]?.ack.ref ?? "";
    const thread = await createClient(ready.origin, ready.keys.agent).get<{
      envelope: { intent: string };
    }>(`/mess/${ref}`);
    expect(thread.envelope.intent).toBe("what's in the fridge?");
  });

  it("npm start prints a link with which the person of the household signs in", async () => {
    const { ready, output } = shared;
    await expect.poll(output, SOON).toContain("Ctrl-C");
    const [link = ""] = /http:\S+\/sign-in\?token=\S+/.exec(output()) ?? [];

    const page = await fetch(link);

    expect(new URL(link).origin).toBe(ready.origin);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Ann&#39;s phone");
  });

  it("npm start stops when a terminal sends Ctrl-C to npm and everything below it", async () => {
    const state = createMigratedState();
    const readyFile = join(state, "ready.json");
    const args = ["start", "--", "--port", "0", "--state", state, "--ready-file", readyFile];
    const npm = run("npm", args);
    await waitForReadyFile(npm, readyFile);
    const { worker } = JSON.parse(readFileSync(join(state, "running"), "utf8")) as {
      worker: number;
    };

    process.kill(-npm.child.pid!, "SIGINT");

    await npm.exit;
    await expect.poll(() => listProcesses([npm.child.pid!, worker]), SOON).toEqual([]);
  });

  it("the Worker ends when npm start is killed", async () => {
    const { groups } = await start();
    running.length = 0;

    const [npmStart = 0] = groups;
    process.kill(npmStart, "SIGKILL");

    await expect.poll(() => listProcesses(groups), SOON).toEqual([]);
  });
});

describe("npm start, stopped and started again", () => {
  let first: Stack;
  beforeAll(async () => {
    first = await startStack(createStateWithTraces());
  });
  afterAll(() => first.stop());

  it("npm start writes neither link codes nor tokens into its logs or its state", async () => {
    const { ready, state } = first;
    const paths = [
      "/r/home_2026-02-01-003_1codecanary",
      "/respond?ref=2026-02-01-003&token=tokencanary",
      "/mess/2026-02-01-003?token=tokencanary",
      "/hooks/executor/home/hookcanary?key=tokencanary",
    ];

    for (const path of paths) await (await fetch(`${ready.origin}${path}`)).arrayBuffer();

    const log = () => readFileSync(join(state, "worker.log"), "utf8");
    await expect.poll(log, SOON).toMatch(/GET \/respond .*\n.*GET \/mess.*\n.*GET \/hooks/);
    expect(findFilesWith(state, "canary")).toEqual([]);
  });

  it("npm start creates other secrets for another state", async () => {
    const [one, other] = [shared, first];

    const stranger = createClient(other.ready.origin, one.ready.keys.owner);

    await expect(stranger.get("/mess")).rejects.toSatisfy(
      (error) => error instanceof ApiRefusal && error.status === 401,
    );
  });

  it("npm start stops on Ctrl-C with every process, and keeps keys and threads when it runs again", async () => {
    const { ready, groups, state } = first;
    const { ref } = await createClient(ready.origin, ready.keys.agent).mess(
      "MESS: [{ request: { intent: water the basil } }]",
    );
    expect(listProcesses(groups).length).toBeGreaterThan(1);

    expect(await first.stop()).toBe(0);

    await expect.poll(() => listProcesses(groups), SOON).toEqual([]);
    expect(existsSync(join(state, "ready.json"))).toBe(false);
    expect(existsSync(join(state, "running"))).toBe(false);
    await expect(fetch(ready.origin)).rejects.toThrow("fetch failed");
    const second = await start(state);
    expect(second.ready.keys).toEqual(ready.keys);
    const agent = createClient(second.ready.origin, second.ready.keys.agent);
    const { envelope } = await agent.get<{ envelope: { intent: string } }>(`/mess/${ref}`);
    expect(envelope.intent).toBe("water the basil");
  });
});

describe("npm start after a crash", () => {
  it("npm start on the same port waits until the Worker of a killed npm start has ended", async () => {
    const { groups, state, ready } = await start();
    running.length = 0;
    const { port } = new URL(ready.origin);
    const readyFile = join(state, "again.json");
    const [npmStart = 0] = groups;

    process.kill(npmStart, "SIGKILL");
    const again = runScript("start", ["--port", port, "--state", state, "--ready-file", readyFile]);

    expect((await waitForReadyFile(again, readyFile)).keys).toEqual(ready.keys);
    again.child.kill("SIGINT");
    expect(await again.exit).toBe(0);
  });
});

describe("output into a pipe that is closed", () => {
  it.each([
    ["start", 1],
    ["start", 2],
    ["demo", 1],
    ["demo -- --once", 3],
    ["simulate", 1],
  ] as const)(
    "npm run %s ends quietly when the reader of its output is gone after line %i",
    async (called, lines) => {
      const [name, ...more] = called.replace(" --", "").split(" ");
      const state = name === "simulate" ? "" : `--port 0 --state ${createMigratedState()}`;
      const options = [state, ...more].join(" ");
      const command = `node_modules/.bin/node scripts/${name}.ts ${options}`;

      const shell = run("bash", ["-c", `set -o pipefail; ${command} | head -${lines}`]);

      expect(await shell.exit, shell.output()).toBe(0);
      expect(shell.output()).toMatch(/^Starting the exchange…\n/);
      expect(shell.output().split("\n")).toHaveLength(lines + 1);
    },
  );
});

describe("errors of npm start", () => {
  it("npm start names the port that is in use before it starts anything", async () => {
    const server = await occupyPort();
    const port = (server.address() as { port: number }).port;
    const state = join(createTemporaryDirectory(), "state");

    const program = runScript("start", ["--port", String(port), "--state", state]);

    expect(await program.exit).toBe(1);
    expect(program.output()).toEqual(expectNaming(port));
    expect(program.output()).not.toContain("    at ");
    expect(existsSync(state)).toBe(false);
    server.close();
  });

  it("npm start refuses a state that another exchange uses, and does not disturb that one", async () => {
    const { state, ready } = shared;

    const program = runScript("start", ["--port", "0", "--state", state]);

    expect(await program.exit).toBe(1);
    expect(program.output()).toContain(state);
    expect((await fetch(`${ready.origin}/healthz`)).status).toBe(200);
  });

  it.each([
    ["--colour"],
    ["--port", "http"],
    ["--port", "70000"],
    ["--state="],
    ["now"],
    ["--public-origin", "http://mess.test"],
    ["--public-origin", "https://mess.test/x"],
  ])("npm start shows its usage for %s %s, with exit code 2", async (...args) => {
    const program = runScript("start", args);

    expect(await program.exit).toBe(2);
    expect(program.output()).toContain("--ready-file");
  });
});

/** A state directory of an earlier version, with wrangler's traces of requests. */
function createStateWithTraces(): string {
  const state = createMigratedState();
  const traces = join(state, "v3", "observability");
  mkdirSync(traces, { recursive: true });
  writeFileSync(join(traces, "old.sqlite"), "/respond?token=oldcanary");
  return state;
}

const findFilesWith = (directory: string, text: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "latin1").includes(text));

async function occupyPort(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  while (!server.listening) await sleep(5);
  return server;
}
