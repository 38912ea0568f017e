/** Seals what earlier versions stored in clear: secrets in addresses, and in channels that are not of this exchange. */
import type { SecretVault } from "../secrets/secret-vault.ts";
import type { Stores } from "../stores.ts";
import { extractConfigSecrets } from "./configure.ts";

/** Rises when more of a configuration is sealed than before, so that every household is gone through once more. */
const SEALING_VERSION = 1;

export const isSealed = ({ settings }: Stores): boolean =>
  settings.get("sealing") === SEALING_VERSION;

export const markSealed = ({ settings }: Stores): void => settings.set("sealing", SEALING_VERSION);

/** Nothing is stored before the returned function is called, in one transaction and with no other call in between. */
export async function sealStored(
  stores: Stores,
  vault: SecretVault,
): Promise<(now: number) => void> {
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
