/** What the household is, as JSON values by key. */
import { isMap, type JsonMap } from "../../mess/json.ts";
import type { RoutingConfig } from "../../mess/routing/routing.ts";
import type { HouseholdSettings } from "../../contracts/household.ts";

interface SettingValues {
  id: string;
  name: string;
  time_zone: string;
  routing: RoutingConfig;
  /** `getDispatch` of `config` blocks, with secrets as references. */
  dispatch: JsonMap;
  /** Keys of `config` blocks that are not ours. */
  other: JsonMap;
  /** By which version of the rules all secrets in `getDispatch` and of executors were sealed. */
  sealing: number;
  /** The last day whose orphaned blobs were swept. */
  swept: string;
  /** When what is kept for a time was last pruned. Milliseconds since 1970. */
  pruned: number;
  /** No sweep before this instant, since the last one failed. Milliseconds since 1970. */
  sweep_after: number;
}

export class Settings {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get<K extends keyof SettingValues>(key: K): SettingValues[K] | undefined {
    const [row] = this.#sql
      .exec<{ value: string }>("SELECT value FROM settings WHERE key = ?", key)
      .toArray();
    return row && (JSON.parse(row.value) as SettingValues[K]);
  }

  set<K extends keyof SettingValues>(key: K, value: SettingValues[K] | undefined): void {
    if (value === undefined) return;
    this.#sql.exec(
      "INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)",
      key,
      JSON.stringify(value),
    );
  }

  getHousehold(): HouseholdSettings {
    const name = this.get("name");
    return {
      id: this.get("id") ?? "",
      ...(name === undefined ? {} : { name }),
      time_zone: this.getZone(),
    };
  }

  /** IANA name of the zone in which days begin and times are written (decision 7). */
  getZone(): string {
    return this.get("time_zone") ?? "UTC";
  }

  /** `getDispatch` of `config` blocks as it is written, with secrets as references. */
  getDispatch(): JsonMap {
    return this.get("dispatch") ?? {};
  }

  /** Keys of `config` blocks that are not ours; later ones replace earlier ones. */
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

  /** Later keys replace earlier ones; null takes one out. */
  setDispatch(change: JsonMap): void {
    const merged = Object.entries({ ...this.getDispatch(), ...change });
    this.set("dispatch", Object.fromEntries(merged.filter(([, value]) => value !== null)));
  }
}
