/** The routing rules and the capability catalog. */
import { defined } from "../../mess/defined.ts";
import type { CatalogEntry } from "../../mess/config/config.ts";
import { readEscalationTimeouts } from "../../mess/config/dispatch.ts";
import type { RoutingConfig } from "../../mess/routing/routing.ts";
import type { Settings } from "./settings.ts";

export class RoutingSettings {
  readonly #sql: SqlStorage;
  readonly #settings: Settings;

  constructor(sql: SqlStorage, settings: Settings) {
    this.#sql = sql;
    this.#settings = settings;
  }

  getRules(): RoutingConfig {
    return this.#settings.get("routing") ?? { rules: [] };
  }

  /** The routing rules, with the step timeouts from `dispatch`. */
  getRulesWithTimeouts(): RoutingConfig {
    const timeouts = readEscalationTimeouts(this.#settings.getDispatch());
    return { ...this.getRules(), ...defined({ ladder: timeouts }) };
  }

  replace(config: RoutingConfig): void {
    this.#settings.set("routing", config);
  }

  /** The catalog by id (protocol §8.2). */
  listCatalog(): CatalogEntry[] {
    return this.#sql
      .exec<{ entry: string }>("SELECT entry FROM capabilities ORDER BY id")
      .toArray()
      .map(({ entry }) => JSON.parse(entry) as CatalogEntry);
  }

  findCatalogEntry(id: string): CatalogEntry | undefined {
    const [row] = this.#sql
      .exec<{ entry: string }>("SELECT entry FROM capabilities WHERE id = ?", id)
      .toArray();
    return row && (JSON.parse(row.entry) as CatalogEntry);
  }

  putCatalogEntry(entry: CatalogEntry): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO capabilities (id, entry) VALUES (?, ?)",
      entry.id,
      JSON.stringify(entry),
    );
  }
}
