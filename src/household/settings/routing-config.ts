/** The routing rules and the capability catalog. */
import type { CatalogEntry } from "../../mess/config/config.ts";
import { ladderOf } from "../../mess/config/dispatch.ts";
import type { RoutingConfig } from "../../mess/routing/routing.ts";
import type { Settings } from "./settings.ts";

export class Routing {
  readonly #sql: SqlStorage;
  readonly #settings: Settings;

  constructor(sql: SqlStorage, settings: Settings) {
    this.#sql = sql;
    this.#settings = settings;
  }

  config(): RoutingConfig {
    return this.#settings.get("routing") ?? { rules: [] };
  }

  /** With how long a rung has, which is written under `dispatch`. */
  withLadder(): RoutingConfig {
    const ladder = ladderOf(this.#settings.dispatch());
    return { ...this.config(), ...(ladder ? { ladder } : {}) };
  }

  replace(config: RoutingConfig): void {
    this.#settings.set("routing", config);
  }

  /** The catalog by id (protocol §8.2). */
  catalog(): CatalogEntry[] {
    return this.#sql
      .exec<{ entry: string }>("SELECT entry FROM capabilities ORDER BY id")
      .toArray()
      .map(({ entry }) => JSON.parse(entry) as CatalogEntry);
  }

  describe(entry: CatalogEntry): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO capabilities (id, entry) VALUES (?, ?)",
      entry.id,
      JSON.stringify(entry),
    );
  }
}
