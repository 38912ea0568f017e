/**
 * Seals all secrets of the household again under the current Worker secret, after the operator has rotated it. Each
 * batch has its own transaction and secrets that are done are skipped, so that a crash loses nothing.
 */
import type { Stores } from "../stores.ts";
import { EXCHANGE_SOURCE } from "../audit/audit.ts";
import type { SecretVault } from "./secret-vault.ts";

const BATCH_SIZE = 100;

export const UNREADABLE_HINT =
  "It was sealed under another MESS_SECRET: set it again, or let the operator restore the former value as MESS_SECRET_PREVIOUS.";

/** The entry of the household in the registry of the deployment. */
export interface SealingState {
  /** Id of the Worker secret under which the household's secrets are sealed. */
  sealedWith: string;
  /** Secrets that neither the current nor the former secret opens. */
  unreadable: number;
}

const writeState = ({ sealedWith, unreadable }: SealingState): string =>
  `${sealedWith} ${unreadable}`;

/** True until every secret is sealed under the current Worker secret and the registry has that. */
export async function needsResealing({ settings }: Stores, vault: SecretVault): Promise<boolean> {
  const sealed = writeState({ sealedWith: await vault.getCurrentId(), unreadable: 0 });
  return settings.get("sealing_reported") !== sealed;
}

/**
 * @param report stores the result in the registry; repeated until it succeeds
 */
export async function resealSecrets(
  storage: Pick<DurableObjectStorage, "transactionSync">,
  stores: Stores,
  vault: SecretVault,
  report: (state: SealingState) => Promise<void>,
): Promise<void> {
  const sealedWith = await vault.getCurrentId();
  let after = "";
  let unreadable = 0;
  let resealed = 0;
  for (;;) {
    const names = stores.secrets.listSealedOtherwise(sealedWith, after, BATCH_SIZE);
    if (names.length === 0) break;
    after = names.at(-1)!;
    const batch = await Promise.all(
      names.map(async (name) => {
        const before = stores.secrets.get(name);
        const value = await vault.open(name);
        return before && value !== undefined
          ? { before, sealed: await vault.seal(name, value) }
          : undefined;
      }),
    );
    storage.transactionSync(() => {
      for (const one of batch) if (one) stores.secrets.replaceSealed(one.sealed, one.before);
    });
    const done = batch.filter((one) => one !== undefined).length;
    resealed += done;
    unreadable += batch.length - done;
  }
  const state = { sealedWith, unreadable };
  const isReported = stores.settings.get("sealing_reported") === writeState(state);
  if (!isReported) await report(state);
  storage.transactionSync(() => {
    stores.settings.set("sealing_reported", writeState(state));
    if (resealed > 0)
      stores.audit.append(
        { action: "secrets_resealed", source: EXCHANGE_SOURCE, detail: { count: resealed } },
        Date.now(),
      );
  });
}
