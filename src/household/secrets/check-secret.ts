/**
 * Validates a new value for a secret: it is refused where a `config` block that contained the value would be refused.
 */
import type { Outcome } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { checkDispatch, checkNotify } from "../settings/check-channels.ts";
import type { Stores } from "../stores.ts";
import { findReferences } from "./secret-references.ts";
import type { SecretVault } from "./secret-vault.ts";

export async function checkSecret(
  { members, settings }: Stores,
  vault: SecretVault,
  name: string,
  value: string,
): Promise<Outcome<true>> {
  const hasReference = (written: Json | undefined): boolean =>
    findReferences(written).includes(name);
  const dispatch = Object.fromEntries(
    Object.entries(settings.getDispatch()).filter(([, written]) => hasReference(written)),
  );
  const executors = members.listExecutors().filter(({ notify }) => hasReference(notify));
  const names = findReferences([dispatch, ...executors.map(({ notify }) => notify ?? null)]);
  const secretValues = new Map([...(await vault.openAll(names)), [name, value] as const]);
  const errors = [
    checkDispatch(dispatch, secretValues),
    ...executors.map(({ id, notify }) =>
      checkNotify(notify ?? null, `config.executors.${id}.notify`, secretValues),
    ),
  ].filter(({ ok: isValid }) => !isValid);
  const [error] = errors;
  return error && !error.ok ? error : ok(true);
}
