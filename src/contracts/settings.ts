/** RPC surface of the household for creating and configuring it. Types only. */
import type { Outcome } from "../mess/errors.ts";
import type { AuditSource } from "./audit.ts";
import type { JsonMap } from "../mess/json.ts";
import type { Executor } from "../mess/routing/routing.ts";

export interface HouseholdSettings {
  id: string;
  name?: string;
  time_zone: string;
}

export interface SettingsRpc {
  /** Creates the household with its owner's key hash; refused where it exists. */
  setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>>;
  getSettings(): Promise<HouseholdSettings | null>;
  /** A `config` block (decision 50): registers executors and routing. Warnings go into the ack. */
  configure(config: JsonMap, by?: AuditSource): Promise<Outcome<{ warnings: string[] }>>;
  /** Returns everything that `config` blocks have set. */
  exportConfiguration(): Promise<JsonMap>;
  listExecutors(): Promise<Executor[]>;
  /** Display names by id: of executors that have one, and of agents that are or lately were in the pool. */
  listNames(): Promise<Record<string, string>>;
  /** The descriptions of these capabilities in the catalog, by id; those without one are left out. */
  describeCapabilities(ids: readonly string[]): Promise<Record<string, string>>;
}
