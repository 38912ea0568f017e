/**
 * Deploys the exchange to Cloudflare. Every step finds out what is there already, so an interrupted run is repeated
 * without harm: stores are created once, secrets are made once, and migrations are applied before the code is switched.
 */
import { PlainError } from "../program.ts";
import { CloudflareApi } from "./cloudflare-api.ts";
import type { DeployOptions } from "./deploy-options.ts";
import {
  type DeploymentNames,
  describePlan,
  readNames,
  type WranglerConfig,
} from "./deployment-plan.ts";
import { prepareSecrets, type Secrets } from "./deploy-secrets.ts";
import { createFirstHousehold, type FirstHouseholdCalls } from "./first-household.ts";
import {
  checkNamesAreFree,
  type DeployedWorker,
  ensureBucket,
  ensureDatabase,
  ensureNamespace,
  findWorker,
  readRecord,
  readSubdomain,
  writeRecord,
} from "./stores.ts";

/** Everything outside of this process; tests replace it. */
export interface DeployTools extends FirstHouseholdCalls {
  /** The credential for Cloudflare's API. */
  readToken: () => Promise<string>;
  /** Undefined where the environment selects no account. */
  account: string | undefined;
  config: WranglerConfig;
  /** File names of the migrations of D1. */
  migrations: readonly string[];
  /**
   * Runs wrangler with a configuration file that has these contents.
   * @param secrets to upload with the Worker
   * @throws PlainError
   */
  runWrangler: (
    args: readonly string[],
    config: WranglerConfig,
    account: string | undefined,
    secrets?: Secrets,
  ) => Promise<void>;
  buildPages: () => Promise<void>;
  print: (text: string) => void;
  now: () => Date;
}

export async function deploy(options: DeployOptions, tools: DeployTools): Promise<void> {
  const { config, print } = tools;
  const names = readNames(config, options);
  if (options.dryRun) return await showPlan(options, tools, names);
  const api = new CloudflareApi(await tools.readToken());
  const account = tools.account ?? config.account_id ?? (await findAccount(api));
  const worker = await findWorker(api, account, names.worker);
  const route = await chooseOrigin(api, account, worker, options, tools, names);

  print(`Deploying ${names.worker} to ${route.origin}`);
  const namespace = await ensureNamespace(api, account, worker, names.namespace);
  const record = await readRecord(api, account, namespace);
  // A Worker without a record was deployed by other means, and its operator has created its households.
  const isUnfinished = record === undefined ? worker === undefined : record.finished === undefined;
  if (record === undefined && isUnfinished) {
    await checkNamesAreFree(api, account, names);
    await writeRecord(api, account, namespace, { started: tools.now().toISOString() });
  }
  const database = await ensureDatabase(api, account, worker, names.database);
  const bucket = await ensureBucket(api, account, worker, names.bucket);
  const resolved = resolveConfig(config, names, worker, { namespace, database, bucket }, route);

  print("Applying migrations");
  await tools.runWrangler(["d1", "migrations", "apply", "INDEX", "--remote"], resolved, account);

  const wantsHousehold = options.household !== undefined && isUnfinished;
  const deployed = (worker?.bindings ?? [])
    .filter(({ type }) => type === "secret_text")
    .map(({ name }) => name);
  const secrets = prepareSecrets(options.secretsFile, {
    deployed,
    replaceOperatorKey: options.newOperatorKey,
    isUnfinished: wantsHousehold,
  });
  const made = Object.keys(secrets.upload);
  print(
    made.length > 0 ? `Uploading the Worker with new ${made.join(", ")}` : "Uploading the Worker",
  );
  await tools.buildPages();
  await tools.runWrangler(
    ["deploy", "--assets", ".pages"],
    resolved,
    account,
    made.length > 0 ? secrets.upload : undefined,
  );

  if (wantsHousehold || options.signInLink) {
    if (secrets.operatorKey === undefined) throw refuseNoOperatorKey();
    const link = await createFirstHousehold(
      route.origin,
      secrets.operatorKey,
      options.household,
      tools,
    );
    print(describeLink(link, options.household?.id ?? ""));
  }
  if (isUnfinished) {
    const started = record?.started ?? tools.now().toISOString();
    await writeRecord(api, account, namespace, { started, finished: tools.now().toISOString() });
  }
  print(describeDeployment(route.origin, made, options));
}

