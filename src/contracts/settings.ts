/** RPC surface of the household for creating and configuring it. Types only. */
import type { Outcome } from "../mess/errors.ts";
import type { AuditSource } from "./audit.ts";
import type { JsonMap } from "../mess/json.ts";
import type { QuotaName } from "../mess/quotas.ts";
import type { Executor } from "../mess/routing/routing.ts";

export interface HouseholdSettings {
  id: string;
  name?: string;
  time_zone: string;
}

/** What the operator sees of a household: no content, no names of people, no intents. */
export interface HouseholdOverview {
  id: string;
  /** ISO 8601; missing if the audit trail no longer has it. */
  created?: string;
  /** Since when it is suspended; missing if it is not. */
  suspended?: string;
  health: {
    /** Due time of the oldest job that should have run. */
    overdue_since?: string;
    /** Jobs that were given up in the last 30 days. */
    dead_letters: number;
  };
  /** Counts by quota, and the numbers of members and of people who can sign in. */
  usage: Partial<Record<QuotaName, number>> & { members: number; people: number };
}

/** A program that becomes a member by itself. */
export interface NewRegistration {
  id: string;
  /** Fields of its executor. */
  fields: JsonMap;
  /** SHA-256 of its key in lower-case hex. */
  key_hash: string;
}

export interface SettingsRpc {
  /** Creates the household with its owner's key hash; refused where it exists. */
  setUp(
    settings: HouseholdSettings,
    owner: { actor: string; key_hash: string },
  ): Promise<Outcome<HouseholdSettings>>;
  getSettings(): Promise<HouseholdSettings | null>;
  describeForOperator(): Promise<HouseholdOverview | null>;
  isSuspended(): Promise<boolean>;
  /** Suspends or resumes the household. Repeating it has no effect. */
  setSuspended(isSuspended: boolean): Promise<Outcome<true>>;
  /** A `config` block (decision 50): registers executors and routing. Warnings go into the ack. */
  configure(config: JsonMap, by?: AuditSource): Promise<Outcome<{ warnings: string[] }>>;
  /** Returns everything that `config` blocks have set. */
  exportConfiguration(): Promise<JsonMap>;
  listExecutors(): Promise<Executor[]>;
  /** Adds a member that registers by itself; refused unless the household's registration is open. */
  registerMember(member: NewRegistration): Promise<Outcome<{ warnings: string[] }>>;
  /** Changes fields of an executor at its own request; null returns one to its default. */
  updateProfile(
    id: string,
    fields: JsonMap,
    by: AuditSource,
  ): Promise<Outcome<{ warnings: string[] }>>;
  /** Display names by id: of executors that have one, and of agents that are or lately were in the pool. */
  listNames(): Promise<Record<string, string>>;
  /** The descriptions of these capabilities in the catalog, by id; those without one are left out. */
  describeCapabilities(ids: readonly string[]): Promise<Record<string, string>>;
}
