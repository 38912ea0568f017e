/** Message sources: which there are, who may read them, the policy, rules and notices. */
import { toAuditSource } from "../../auth/audit-source.ts";
import type { Principal } from "../../auth/principal.ts";
import { getConfig } from "../../config.ts";
import type {
  ClassificationContext,
  ClassifierExample,
  MessageNotice,
  NoticeView,
  OpenedSource,
  PolicyVersion,
  SourceAccess,
  SourceListing,
  SourcesRpc,
  VisibleSource,
} from "../../contracts/household-sources.ts";
import type { SourceRecord } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { type Json, type JsonMap, toCanonicalJson } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { defined } from "../../mess/defined.ts";
import type { ClassifierRule } from "../../mess/sources/rules.ts";
import type { SourceKindName } from "../../mess/sources/vocabulary.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { applyConfigBlock } from "../settings/apply-config-block.ts";
import type { Stores } from "../stores.ts";
import { putSource } from "./configure-sources.ts";
import type { StoredSource } from "./source-table.ts";
import { buildRecord } from "./source-jobs.ts";
import { changePolicy, changeRules, learnFrom } from "./guide-watcher.ts";
import { listReadableNotices } from "./read-notices.ts";
import { openClassifier, openSourceSettings } from "./open-settings.ts";
import {
  authorizeSource,
  canAccess,
  checkGuidanceReader,
  checkSourceCaller,
  checkSourceOwner,
  listAccesses,
  toListing,
} from "./source-access.ts";

export class SourcesFacet implements SourcesRpc {
  readonly #context: HouseholdContext;
  readonly #env: Env;
  readonly #wake: (source: string, seq: number) => void;

  /** @param wake wakes those who wait for notices of the source */
  constructor(context: HouseholdContext, env: Env, wake: (source: string, seq: number) => void) {
    this.#context = context;
    this.#env = env;
    this.#wake = wake;
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

  async listVisible(caller: Principal): Promise<Outcome<VisibleSource[]>> {
    return this.#context.transact((stores, now) => {
      const allowed = checkSourceCaller(stores, caller, now);
      if (!allowed.ok) return allowed;
      return ok(
        stores.messageSources
          .list()
          .map(({ name }) => ({ name, accesses: listAccesses(caller, name) }))
          .filter(({ accesses }) => accesses.length > 0),
      );
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
    const settings = await openSourceSettings(vault, generated, stores, source);
    const record = buildRecord(stores, stores.settings.getHousehold().id, name);
    if (!settings || !record) return null;
    const routes = await vault.fingerprints(`route.${name}`, toCanonicalJson(settings));
    return { record, settings, routes };
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

  async getPolicy(caller: Principal): Promise<Outcome<PolicyVersion>> {
    return this.#asReader(caller, ({ messageGuidance }) => ok(messageGuidance.getPolicy()));
  }

  async listPolicies(caller: Principal): Promise<Outcome<PolicyVersion[]>> {
    return this.#asReader(caller, ({ messageGuidance }) => ok(messageGuidance.listPolicies()));
  }

  async setPolicy(caller: Principal, text: string): Promise<Outcome<PolicyVersion>> {
    const changed = this.#asOwner(caller, (stores, now) =>
      changePolicy(stores, text, toAuditSource(caller), now),
    );
    if (!changed.ok) return changed;
    await this.#context.runJobsNow("catchUpSource");
    return await this.getPolicy(caller);
  }

  async listRules(caller: Principal): Promise<Outcome<ClassifierRule[]>> {
    return this.#asReader(caller, ({ messageGuidance }) => ok(messageGuidance.listRules()));
  }

  async setRules(caller: Principal, rules: ClassifierRule[]): Promise<Outcome<ClassifierRule[]>> {
    const changed = this.#asOwner(caller, (stores, now) =>
      changeRules(stores, rules, toAuditSource(caller), now),
    );
    if (!changed.ok) return changed;
    await this.#context.runJobsNow("catchUpSource");
    return await this.listRules(caller);
  }

  async getClassification(): Promise<ClassificationContext> {
    const stores = this.#context.openStores();
    if (!stores) throw new Error("a source asks a household that does not exist");
    const { messageGuidance: guidance, settings } = stores;
    const vault = this.#context.getVault(stores);
    const classifier = await openClassifier(vault, settings.getMessages());
    return {
      rules: guidance.listRules(),
      policy: guidance.getPolicy(),
      examples: guidance.listExamples(),
      zone: settings.getZone(),
      ...defined({ classifier, household_name: settings.getHousehold().name }),
    };
  }

  async addExample(example: ClassifierExample): Promise<void> {
    this.#context.write((stores, now) => learnFrom(stores, example, now));
    await this.#context.runJobsNow("catchUpSource");
  }

  async postNotice(notice: MessageNotice): Promise<void> {
    let position: number | undefined;
    this.#context.write(({ messageNotices, messageSources }, now) => {
      if (messageSources.find(notice.source)) position = messageNotices.post(notice, now);
    });
    if (position === undefined) await this.#context.setAlarm();
    else this.#wake(notice.source, position);
  }

  async listNotices(
    caller: Principal,
    after = 0,
    limit: number,
  ): Promise<Outcome<{ notices: NoticeView[]; cursor: number }>> {
    return this.#context.transact((stores, now) => {
      const allowed = checkSourceCaller(stores, caller, now);
      if (!allowed.ok) return allowed;
      const position = Math.min(after, stores.messageNotices.getLast());
      const notices = listReadableNotices(stores, caller, position, limit);
      return ok({ notices, cursor: notices.at(-1)?.seq ?? position });
    });
  }

  #asReader<T>(caller: Principal, work: (stores: Stores) => Outcome<T>): Outcome<T> {
    return this.#context.transact((stores, now) => {
      const allowed = checkGuidanceReader(stores, caller, now);
      return allowed.ok ? work(stores) : allowed;
    });
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