async function showPlan(
  options: DeployOptions,
  { config, migrations, print, buildPages, runWrangler }: DeployTools,
  names: DeploymentNames,
): Promise<void> {
  print(describePlan(names, options, migrations));
  await buildPages();
  const named = { ...config, name: names.worker };
  await runWrangler(["deploy", "--dry-run", "--assets", ".pages"], named, undefined);
}

async function findAccount(api: CloudflareApi): Promise<string> {
  const accounts = await api.call<{ id: string; name: string }[]>("GET", "/accounts?per_page=50", {
    permission: "Account Settings: Read",
  });
  const [only] = accounts;
  if (only && accounts.length === 1) return only.id;
  if (!only)
    throw new PlainError(
      "The credential can see no account. Set CLOUDFLARE_ACCOUNT_ID to the account's id, or sign in with `npx wrangler login`.",
    );
  const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new PlainError(
    `The credential can see several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of them:\n\n${list}`,
  );
}

interface Route {
  origin: string;
  /** A custom domain, which Cloudflare creates if it does not exist. */
  domain: string | undefined;
}

/** The option decides, then wrangler.toml, then the former deployment, and last the workers.dev address. */
async function chooseOrigin(
  api: CloudflareApi,
  account: string,
  worker: DeployedWorker,
  { domain }: DeployOptions,
  { config }: DeployTools,
  { worker: name }: DeploymentNames,
): Promise<Route> {
  if (domain !== undefined) return { origin: `https://${domain}`, domain };
  const configured = config.vars?.["PUBLIC_ORIGIN"]?.trim().replace(/\/$/, "");
  if (configured) return { origin: configured, domain: undefined };
  const former = worker?.bindings.find((one) => one.name === "PUBLIC_ORIGIN")?.text;
  if (former && !new URL(former).hostname.endsWith(".workers.dev"))
    return { origin: former, domain: config.routes ? undefined : new URL(former).hostname };
  const subdomain = await readSubdomain(api, account);
  return { origin: `https://${name}.${subdomain}.workers.dev`, domain: undefined };
}

/** Variables that wrangler.toml leaves empty keep the value that was set on Cloudflare. */
function resolveConfig(
  config: WranglerConfig,
  names: DeploymentNames,
  worker: DeployedWorker,
  { namespace, database, bucket }: Record<"namespace" | "database" | "bucket", string>,
  { origin, domain }: Route,
): WranglerConfig {
  const vars = Object.entries(config.vars ?? {}).map(([name, value]) => {
    const former = worker?.bindings.find((one) => one.name === name)?.text;
    return [name, value === "" && former !== undefined ? former : value];
  });
  return {
    ...config,
    name: names.worker,
    vars: { ...Object.fromEntries(vars), PUBLIC_ORIGIN: origin },
    ...(domain === undefined ? {} : { routes: [{ pattern: domain, custom_domain: true }] }),
    // Without preview ids: with them, wrangler speaks of a preview database.
    d1_databases: (config.d1_databases ?? []).map((one) =>
      one.binding === "INDEX"
        ? {
            ...one,
            database_name: names.database.name,
            database_id: database,
            preview_database_id: undefined,
          }
        : one,
    ),
    r2_buckets: (config.r2_buckets ?? []).map((one) =>
      one.binding === "BLOBS" ? { ...one, bucket_name: bucket } : one,
    ),
    kv_namespaces: (config.kv_namespaces ?? []).map((one) =>
      one.binding === "OAUTH_KV" ? { ...one, id: namespace, preview_id: undefined } : one,
    ),
  };
}

const refuseNoOperatorKey = (): PlainError =>
  new PlainError(
    "The Worker is deployed, but a sign-in link needs the operator's key, which only Cloudflare has. Name a file that has it with --secrets-file, or make another one with --new-operator-key --secrets-file FILE.",
  );

const describeLink = (link: string, household: string): string => `
The owner of the household "${household}" signs in with this link. It works once, within 15 minutes:

  ${link}
`;

function describeDeployment(
  origin: string,
  made: readonly string[],
  { secretsFile }: DeployOptions,
): string {
  const kept =
    made.length === 0
      ? ""
      : secretsFile === undefined
        ? "\nThe secrets are stored only on Cloudflare. To work as the operator, make a key that you keep:\n  npm run deploy -- --new-operator-key --secrets-file secrets.env\n"
        : `\nA copy of the secrets is in ${secretsFile}. Keep it safe, and out of version control.\n`;
  return `
The exchange is deployed.

  connector address  ${origin}/mcp
  inbox              ${origin}/inbox
  operator           ${origin}/operator
${kept}
Repeat \`npm run deploy\` for an upgrade, or after an interruption.
`;
}
