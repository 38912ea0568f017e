/** The names of a deployment, from wrangler.toml and the options, and its plan in words. */
import { PlainError } from "../program.ts";
import type { DeployOptions } from "./deploy-options.ts";

/** The parts of wrangler.toml that a deployment reads or changes. */
export interface WranglerConfig {
  name?: string;
  account_id?: string;
  vars?: Record<string, string>;
  routes?: unknown[];
  d1_databases?: {
    binding: string;
    database_name?: string;
    database_id?: string;
    preview_database_id?: string | undefined;
  }[];
  r2_buckets?: { binding: string; bucket_name?: string }[];
  kv_namespaces?: { binding: string; id?: string; preview_id?: string | undefined }[];
  [key: string]: unknown;
}

/** Names of the stores, and the ids that wrangler.toml already has. */
export interface DeploymentNames {
  worker: string;
  database: { name: string; id: string | undefined };
  bucket: string;
  /** The title that wrangler gives to the namespace of a binding without an id. */
  namespace: { title: string; id: string | undefined };
}

/** @throws PlainError where wrangler.toml lacks a binding */
export function readNames(config: WranglerConfig, options: DeployOptions): DeploymentNames {
  const database = config.d1_databases?.find(({ binding }) => binding === "INDEX");
  const bucket = config.r2_buckets?.find(({ binding }) => binding === "BLOBS");
  const namespace = config.kv_namespaces?.find(({ binding }) => binding === "OAUTH_KV");
  if (config.name === undefined || !database || !bucket || !namespace)
    throw new PlainError(
      "wrangler.toml lacks the name or one of the bindings INDEX, BLOBS and OAUTH_KV. Restore it from the repository.",
    );
  const worker = options.name ?? config.name;
  const isRenamed = worker !== config.name;
  const named = (given: string | undefined, suffix: string) =>
    isRenamed || given === undefined ? `${worker}-${suffix}` : given;
  return {
    worker,
    database: {
      name: named(database.database_name, "index"),
      id: isRenamed ? undefined : database.database_id || undefined,
    },
    bucket: named(bucket.bucket_name, "blobs"),
    namespace: {
      title: `${worker}-oauth-kv`,
      id: isRenamed ? undefined : namespace.id || undefined,
    },
  };
}

/** The steps of a deployment, for `--dry-run`. */
export function describePlan(
  { worker, database, bucket, namespace }: DeploymentNames,
  { household, domain, secretsFile }: DeployOptions,
  migrations: readonly string[],
): string {
  const origin = domain ? `https://${domain}` : `https://${worker}.{your subdomain}.workers.dev`;
  const steps = [
    `KV namespace ${namespace.id ?? namespace.title}: use it, or create it`,
    `D1 database ${database.id ?? database.name}: use it, or create it`,
    `R2 bucket ${bucket}: use it, or create it`,
    `apply the migrations that the database lacks (${migrations.join(", ")})`,
    `make the secrets that the Worker lacks: MESS_SECRET, MESS_OPERATOR_KEY${
      secretsFile ? `, with a copy in ${secretsFile}` : "; they are stored only on Cloudflare"
    }`,
    `upload the Worker ${worker} with the pages and the new secrets, and switch to it`,
    `wait until ${origin} answers`,
    ...(household
      ? [
          `the first time: create the household ${household.id} (${household.timeZone}), and print the connector address and its owner's sign-in link`,
        ]
      : ["print the connector address"]),
  ];
  const lines = steps.map((step, at) => `  ${at + 1}. ${step}`);
  return `The plan; nothing is changed by this dry run:\n\n${lines.join("\n")}\n`;
}
