/** Finds or creates the stores of a deployment: KV namespace, D1 database and R2 bucket. */
import { PlainError } from "../program.ts";
import type { CloudflareApi } from "./cloudflare-api.ts";
import type { DeploymentNames } from "./deployment-plan.ts";

/** A binding of the deployed Worker, as far as a deployment reads it. */
export interface DeployedBinding {
  name: string;
  type: string;
  /** Of plain text. */
  text?: string;
  /** Of D1; older API versions call it `database_id`. */
  id?: string;
  database_id?: string;
  namespace_id?: string;
  bucket_name?: string;
}

/** The Worker as it is deployed now; undefined before the first deployment. */
export type DeployedWorker = { bindings: DeployedBinding[] } | undefined;

const WORKERS = "Workers Scripts: Edit";
const KV = "Workers KV Storage: Edit";
const D1 = "D1: Edit";
const R2 = "Workers R2 Storage: Edit";
const PAGE_SIZE = 100;

const findBinding = (worker: DeployedWorker, name: string): DeployedBinding | undefined =>
  worker?.bindings.find((one) => one.name === name);

const refuseTakenName = (kind: string, name: string, use: string): PlainError =>
  new PlainError(
    `A ${kind} named ${name} exists in this account already, and no deployment of the exchange made it. Choose another name with --name, such as --name family-exchange. ${use}`,
  );

/** @throws PlainError where another program has the name */
export async function findWorker(api: CloudflareApi, account: string, name: string) {
  const path = `/accounts/${account}/workers/scripts/${name}/settings`;
  const worker = await api.find<NonNullable<DeployedWorker>>("GET", path, { permission: WORKERS });
  const isExchange = ["HOUSEHOLDS", "THREADS"].every((one) => findBinding(worker, one));
  if (worker && !isExchange)
    throw refuseTakenName("Worker", name, "The existing Worker was not changed.");
  return worker;
}

/** The account's part of workers.dev addresses. */
export async function readSubdomain(api: CloudflareApi, account: string): Promise<string> {
  const path = `/accounts/${account}/workers/subdomain`;
  const found = await api.find<{ subdomain: string | null }>("GET", path, { permission: WORKERS });
  if (found?.subdomain) return found.subdomain;
  throw new PlainError(
    `This account has no workers.dev subdomain yet. Open https://dash.cloudflare.com/${account}/workers/subdomain once and choose one, or deploy to your own domain with --domain, then repeat the command.`,
  );
}

/** What an earlier, perhaps interrupted run has recorded in KV. */
export interface DeploymentRecord {
  started: string;
  /** When the first owner's sign-in link was printed. */
  finished?: string;
}

const RECORD_KEY = "deployment";
const recordPath = (account: string, namespace: string) =>
  `/accounts/${account}/storage/kv/namespaces/${namespace}/values/${RECORD_KEY}`;

export async function readRecord(
  api: CloudflareApi,
  account: string,
  namespace: string,
): Promise<DeploymentRecord | undefined> {
  const path = recordPath(account, namespace);
  const text = await api.find<string>("GET", path, { permission: KV });
  return text === undefined ? undefined : (JSON.parse(text) as DeploymentRecord);
}

export async function writeRecord(
  api: CloudflareApi,
  account: string,
  namespace: string,
  record: DeploymentRecord,
): Promise<void> {
  const path = recordPath(account, namespace);
  await api.call("PUT", path, { permission: KV, body: JSON.stringify(record) });
}

interface Namespace {
  id: string;
  title: string;
}

/** Returns the id of the namespace. */
export async function ensureNamespace(
  api: CloudflareApi,
  account: string,
  worker: DeployedWorker,
  { title, id }: DeploymentNames["namespace"],
): Promise<string> {
  const bound = id ?? findBinding(worker, "OAUTH_KV")?.namespace_id;
  if (bound !== undefined) return bound;
  const path = `/accounts/${account}/storage/kv/namespaces`;
  for (let page = 1; ; page++) {
    const query = `?per_page=${PAGE_SIZE}&page=${page}&order=title`;
    const listed = await api.call<Namespace[]>("GET", path + query, { permission: KV });
    const found = listed.find((one) => one.title === title);
    if (found) return found.id;
    if (listed.length < PAGE_SIZE) break;
  }
  const made = await api.call<Namespace>("POST", path, { permission: KV, body: { title } });
  return made.id;
}

/** Returns the id of the database where it exists. */
async function findDatabase(
  api: CloudflareApi,
  account: string,
  worker: DeployedWorker,
  { name, id }: DeploymentNames["database"],
): Promise<{ id: string; isBound: boolean } | undefined> {
  const binding = findBinding(worker, "INDEX");
  const bound = id ?? binding?.id ?? binding?.database_id;
  if (bound !== undefined) return { id: bound, isBound: true };
  const path = `/accounts/${account}/d1/database?name=${encodeURIComponent(name)}`;
  const listed = await api.call<{ uuid: string; name: string }[]>("GET", path, { permission: D1 });
  const found = listed.find((one) => one.name === name);
  return found && { id: found.uuid, isBound: false };
}

const hasBucket = async (api: CloudflareApi, account: string, name: string): Promise<boolean> =>
  (await api.find("GET", `/accounts/${account}/r2/buckets/${name}`, { permission: R2 })) !==
  undefined;

/** Before the first step of a first deployment. @throws PlainError where another program has a name */
export async function checkNamesAreFree(
  api: CloudflareApi,
  account: string,
  { database, bucket }: DeploymentNames,
): Promise<void> {
  const found = await findDatabase(api, account, undefined, database);
  if (found && !found.isBound)
    throw refuseTakenName(
      "D1 database",
      database.name,
      `If it is the exchange's, write database_id = "${found.id}" into wrangler.toml.`,
    );
  // A database of the exchange, named in wrangler.toml, comes with its bucket.
  if (!found && (await hasBucket(api, account, bucket)))
    throw refuseTakenName("R2 bucket", bucket, "The existing bucket was not changed.");
}

/** Returns the id of the database. */
export async function ensureDatabase(
  api: CloudflareApi,
  account: string,
  worker: DeployedWorker,
  names: DeploymentNames["database"],
): Promise<string> {
  const found = await findDatabase(api, account, worker, names);
  if (found) return found.id;
  const made = await api.call<{ uuid: string }>("POST", `/accounts/${account}/d1/database`, {
    permission: D1,
    body: { name: names.name },
  });
  return made.uuid;
}

/** Returns the name of the bucket. */
export async function ensureBucket(
  api: CloudflareApi,
  account: string,
  worker: DeployedWorker,
  name: string,
): Promise<string> {
  const bound = findBinding(worker, "BLOBS")?.bucket_name;
  if (bound !== undefined) return bound;
  if (!(await hasBucket(api, account, name)))
    await api.call("POST", `/accounts/${account}/r2/buckets`, { permission: R2, body: { name } });
  return name;
}
