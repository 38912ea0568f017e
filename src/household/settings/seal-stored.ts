/** Seals secrets that earlier versions stored in plain text: in addresses, and in settings of unknown channels. */
import { logDefect } from "../../log.ts";
import type { HouseholdContext } from "../household-context.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";
import type { Stores } from "../stores.ts";
import { extractConfigSecrets } from "./configure.ts";

/** Increase this when more parts of a configuration are sealed, so that every household is processed again. */
const SEALING_VERSION = 1;

export const isSealed = ({ settings }: Stores): boolean =>
  settings.get("sealing") === SEALING_VERSION;

export const markSealed = ({ settings }: Stores): void => settings.set("sealing", SEALING_VERSION);

/** A failure is only logged, so that the household stays available; the next instance tries again. */
export async function sealHousehold(context: HouseholdContext, stores: Stores): Promise<void> {
  try {
    const store = await sealStored(stores, context.getVault(stores));
    context.write((_stores, now) => store(now));
  } catch (error) {
    logDefect(error, { object: "household", while: "sealing" });
  }
}

/**
 * Seals the secrets and returns a function that stores the result. Call it in one transaction, before any other call.
 */
async function sealStored(stores: Stores, vault: SecretVault): Promise<(now: number) => void> {
  const { members, secrets, settings } = stores;
  const executors = members.listExecutors().filter(({ notify }) => notify !== undefined);
  const { change, extracted } = extractConfigSecrets(stores, {
    dispatch: settings.getDispatch(),
    executors,
  });
  const sealed = await Promise.all(
    [...extracted].map(([name, value]) => vault.seal(name, value, true)),
  );
  return (now) => {
    if (extracted.size > 0) {
      settings.setDispatch(change.dispatch);
      for (const executor of change.executors) members.putExecutor(executor, now);
      for (const secret of sealed) secrets.put(secret, now);
    }
    markSealed(stores);
  };
}
