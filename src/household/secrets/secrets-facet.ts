/**
 * Named secrets of the household, which owners set and remove. No response has their values; the configuration decides
 * which servers get them, except for those that are bound to a server.
 */
import { UNREADABLE_HINT } from "./reseal.ts";
import type { SecretInfo, SecretsRpc } from "../../contracts/secrets.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { EXCHANGE_SOURCE } from "../audit/audit.ts";
import { endConfirmationsOfSecret } from "../contacts/approval-chats.ts";
import { syncSourcesOfSecret } from "../message-sources/configure-sources.ts";
import { resetBreakersOfSecret } from "../settings/configure.ts";
import { checkSecret } from "./check-secret.ts";

const SECRET_NAME_PATTERN = /^[A-Za-z_]\w{0,127}$/;
const MAX_SECRET_CHARS = 8_192;

export class SecretsFacet implements SecretsRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
  }

  async putSecret(
    name: string,
    value: string,
    source = EXCHANGE_SOURCE,
  ): Promise<Outcome<SecretInfo>> {
    const stores = this.#context.openStores();
    if (!stores) return refuseNoHousehold();
    if (!SECRET_NAME_PATTERN.test(name)) {
      const hint = "Use up to 128 letters, digits and _, such as SLACK_BOT_TOKEN.";
      return refuse("bad_field", "name: not a valid name for a secret", hint, { path: "name" });
    }
    if (value === "" || value.length > MAX_SECRET_CHARS) {
      const hint = `Give 1 to ${MAX_SECRET_CHARS} characters.`;
      return refuse("bad_field", "value: empty or too long", hint, { path: "value" });
    }
    const vault = this.#context.getVault(stores);
    const checked = await checkSecret(stores, vault, name, value);
    if (!checked.ok) return checked;
    const sealed = await vault.seal(name, value);
    const outcome = this.#context.transact((_stores, now) => {
      const replaced = stores.secrets.get(name) !== undefined;
      stores.secrets.put(sealed, now);
      const limitError = stores.secrets.checkLimit();
      if (limitError) return limitError;
      resetBreakersOfSecret(stores, name);
      endConfirmationsOfSecret(stores, name);
      syncSourcesOfSecret(stores, name, now);
      const record = { action: "secret_set", source, target: name } as const;
      stores.audit.append({ ...record, detail: { replaced } }, now);
      return ok(stores.secrets.getInfo(name)!);
    });
    if (outcome.ok) await this.#context.runJobsNow("syncSource");
    return outcome;
  }

  async listSecrets(): Promise<SecretInfo[]> {
    const stores = this.#context.openStores();
    if (!stores) return [];
    const listed = stores.secrets.list();
    const opened = await this.#context.getVault(stores).openAll(listed.map(({ name }) => name));
    return listed.map((one) =>
      opened.has(one.name) ? one : { ...one, unreadable: true, hint: UNREADABLE_HINT },
    );
  }

  async resealSecrets(): Promise<void> {
    const stores = this.#context.openStores();
    if (stores) await this.#context.resealIfNeeded(stores, true);
  }

  async removeSecret(name: string, source = EXCHANGE_SOURCE): Promise<Outcome<true>> {
    return this.#context.transact(({ secrets, audit }, now) => {
      const removed = secrets.remove(name);
      if (removed.ok) audit.append({ action: "secret_removed", source, target: name }, now);
      return removed;
    });
  }
}
