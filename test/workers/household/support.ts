/** Helpers of the household's tests: new households, and requests in normalized form. */
import { defined } from "../../../src/mess/defined.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import type { HouseholdRpc } from "../../../src/contracts/household.ts";
import type { OpenThreadsInput } from "../../../src/contracts/household-threads.ts";
import { toCanonicalJson, type JsonMap } from "../../../src/mess/json.ts";
import type { Request } from "../../../src/mess/wire/schema.ts";
import { getPartition, type Status } from "../../../src/mess/status.ts";
import type { ThreadSummary } from "../../../src/contracts/thread.ts";
import { getCode } from "../outcomes.ts";

export { getCode };

let made = 0;
export const createName = (): string => `house-${++made}-${crypto.randomUUID().slice(0, 8)}`;

/** A key hash in hex, from any hex digits. */
export const buildFakeHash = (seed: string): string => seed.padEnd(64, "0").slice(0, 64);

export interface HouseholdUnderTest {
  id: string;
  rpc: HouseholdRpc;
}

/** A household with the owner `olga` and the agent `scout`. */
export async function createHousehold(
  time_zone = "UTC",
  id = createName(),
): Promise<HouseholdUnderTest> {
  const rpc = getHouseholdStub(env, id);
  await rpc.settings.setUp({ id, time_zone }, { actor: "olga", key_hash: buildFakeHash("0e") });
  await rpc.identity.addKey({ actor: "scout", role: "agent", key_hash: buildFakeHash("a9") });
  return { id, rpc };
}

/** Configures the household and returns the warnings; throws on a refusal. */
export async function configureHousehold(
  { rpc }: HouseholdUnderTest,
  config: JsonMap,
): Promise<string[]> {
  const outcome = await rpc.settings.configure(config);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value.warnings;
}

/** The reason and path with which the configuration is refused. */
export async function getConfigRefusal({ rpc }: HouseholdUnderTest, config: JsonMap) {
  const outcome = await rpc.settings.configure(config);
  return outcome.ok ? outcome : { code: outcome.error.code, path: outcome.error.path };
}

/** A webhook secret that contains the text. */
export const buildFakeWebhookSecret = (text: string): string => `whsec_${text.padEnd(24, "A")}`;

export const buildRequest = (fields: Partial<Request> = {}): Request => ({
  intent: "water the basil",
  ...fields,
});

/** The input of `openThreads` for these requests, each with a digest of its content. */
export const buildOpenInput = (
  actor: string,
  requests: Request[],
  key?: string,
): OpenThreadsInput => ({
  actor,
  ...defined({ key }),
  requests: requests.map((one) => ({ request: one, digest: toCanonicalJson(one) })),
});

/** Opens the threads and returns them; throws on a refusal. */
export async function openAll(
  home: HouseholdUnderTest,
  requests: Request[],
  actor = "scout",
  key?: string,
) {
  const outcome = await home.rpc.threads.openThreads(buildOpenInput(actor, requests, key));
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.error)}`);
  return outcome.value.threads;
}

export const buildSummary = (
  home: HouseholdUnderTest,
  ref: string,
  fields: Partial<ThreadSummary> = {},
): ThreadSummary => {
  const status: Status = fields.status ?? "pending";
  return {
    household: home.id,
    ref,
    client_id: null,
    seq: 1,
    status,
    partition: getPartition(status),
    requestor: "scout",
    executor: null,
    participants: ["scout"],
    intent: "water the basil",
    priority: "normal",
    created: Date.now(),
    updated: Date.now(),
    expires: null,
    text: "water the basil",
    zone: "UTC",
    ...fields,
  };
};
