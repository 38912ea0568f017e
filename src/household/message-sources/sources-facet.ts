/** Message sources: which there are, who may read them, the policy, rules and notices. */
import { toAuditSource } from "../../auth/audit-source.ts";
import type { Principal } from "../../auth/principal.ts";
import { getConfig } from "../../config.ts";
import type {
  OpenedSource,
  SourceAccess,
  SourceListing,
  SourcesRpc,
} from "../../contracts/household-sources.ts";
import type { SourceRecord } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { Json, JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { SourceKindName } from "../../mess/sources/vocabulary.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { applyConfigBlock } from "../settings/apply-config-block.ts";
import type { Stores } from "../stores.ts";
import { putSource } from "./configure-sources.ts";
import type { StoredSource } from "./source-table.ts";
import { buildRecord } from "./source-jobs.ts";
import { openSourceSettings } from "./open-settings.ts";
import {
  authorizeSource,
  canAccess,
  checkSourceCaller,
  checkSourceOwner,
  toListing,
} from "./source-access.ts";

export class SourcesFacet implements SourcesRpc {
  readonly #context: HouseholdContext;
  readonly #env: Env;

  constructor(context: HouseholdContext, env: Env) {
    this.#context = context;
    this.#env = env;
  }

  async list(caller: Principal): Promise<Outcome<SourceListing[]>> {
    return this.#context.transact((stores, now) => {
      const allowed = checkSourceCaller(stores, caller, now);
      if (!allowed.ok) return allowed;
      const readable = stores.messageSources
        .list()
        .filter(({ name }) => canAccess(caller, name, "read"));
      return ok(readable.map((one) => this.#show(stores, one)));
    });
  }

  async authorize(
    caller: Principal,
    source: string,
    access: SourceAccess,
  ): Promise<Outcome<SourceListing>> {
    return this.#context.transact((stores, now) => {
      const found = authorizeSource(stores, caller, source, access, now);
      return found.ok ? ok(this.#show(stores, found.value)) : found;
    });
  }

  async register(
    caller: Principal,
    name: string,
    settings: JsonMap,
  ): Promise<Outcome<SourceListing>> {
    const changed = await this.#configure(caller, name, settings);
    return changed.ok ? this.#view(name) : changed;
  }

  async setStatus(
    caller: Principal,
    name: string,
    status: SourceRecord["status"],
  ): Promise<Outcome<SourceListing>> {
    const changed = this.#asOwner(caller, (stores, now) => {
      const found = authorizeSource(stores, caller, name, "read", now);
      if (!found.ok || found.value.status === status) return found;
      putSource(stores, { ...found.value, status }, now);
      const record = { action: "source_status_changed", target: name, detail: { status } } as const;
      stores.audit.append({ ...record, source: toAuditSource(caller) }, now);
      return found;
    });
    if (!changed.ok) return changed;
    await this.#context.runJobsNow("syncSource");
    return this.#view(name);
  }

  async remove(caller: Principal, name: string): Promise<Outcome<true>> {
    const found = this.#asOwner(caller, (stores, now) =>
      authorizeSource(stores, caller, name, "read", now),
    );
    return found.ok ? await this.#configure(caller, name, null) : found;
  }

  async openSettings(name: string): Promise<OpenedSource | null> {
    const stores = this.#context.openStores();
    const source = stores?.messageSources.find(name);
    if (!stores || !source) return null;
    const vault = this.#context.getVault(stores);
    const generated = this.#context.getGeneratedSecrets(stores);
    const settings = await openSourceSettings(vault, generated, source);
    const record = buildRecord(stores, stores.settings.getHousehold().id, name);
    return settings && record ? { record, settings } : null;
  }

  async findByKind(kind: SourceKindName): Promise<string | null> {
    const found = this.#context
      .openStores()
      ?.messageSources.list()
      .find((one) => one.kind === kind && one.status === "connected");
    return found?.name ?? null;
  }

  async listNames(): Promise<string[]> {
    return (
      this.#context
        .openStores()
        ?.messageSources.list()
        .map(({ name }) => name) ?? []
    );
  }

  getPolicy(): ReturnType<SourcesRpc["getPolicy"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listPolicies(): ReturnType<SourcesRpc["listPolicies"]> {
    return Promise.reject(new Error("not built yet"));
  }

  setPolicy(): ReturnType<SourcesRpc["setPolicy"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listRules(): ReturnType<SourcesRpc["listRules"]> {
    return Promise.reject(new Error("not built yet"));
  }

  setRules(): ReturnType<SourcesRpc["setRules"]> {
    return Promise.reject(new Error("not built yet"));
  }

  getClassification(): ReturnType<SourcesRpc["getClassification"]> {
    return Promise.reject(new Error("not built yet"));
  }

  addExample(): ReturnType<SourcesRpc["addExample"]> {
    return Promise.reject(new Error("not built yet"));
  }

  postNotice(): ReturnType<SourcesRpc["postNotice"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listNotices(): ReturnType<SourcesRpc["listNotices"]> {
    return Promise.reject(new Error("not built yet"));
  }

  #show({ settings }: Stores, source: StoredSource): SourceListing {
    const household = settings.getHousehold().id;
    return toListing(source, { household, origin: getConfig(this.#env).origin });
  }

  #asOwner<T>(caller: Principal, work: (stores: Stores, now: number) => Outcome<T>): Outcome<T> {
    return this.#context.transact((stores, now) => {
      const allowed = checkSourceOwner(stores, caller, now);
      return allowed.ok ? work(stores, now) : allowed;
    });
  }

  /** Registering and removing are changes of the configuration. */
  async #configure(caller: Principal, name: string, entry: Json): Promise<Outcome<true>> {
    const allowed = this.#asOwner(caller, () => ok(true as const));
    if (!allowed.ok) return allowed;
    const block = { sources: { [name]: entry } };
    const done = await applyConfigBlock(this.#context, this.#env, block, toAuditSource(caller));
    return done.ok ? ok(true) : done;
  }

  #view(name: string): Outcome<SourceListing> {
    const stores = this.#context.openStores();
    if (!stores) return refuseNoHousehold();
    const source = stores.messageSources.find(name);
    return source
      ? ok(this.#show(stores, source))
      : refuse("not_found", "source not found", "It was removed in the meantime.");
  }
}
