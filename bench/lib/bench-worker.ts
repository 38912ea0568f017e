/** Starts the benchmark Worker in workerd, called over loopback without a development proxy in between. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { NO_LIMITS } from "../../scripts/lib/no-limits.ts";
import { QUOTAS } from "../../src/mess/quotas.ts";
import { claimPort, HOST } from "../../scripts/lib/exchange/ports.ts";
import type { Counters } from "./billed-operations.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OPERATOR_KEY = "bench-operator-key-of-thirty-two-bytes";

export interface Stack {
  origin: string;
  d1: Awaited<ReturnType<Miniflare["getD1Database"]>>;
  counters(): Promise<Counters>;
  /** Rows written, by the statement that wrote them. */
  writers(): Promise<Record<string, number>>;
  resetCounters(): Promise<void>;
  stop(): Promise<void>;
}

const buildRate = (namespace_id: string, limit: number, period: 10 | 60) => ({
  namespace_id,
  simple: { limit, period },
});

/** @param limits the variable LIMITS; by default no limits, since a benchmark measures the work behind them */
export async function startStack(limits: string = NO_LIMITS): Promise<Stack> {
  const state = mkdtempSync(join(tmpdir(), "mess-bench-"));
  const built = join(state, "built");
  execFileSync(
    join(ROOT, "node_modules/.bin/wrangler"),
    ["deploy", "--dry-run", "--outdir", built, "--config", join(ROOT, "bench/wrangler.toml")],
    { stdio: "ignore", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
  );
  const port = await claimPort(0);
  const describeObject = (className: string) => ({ className, useSQLite: true });
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      // Keeps the Worker's log lines out of the report.
      handleStructuredLogs: () => undefined,
      host: HOST,
      port,
      modules: listModules(built),
      modulesRoot: built,
      compatibilityDate: "2026-11-01",
      compatibilityFlags: ["nodejs_compat"],
      durableObjects: {
        THREADS: describeObject("ThreadObject"),
        GROUPS: describeObject("GroupObject"),
        SOURCES: describeObject("SourceObject"),
        HOUSEHOLDS: describeObject("HouseholdObject"),
        BASELINE: describeObject("BaselineObject"),
      },
      durableObjectsPersist: join(state, "objects"),
      d1Databases: ["INDEX"],
      d1Persist: join(state, "d1"),
      kvNamespaces: ["OAUTH_KV"],
      r2Buckets: ["BLOBS"],
      r2Persist: join(state, "r2"),
      ratelimits: {
        STRANGERS: buildRate("1001", 30, 60),
        CREDENTIAL_REQUESTS: buildRate("1002", QUOTAS.requests_per_credential.limit, 10),
        HOUSEHOLD_REQUESTS: buildRate("1003", QUOTAS.requests_per_household.limit, 10),
      },
      bindings: {
        MESS_SECRET: "bench-secret-of-thirty-two-bytes!",
        MESS_OPERATOR_KEY: OPERATOR_KEY,
        PUBLIC_ORIGIN: `http://${HOST}:${port}`,
        EGRESS_LOOPBACK: "allow",
        LIMITS: limits,
      },
    }),
  );
  const origin = (await worker.ready).origin;
  const d1 = await worker.getD1Database("INDEX");
  const migrations = join(ROOT, "migrations");
  for (const file of readdirSync(migrations).toSorted())
    for (const statement of splitSql(readFileSync(join(migrations, file), "utf8")))
      await d1.prepare(statement).run();
  const call = async (method: string) =>
    (await fetch(`${origin}/bench/counters`, { method })).json();
  return {
    origin,
    d1,
    writers: async () =>
      (await (await fetch(`${origin}/bench/writers`)).json()) as Record<string, number>,
    counters: async () => (await call("GET")) as Counters,
    resetCounters: async () => void (await call("DELETE")),
    stop: async () => {
      await worker.dispose();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** Lists the modules of the build: the Worker, which must be first, and the texts that it imports. */
function listModules(built: string) {
  const texts = readdirSync(built).filter(
    (name) => /\.(md|yaml|html)$/.test(name) && name !== "README.md",
  );
  return [
    { type: "ESModule" as const, path: join(built, "worker.js") },
    ...texts.map((name) => ({ type: "Text" as const, path: join(built, name) })),
  ];
}

/** An HTTP client with an API key; it throws on every refusal. */
export class BenchClient {
  readonly #origin: string;
  readonly key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.key = key;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(this.#origin + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async postBlocks(...blocks: object[]): Promise<{ ref: string }> {
    const response = await this.send("POST", "/mess", { MESS: blocks });
    const { MESS } = (await response.json()) as { MESS: { ack: { ref: string } }[] };
    return MESS[0]!.ack;
  }

  async form(form: FormData): Promise<void> {
    const response = await fetch(`${this.#origin}/mess`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.key}` },
      body: form,
    });
    if (!response.ok) throw new Error(`form: ${response.status} ${await response.text()}`);
  }
}

export interface BenchHousehold {
  id: string;
  owner: BenchClient;
  agent: BenchClient;
  ann: BenchClient;
}

/** Creates a household with an agent and a person. */
export async function createHousehold(stack: Stack, id: string): Promise<BenchHousehold> {
  const operator = new BenchClient(stack.origin, OPERATOR_KEY);
  const made = await (await operator.send("POST", "/api/v1/households", { id })).json();
  const owner = new BenchClient(stack.origin, (made as { owner: { key: string } }).owner.key);
  const createKey = async (actor: string, role: string) => {
    const { key } = (await (await owner.send("POST", "/api/v1/keys", { actor, role })).json()) as {
      key: string;
    };
    return new BenchClient(stack.origin, key);
  };
  await owner.send("POST", "/mess", {
    MESS: [{ config: { executor: { id: "ann", kind: "person", capabilities: ["take-photo"] } } }],
  });
  return {
    id,
    owner,
    agent: await createKey("claude", "agent"),
    ann: await createKey("ann", "executor"),
  };
}
