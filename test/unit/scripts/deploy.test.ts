/** `npm run deploy` against a local stand-in of Cloudflare's API, with a small replacement for wrangler. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { deploy, type DeployTools } from "../../../scripts/lib/deploy/deploy.ts";
import { readDeployOptions } from "../../../scripts/lib/deploy/deploy-options.ts";
import type { WranglerConfig } from "../../../scripts/lib/deploy/deployment-plan.ts";
import { ACCOUNT, CloudflareStandIn, TOKEN } from "../../support/cloudflare/stand-in.ts";

const WORKER = "mess-edge-exchange";
const CONFIG: WranglerConfig = {
  name: WORKER,
  vars: { PUBLIC_ORIGIN: "", LIMITS: "" },
  d1_databases: [{ binding: "INDEX", database_name: "mess-index", preview_database_id: "0" }],
  r2_buckets: [{ binding: "BLOBS", bucket_name: "mess-blobs" }],
  kv_namespaces: [{ binding: "OAUTH_KV" }],
};
const MIGRATION = "0001_threads.sql";

let cloudflare = new CloudflareStandIn();
let directory: string | undefined;
afterEach(async () => {
  await cloudflare.stop();
  if (directory !== undefined) rmSync(directory, { recursive: true });
  directory = undefined;
});

const makeFile = (): string => {
  directory = mkdtempSync(join(tmpdir(), "mess-deploy-test-"));
  return join(directory, "secrets.env");
};

/** An account, and the households of the Worker in it. */
async function createAccount() {
  cloudflare = new CloudflareStandIn();
  const url = await cloudflare.start();
  return { url, households: new Set<string>(), order: [] as string[], printed: [] as string[] };
}
type Account = Awaited<ReturnType<typeof createAccount>>;

/** The secrets and stores of the deployed Worker, by binding. */
const readBindings = (name = WORKER) =>
  Object.fromEntries((cloudflare.workers.get(name)?.bindings ?? []).map((one) => [one.name, one]));

