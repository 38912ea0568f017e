/** Settings of the household, as JSON values by key. */
import { defined } from "../../mess/defined.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import type { QuotaLimits } from "../../mess/quotas.ts";
import type { RoutingConfig } from "../../mess/routing/routing.ts";
import { type AccessSettings, DEFAULT_ACCESS } from "../../mess/config/access.ts";
import type { HouseholdSettings } from "../../contracts/settings.ts";

interface SettingValues {
  id: string;
  name: string;
  time_zone: string;
  routing: RoutingConfig;
  /** `dispatch` of `config` blocks, with references to secrets. */
  dispatch: JsonMap;
  /** `messages` of `config` blocks, with references to secrets. */
  messages: JsonMap;
  access: AccessSettings;
  /** `hooks` of `config` blocks, with references to secrets. */
  hooks: JsonMap;
  /** Keys of `config` blocks that the exchange does not know. */
  other: JsonMap;
  /** `SEALING_VERSION` under which the secrets in `dispatch` and of executors were sealed. */
  sealing: number;
  /** `SealingState` that the registry of the deployment has. */
  sealing_reported: string;
  /** The last day whose unreferenced blobs were deleted. */
  swept: string;
  /** When expired rows were last deleted, in milliseconds since 1970. */
  pruned: number;
  /** When old messages of AI groups were last deleted, in milliseconds since 1970. */
  groups_pruned: number;
  /** When old messages of sources were last deleted, in milliseconds since 1970. */
  sources_pruned: number;
  /** No digest before this instant, after one that could not be opened. Milliseconds since 1970. */
  digest_after: number;
  /** Quotas that the operator has changed for this household. */
  limits: Partial<QuotaLimits>;
  /** Whether the sum of the stored files is right. Not for files of earlier versions, nor after a deletion. */
  files_counted: boolean | "counting";
  /** No blob cleanup before this instant, after a failed one. Milliseconds since 1970. */
  sweep_after: number;
  /** When the household was last listed in D1, and when a failed listing is repeated. Milliseconds since 1970. */
  listed: number;
  list_after: number | null;
  /** When the operator suspended the household; null after it was resumed. Milliseconds since 1970. */
  suspended: number | null;
}

const mergeKeys = (before: JsonMap, change: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries({ ...before, ...change }).filter(([, value]) => value !== null),
  );

export class Settings {
  readonly #sql: SqlStorage;
  /** JSON of all values by key, read once: every request of the household needs several. */
  #values: Map<string, string> | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Call this when a transaction that changed settings is rolled back. */
  clearCache(): void {
    this.#values = undefined;
  }

  get<K extends keyof SettingValues>(key: K): SettingValues[K] | undefined {
    this.#values ??= new Map(
      this.#sql
        .exec<{ key: string; value: string }>("SELECT key, value FROM settings")
        .toArray()
        .map((row) => [row.key, row.value]),
    );
    const value = this.#values.get(key);
    return value === undefined ? undefined : (JSON.parse(value) as SettingValues[K]);
  }

  set<K extends keyof SettingValues>(key: K, value: SettingValues[K] | undefined): void {
    if (value === undefined) return;
    const json = JSON.stringify(value);
    this.#sql.exec("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", key, json);
    this.#values?.set(key, json);
  }

  getHousehold(): HouseholdSettings {
    const name = this.get("name");
    return {
      id: this.get("id") ?? "",
      ...defined({ name }),
      time_zone: this.getZone(),
    };
  }

  isSuspended(): boolean {
    return typeof this.get("suspended") === "number";
  }

  /** IANA time zone in which days begin and times are written (decision 7). */
  getZone(): string {
    return this.get("time_zone") ?? "UTC";
  }

  /** `access` of `config` blocks. */
  getAccess(): AccessSettings {
    return this.get("access") ?? DEFAULT_ACCESS;
  }

  setAccess(change: Partial<AccessSettings>): void {
    this.set("access", { ...this.getAccess(), ...change });
  }

  /** Lifecycle hooks by event, as configured, with references to secrets. */
  getHooks(): JsonMap {
    return this.get("hooks") ?? {};
  }

  setHooks(change: JsonMap): void {
    this.set("hooks", mergeKeys(this.getHooks(), change));
  }

  /** `dispatch` of `config` blocks as configured, with references to secrets. */
  getDispatch(): JsonMap {
    return this.get("dispatch") ?? {};
  }

  /** Merges keys of `config` blocks that the exchange does not know; later ones replace earlier ones. */
  mergeOther(other: JsonMap): void {
    if (Object.keys(other).length === 0) return;
    const before = this.get("other") ?? {};
    const { settings } = before;
    const merged =
      isMap(settings) && isMap(other["settings"])
        ? { settings: { ...settings, ...other["settings"] } }
        : {};
    this.set("other", { ...before, ...other, ...merged });
  }

  /** `messages` of `config` blocks as configured, with references to secrets. */
  getMessages(): JsonMap {
    return this.get("messages") ?? {};
  }

  /** Merges `dispatch`: later keys replace earlier ones, and null removes a key. */
  setDispatch(change: JsonMap): void {
    this.set("dispatch", mergeKeys(this.getDispatch(), change));
  }

  /** Merges `messages` in the same way. */
  setMessages(change: JsonMap): void {
    this.set("messages", mergeKeys(this.getMessages(), change));
  }
}
