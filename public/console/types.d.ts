/** Types shared by the views of the console; ambient, nothing exists at run time. */

/** One thread as `GET /mess` lists it. */
type ListedTask = Pick<
  Envelope,
  | "ref"
  | "requestor"
  | "executor"
  | "status"
  | "created"
  | "updated"
  | "expires"
  | "intent"
  | "priority"
>;

/** An executor as `GET /api/v1/executors` lists it for an owner. */
interface ConsoleExecutor {
  id: string;
  kind?: string;
  name?: string;
  capabilities?: (string | JsonMap)[];
  access?: string[];
  notify?: JsonMap;
  quiet_hours?: string;
  hours?: Json;
  capacity?: number;
}

/** The route of a request, or the one that it would take. */
interface ConsoleRoute {
  by: string;
  candidates: { id: string; rung: number; reasons?: string[]; later?: string }[];
  passed_over: { id: string; reason: string }[];
  warnings: string[];
  rung_seconds?: number;
}

/** A view fills its place. `close` ends its timers when the person leaves it. */
interface ConsoleView {
  /** Loads its data again after something changed in the household. */
  reload?: () => Promise<void>;
  close?: () => void;
}