async function callApi(url: string, method: string, path: string, body: FormData | object) {
  const response = await fetch(`${url}/accounts/${ACCOUNT}${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Does with the API what wrangler does: migrates, or uploads the Worker with its bindings and secrets. */
const replaceWrangler =
  ({ url, order }: Account): DeployTools["runWrangler"] =>
  async (args, config, _account, secrets = {}) => {
    order.push(args[0]!);
    const [database] = config.d1_databases ?? [];
    if (args[0] === "d1") {
      const sql = "CREATE TABLE IF NOT EXISTS threads (id TEXT)";
      return await callApi(url, "POST", `/d1/database/${database?.database_id}/query`, { sql });
    }
    if (args.includes("--dry-run")) return;
    const texts = (all: object, type: string) =>
      Object.entries(all).map(([name, text]) => ({ name, type, text: String(text) }));
    const bindings = [
      ...texts(config.vars ?? {}, "plain_text"),
      ...texts(secrets, "secret_text"),
      ...["HOUSEHOLDS", "THREADS"].map((name) => ({ name, type: "durable_object_namespace" })),
      { name: "INDEX", type: "d1", id: database?.database_id },
      { name: "BLOBS", type: "r2_bucket", bucket_name: config.r2_buckets?.[0]?.bucket_name },
      { name: "OAUTH_KV", type: "kv_namespace", namespace_id: config.kv_namespaces?.[0]?.id },
    ];
    const form = new FormData();
    form.append("metadata", JSON.stringify({ bindings }));
    await callApi(url, "PUT", `/workers/scripts/${config.name}`, form);
  };

/** The deployed exchange, as far as the first household needs it. */
const replaceExchange =
  ({ households }: Account): typeof fetch =>
  async (url, init) => {
    const { hostname, pathname } = new URL(url as string);
    const key = readBindings(hostname.split(".")[0])["MESS_OPERATOR_KEY"]?.text;
    if (new Headers(init?.headers).get("Authorization") !== `Bearer ${key}`)
      return Response.json({ error: { code: "unauthenticated" } }, { status: 401 });
    if (pathname.endsWith("/sign-in-links"))
      return Response.json({ url: `https://${hostname}/sign-in#once` }, { status: 201 });
    households.add((JSON.parse(init?.body as string) as { id: string }).id);
    return Response.json({ household: {} }, { status: 201 });
  };

/** Runs a deployment; returns what it printed. */
async function run(
  account: Account,
  args: readonly string[] = [],
  changes: Partial<DeployTools> = {},
) {
  const before = account.printed.length;
  const options = readDeployOptions(args)!;
  process.env["CLOUDFLARE_API_BASE_URL"] = account.url;
  try {
    await deploy(options, {
      readToken: () => Promise.resolve(TOKEN),
      account: undefined,
      config: CONFIG,
      migrations: [MIGRATION],
      runWrangler: replaceWrangler(account),
      buildPages: () => Promise.resolve(),
      fetchExchange: replaceExchange(account),
      sleep: () => Promise.reject(new Error("the exchange did not accept the operator's key")),
      print: (text) => account.printed.push(text),
      now: () => new Date("2026-11-23T10:00:00Z"),
      ...changes,
    });
  } finally {
    delete process.env["CLOUDFLARE_API_BASE_URL"];
  }
  return account.printed.slice(before).join("\n");
}

describe("npm run deploy", () => {
  it("a first deployment creates the stores, migrates before the code, and prints address and sign-in link", async () => {
    const account = await createAccount();

    const printed = await run(account);

    const { MESS_SECRET, MESS_OPERATOR_KEY, ...bindings } = readBindings();
    expect(account.order).toEqual(["d1", "deploy"]);
    expect(bindings["PUBLIC_ORIGIN"]?.text).toBe(`https://${WORKER}.family.workers.dev`);
    expect(cloudflare.databases.get(bindings["INDEX"]!.id!)?.name).toBe("mess-index");
    expect(cloudflare.buckets).toEqual(new Set(["mess-blobs"]));
    expect(cloudflare.namespaces.has(bindings["OAUTH_KV"]!.namespace_id!)).toBe(true);
    expect(account.households).toEqual(new Set(["home"]));
    expect(printed).toContain(`https://${WORKER}.family.workers.dev/mcp`);
    expect(printed).toContain("/sign-in#once");
    for (const secret of [MESS_SECRET, MESS_OPERATOR_KEY]) {
      expect(secret?.text).toMatch(/^[0-9a-f]{64}$/);
      expect(printed).not.toContain(secret?.text);
    }
  });

  it("a repeated deployment keeps secrets, stores and variables, and makes no second link", async () => {
    const account = await createAccount();
    await run(account);
    const before = readBindings();
    before["LIMITS"]!.text = '{"open_threads_per_member": 500}';

    const printed = await run(account);

    expect(readBindings()).toEqual(before);
    expect([cloudflare.databases.size, cloudflare.namespaces.size]).toEqual([1, 1]);
    expect(printed).not.toContain("/sign-in#once");
    expect(printed).toContain("/mcp");
  });

  it("a run that stops at any call is repeated to the same end, without a second store or secret", async () => {
    const whole = await createAccount();
    await run(whole);
    const calls = cloudflare.calls.length;
    await cloudflare.stop();
    expect(calls).toBeGreaterThan(10);

    for (let at = 1; at <= calls; at++)
      for (const isAfter of [false, true]) {
        const account = await createAccount();
        cloudflare.crash = { at, isAfter };
        const context = `stopped ${isAfter ? "after" : "before"} call ${at}`;
        await expect(run(account), context).rejects.toThrow();
        const secret = readBindings()["MESS_SECRET"]?.text;

        await run(account);

        expect(account.printed.join("\n"), context).toContain("/sign-in#once");
        expect(account.households, context).toEqual(new Set(["home"]));
        const { databases, namespaces, buckets, workers } = cloudflare;
        expect(
          [databases, namespaces, buckets, workers].map(({ size }) => size),
          context,
        ).toEqual([1, 1, 1, 1]);
        if (secret !== undefined) expect(readBindings()["MESS_SECRET"]?.text, context).toBe(secret);
        await cloudflare.stop();
      }
  });

  it("a copy of the secrets is kept in a file that only its owner can read, and is used again", async () => {
    const account = await createAccount();
    const file = makeFile();

    const printed = await run(account, ["--secrets-file", file]);
    const copy = readFileSync(file, "utf8");
    await run(account, ["--secrets-file", file, "--sign-in-link"]);

    const { MESS_SECRET, MESS_OPERATOR_KEY } = readBindings();
    expect(copy).toBe(
      `MESS_SECRET=${MESS_SECRET?.text}\nMESS_OPERATOR_KEY=${MESS_OPERATOR_KEY?.text}\n`,
    );
    expect(readFileSync(file, "utf8")).toBe(copy);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(printed).toContain(file);
  });

  it("a new operator key replaces the former one and leaves the other secret", async () => {
    const account = await createAccount();
    await run(account);
    const before = readBindings();
    const file = makeFile();

    await run(account, ["--new-operator-key", "--secrets-file", file, "--sign-in-link"]);

    const after = readBindings();
    expect(after["MESS_SECRET"]?.text).toBe(before["MESS_SECRET"]?.text);
    expect(after["MESS_OPERATOR_KEY"]?.text).not.toBe(before["MESS_OPERATOR_KEY"]?.text);
    expect(readFileSync(file, "utf8")).toBe(
      `MESS_OPERATOR_KEY=${after["MESS_OPERATOR_KEY"]?.text}\n`,
    );
  });

  it("a custom domain and a name are used for the address and the stores, and the domain is kept", async () => {
    const account = await createAccount();
    const routes: unknown[] = [];
    const runWrangler: DeployTools["runWrangler"] = async (args, config, ...others) => {
      if (args[0] === "deploy") routes.push(config.routes);
      await replaceWrangler(account)(args, config, ...others);
    };
    const args = ["--name", "aunt", "--no-household"];

    await run(account, [...args, "--domain", "mess.example.org"], { runWrangler });
    await run(account, args, { runWrangler });

    const route = [{ pattern: "mess.example.org", custom_domain: true }];
    expect(routes).toEqual([route, route]);
    expect(readBindings("aunt")["PUBLIC_ORIGIN"]?.text).toBe("https://mess.example.org");
    expect([...cloudflare.databases.values()].map(({ name }) => name)).toEqual(["aunt-index"]);
    expect(cloudflare.buckets).toEqual(new Set(["aunt-blobs"]));
  });

  it.each([
    ["Workers Scripts: Edit", /workers\/scripts/],
    ["Workers KV Storage: Edit", /storage\/kv/],
    ["D1: Edit", /d1\/database/],
    ["Workers R2 Storage: Edit", /r2\/buckets/],
  ])("a credential without %s is refused with that permission's name", async (permission, path) => {
    const account = await createAccount();
    cloudflare.denied = path;

    await expect(run(account)).rejects.toThrow(permission);
    expect(cloudflare.workers.size).toBe(0);
  });

  it("a database, bucket or Worker of another program is never used", async () => {
    const account = await createAccount();
    await callApi(account.url, "POST", "/d1/database", { name: "mess-index" });
    await expect(run(account)).rejects.toThrow("--name");

    cloudflare.databases.clear();
    cloudflare.buckets.add("mess-blobs");
    await expect(run(account)).rejects.toThrow("--name");

    cloudflare.buckets.clear();
    cloudflare.workers.set(WORKER, { bindings: [] });
    await expect(run(account)).rejects.toThrow("--name");
    expect(readBindings()).toEqual({});
  });

  it("an account without a workers.dev subdomain is told where to choose one", async () => {
    const account = await createAccount();
    cloudflare.hasSubdomain = false;

    await expect(run(account)).rejects.toThrow("/workers/subdomain");
    expect(cloudflare.namespaces.size).toBe(0);
  });

  it("a dry run prints every step without a call of the API", async () => {
    const account = await createAccount();

    const printed = await run(account, ["--dry-run", "--name", "aunt"]);

    for (const part of ["aunt-index", "aunt-blobs", "aunt-oauth-kv", MIGRATION, "MESS_SECRET"])
      expect(printed).toContain(part);
    expect(cloudflare.calls).toEqual([]);
  });

  it.each([
    [["--name", "A b"]],
    [["--domain", "https://x.org"]],
    [["--new-operator-key"]],
    [["--what"]],
  ])("the invalid options %j are refused by name", (args) => {
    expect(() => readDeployOptions(args)).toThrow(args[0]);
  });
});
