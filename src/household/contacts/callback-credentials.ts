/** The stored data about a machine that calls back: its webhook secret, and what its callback tokens are bound to. */
import { defined } from "../../mess/defined.ts";
import { CHANNELS } from "../../channels/registry.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { completeConfig } from "./complete-address.ts";
import type { CallbackCredentials } from "../../contracts/contacts.ts";
import { type NotifyChannel, readNotifyChannels } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";
import { findReferences } from "../secrets/secret-references.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";

const getOrigin = (address: Json): string => {
  const url = isMap(address) ? address["url"] : address;
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "";
};

const isMachine = ({ kind }: NotifyChannel): boolean => CHANNELS[kind].isMachine === true;

/**
 * Null for an unknown executor, and if its configured secret is lost: the derived secret must not replace a configured
 * one.
 */
export async function findCallbackCredentials(
  { members }: Stores,
  vault: SecretVault,
  executor: string,
): Promise<CallbackCredentials | null> {
  const member = members.findExecutor(executor);
  const machineChannels = readNotifyChannels(member?.notify).filter(isMachine);
  const secretValues = await vault.openAll(
    findReferences(machineChannels.map(({ address }) => address)),
  );
  if (!member) return null;
  const origins = new Set<string>();
  let secret: string | undefined;
  for (const { kind, address: written } of machineChannels) {
    const address = completeConfig(kind, "address", written, secretValues);
    if (address === undefined && kind === "webhook") return null;
    if (address === undefined) continue;
    origins.add(getOrigin(address));
    const own = kind === "webhook" && isMap(address) ? address["secret"] : undefined;
    if (typeof own === "string") secret ??= own;
  }
  origins.delete("");
  const bound = JSON.stringify([members.getMembership(executor), secret ?? null]);
  const [token_binding, former_binding] = await vault.fingerprints(`callback ${executor}`, bound);
  return { origins: [...origins], token_binding, ...defined({ secret, former_binding }) };
}

/** The token bindings of those executors in the list that are contacted as machines (webhook or MCP). */
export async function listTokenBindings(
  stores: Stores,
  vault: SecretVault,
  executors: readonly string[],
): Promise<Map<string, string>> {
  const found = await Promise.all(
    executors.map(async (executor) => {
      const machineChannels = readNotifyChannels(stores.members.findExecutor(executor)?.notify);
      if (!machineChannels.some(isMachine)) return undefined;
      return (await findCallbackCredentials(stores, vault, executor))?.token_binding;
    }),
  );
  return new Map(
    executors.flatMap((executor, at): [string, string][] => {
      const binding = found[at];
      return binding === undefined ? [] : [[executor, binding]];
    }),
  );
}
