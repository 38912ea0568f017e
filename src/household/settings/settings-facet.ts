/** Creates the household, and applies and exports its configuration. */
import { listExecutorsWithAgents } from "../memberships/pools/pool-executors.ts";
import { OPERATOR_SOURCE } from "../../auth/audit-source.ts";
import type { AuditSource } from "../../contracts/audit.ts";
import type {
  HouseholdOverview,
  HouseholdSettings,
  NewRegistration,
  SettingsRpc,
} from "../../contracts/settings.ts";
import { checkActorId } from "../../mess/actors.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { Executor } from "../../mess/routing/routing.ts";
import { isZone } from "../../mess/times.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { EXCHANGE_SOURCE } from "../audit/audit.ts";
import { listNames } from "../contacts/contacts.ts";
import { addMemberKey } from "../identity/member-keys.ts";
import { initializeCleanup } from "../jobs/blob-cleanup.ts";
import { listSelf } from "../jobs/list-household.ts";
import { applyConfigBlock } from "./apply-config-block.ts";
import { exportConfiguration } from "./configure.ts";
import { describeForOperator } from "./overview.ts";
import { setSuspended } from "./suspension.ts";
import { registerMember, updateProfile } from "./register-member.ts";
import { markSealed } from "./seal-stored.ts";

export class SettingsFacet implements SettingsRpc {
  readonly #context: HouseholdContext;
  readonly #env: Env;
  readonly #objectName: string | undefined;

  /** @param objectName the household's id, by which its object is addressed */
  constructor(context: HouseholdContext, env: Env, objectName: string | undefined) {
    this.#context = context;
    this.#env = env;
    this.#objectName = objectName;
  }

  async setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>> {
    const known = this.#context.openStores();
    if (known) {
      await listSelf(this.#env, known, false, Date.now());
      return refuse("already_exists", "this household already exists", "Choose another id.");
    }
    const id = checkActorId(settings.id, "id");
    if (!id.ok) return id;
    if (settings.id !== this.#objectName) {
      const hint = "Use the id of the household in the path.";
      return refuse("bad_field", "id: does not match this household", hint, { path: "id" });
    }
    const actor = checkActorId(owner.actor, "actor");
    if (!actor.ok) return actor;
    if (!isZone(settings.time_zone)) {
      const hint = "Use an IANA name such as Europe/Rome.";
      return refuse("bad_field", "time_zone: unknown time zone", hint, { path: "time_zone" });
    }
    const made = this.#context.createStores((stores, now) => {
      stores.settings.set("id", settings.id);
      stores.settings.set("name", settings.name);
      stores.settings.set("time_zone", settings.time_zone);
      markSealed(stores);
      initializeCleanup(stores, now);
      stores.audit.append({ action: "household_created", source: OPERATOR_SOURCE }, now);
      const key = addMemberKey(stores, { ...owner, role: "owner" }, OPERATOR_SOURCE, now);
      return key.ok ? ok(stores.settings.getHousehold()) : key;
    });
    const stores = made.ok ? this.#context.openStores() : undefined;
    if (stores) {
      await listSelf(this.#env, stores, true, Date.now());
      await this.#context.setAlarm();
    }
    return made;
  }

  async getSettings(): Promise<HouseholdSettings | null> {
    return this.#context.openStores()?.settings.getHousehold() ?? null;
  }

  async describeForOperator(): Promise<HouseholdOverview | null> {
    const stores = this.#context.openStores();
    return stores ? describeForOperator(stores, Date.now()) : null;
  }

  async isSuspended(): Promise<boolean> {
    return this.#context.openStores()?.settings.isSuspended() ?? false;
  }

  async setSuspended(isSuspended: boolean): Promise<Outcome<true>> {
    const outcome = this.#context.transact((stores, now) => {
      setSuspended(stores, isSuspended, now);
      return ok(true as const);
    });
    if (outcome.ok) await this.#context.enforceAccessEnd();
    await this.#context.runJobsNow("releaseHeld");
    return outcome;
  }

  async configure(config: JsonMap, by?: AuditSource): Promise<Outcome<{ warnings: string[] }>> {
    const stores = this.#context.openStores();
    if (!stores) return refuseNoHousehold();
    const source = by ?? {
      ...EXCHANGE_SOURCE,
      actor: stores.credentials.listOwners()[0] ?? "owner",
    };
    return await applyConfigBlock(this.#context, this.#env, config, source);
  }

  async exportConfiguration(): Promise<JsonMap> {
    const stores = this.#context.openStores();
    return stores ? exportConfiguration(stores) : {};
  }

  async listExecutors(): Promise<Executor[]> {
    const stores = this.#context.openStores();
    return stores ? listExecutorsWithAgents(stores, Date.now()).executors : [];
  }

  async registerMember(member: NewRegistration): Promise<Outcome<{ warnings: string[] }>> {
    return await registerMember(this.#context, member);
  }

  async updateProfile(
    id: string,
    fields: JsonMap,
    by: AuditSource,
  ): Promise<Outcome<{ warnings: string[] }>> {
    return await updateProfile(this.#context, this.#env, id, fields, by);
  }

  async listNames(): Promise<Record<string, string>> {
    const stores = this.#context.openStores();
    return stores ? listNames(stores) : {};
  }

  async describeCapabilities(ids: readonly string[]): Promise<Record<string, string>> {
    const routing = this.#context.openStores()?.routing;
    return Object.fromEntries(
      ids.flatMap((id) => {
        const { description } = routing?.findCatalogEntry(id) ?? {};
        return description === undefined ? [] : [[id, description]];
      }),
    );
  }
}
