/** `npm run deploy`: from a clone to a live Worker, or from one version to the next. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { experimental_readRawConfig } from "wrangler";
import { buildPages } from "./lib/build-pages.ts";
import { deploy, type DeployTools } from "./lib/deploy/deploy.ts";
import { DEPLOY_USAGE, readDeployOptions } from "./lib/deploy/deploy-options.ts";
import type { WranglerConfig } from "./lib/deploy/deployment-plan.ts";
import { ROOT } from "./lib/exchange/wrangler.ts";
import { PlainError, runProgram, stopController } from "./lib/program.ts";

/** Tests name one with a bundled Worker, since wrangler takes seconds to bundle it. */
const SOURCE_CONFIG = process.env["MESS_WRANGLER_CONFIG"] ?? join(ROOT, "wrangler.toml");
/** Beside the source, since the paths in it are relative. */
const CONFIG_FILE = join(dirname(SOURCE_CONFIG), `wrangler.deploy-${process.pid}.json`);

function spawnWrangler(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: "inherit" | "pipe",
): Promise<{ code: number; text: string }> {
  const wrangler = fileURLToPath(import.meta.resolve("wrangler"));
  const child = spawn(process.execPath, ["--no-warnings", wrangler, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env, WRANGLER_HIDE_BANNER: "true" },
    // Without a terminal wrangler asks nothing.
    stdio: ["ignore", output, output],
    signal: stopController.signal,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (part: string) => (text += part));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, text }));
  });
}

/** From the environment, or the token with which wrangler is signed in. */
async function readToken(): Promise<string> {
  const given = process.env["CLOUDFLARE_API_TOKEN"];
  if (given) return given;
  const { code, text } = await spawnWrangler(["auth", "token", "--json"], {}, "pipe");
  const [, found] = code === 0 ? (/"token": "([^"]+)"/.exec(text) ?? []) : [];
  if (found !== undefined) return found;
  throw new PlainError(
    "You are not signed in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN, then repeat the command. To see the plan without an account: npm run deploy -- --dry-run",
  );
}

const runWrangler: DeployTools["runWrangler"] = async (args, config, account, secrets) => {
  const directory = mkdtempSync(join(tmpdir(), "mess-deploy-"));
  const secretsFile = join(directory, "secrets.json");
  try {
    writeFileSync(CONFIG_FILE, JSON.stringify(config));
    // JSON, since wrangler expands variables in the other format, and lets those of the environment override them.
    if (secrets !== undefined) writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
    const files = secrets === undefined ? [] : ["--secrets-file", secretsFile];
    const env = account === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: account };
    const all = [...args, "--config", CONFIG_FILE, ...files];
    const isDryRun = args.includes("--dry-run");
    const { code, text } = await spawnWrangler(all, env, isDryRun ? "inherit" : "pipe");
    if (code !== 0)
      throw new PlainError(
        `${text}\n\`wrangler ${args.slice(0, 3).join(" ")}\` failed; its message is above. Fix the cause and repeat the command; it continues where it stopped.`,
      );
  } finally {
    rmSync(CONFIG_FILE, { force: true });
    rmSync(directory, { recursive: true, force: true });
  }
};

await runProgram(readDeployOptions, DEPLOY_USAGE, async (options) => {
  const { rawConfig } = experimental_readRawConfig({ config: SOURCE_CONFIG });
  await deploy(options, {
    readToken,
    account: process.env["CLOUDFLARE_ACCOUNT_ID"],
    config: rawConfig as WranglerConfig,
    migrations: readdirSync(join(ROOT, "migrations")).toSorted(),
    runWrangler,
    buildPages: () => buildPages(join(ROOT, ".pages")),
    fetchExchange: fetch,
    sleep: async (milliseconds) => {
      await sleep(milliseconds, undefined, { signal: stopController.signal });
    },
    print: (text) => console.log(text),
    now: () => new Date(),
  });
});
