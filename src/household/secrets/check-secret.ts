/**
 * Validates a new value for a secret: it is refused where a `config` block that contained the value would be refused.
 */
import type { Outcome } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { exportSources } from "../message-sources/configure-sources.ts";
import { checkMessagesConfig, checkSources } from "../message-sources/check-sources.ts";
import { checkHooks } from "../hooks/check-hooks.ts";
import { checkDispatch, checkNotify } from "../settings/check-channels.ts";
import type { Stores } from "../stores.ts";
import { findReferences } from "./secret-references.ts";
import type { SecretVault } from "./secret-vault.ts";

export async function checkSecret(
  stores: Stores,
  vault: SecretVault,
  name: string,
  value: string,
): Promise<Outcome<true>> {
  const { members, settings } = stores;
  const hasReference = (written: Json | undefined): boolean =>
    findReferences(written).includes(name);
  const dispatch = Object.fromEntries(
    Object.entries(settings.getDispatch()).filter(([, written]) => hasReference(written)),
  );
  const executors = members.listExecutors().filter(({ notify }) => hasReference(notify));
  const sources = Object.fromEntries(
    Object.entries(exportSources(stores)).filter(([, written]) => hasReference(written)),
  );
  const hooks = hasReference(settings.getHooks()) ? settings.getHooks() : {};
  const messages = hasReference(settings.getMessages()) ? settings.getMessages() : {};
  const names = findReferences([
    dispatch,
    sources,
    messages,
    hooks,
    ...executors.map(({ notify }) => notify ?? null),
  ]);
  const secretValues = new Map([...(await vault.openAll(names)), [name, value] as const]);
  const errors = [
    checkDispatch(dispatch, secretValues),
    checkSources(sources, secretValues),
    checkMessagesConfig(messages, secretValues),
    checkHooks(hooks, secretValues),
    ...executors.map(({ id, notify }) =>
      checkNotify(notify ?? null, `config.executors.${id}.notify`, secretValues),
    ),
  ].filter(({ ok: isValid }) => !isValid);
  const [error] = errors;
  return error && !error.ok ? error : ok(true);
}
