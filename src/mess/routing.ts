/** Routing (decisions 46–49). Contract; the implementation follows. */
import type { Capability, Request } from "./schema.ts";

/** A member that can be asked. `machine` executors complete as they respond (decision 28) and have short leases. */
export interface Executor {
  id: string;
  name?: string;
  kind: "person" | "machine";
  capabilities: Capability[];
  /** Areas: `home/kitchen` counts as capability `home-kitchen-access` (decision 47). */
  access?: string[];
  availability?: "always" | "schedule" | "on_demand";
  /** Cron window or `08:00-22:00` (decision 44), in `time_zone`, else the household's. */
  schedule?: string;
  time_zone?: string;
}

export interface RoutingRule {
  match: { capability?: string; urgency?: string; precision?: string };
  /** Member ids in order of preference, or a strategy word. */
  prefer: string[] | string;
}

export interface RoutingConfig {
  rules: RoutingRule[];
  /** Asked when nobody is capable. */
  default?: string[];
}

export interface Candidate {
  id: string;
  kind: "person" | "machine";
  /** Seconds of silence after which a claim lapses (decision 30). */
  lease: number;
}

/** The choice and its reasons, kept with the thread and told by `GET /mess/{ref}/route`. */
export interface Route {
  /** How the candidates were found. */
  by: "rule" | "capability" | "default" | "nobody";
  candidates: (Candidate & { reasons: string[] })[];
  passed_over: { id: string; reason: string }[];
  /** Capabilities asked for, normalised. */
  requires: string[];
  warnings: string[];
}

export type RouteRequest = Pick<Request, "requires" | "precision" | "priority" | "constraints">;

export type { Capability };
