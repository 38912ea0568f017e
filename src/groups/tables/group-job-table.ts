/**
 * The durable jobs of a group: messages of its members that become messages of requests, requests given back, and checks
 * for signs of life.
 */
import type { CredentialId, Principal, Role } from "../../auth/principal.ts";
import { defined } from "../../mess/defined.ts";
import { OFFLINE_AFTER_MS } from "../../mess/groups/vocabulary.ts";
import { JobTable, type StoredJob } from "../../object/job-table.ts";
import type { QueueSet } from "../../object/jobs.ts";
import type { GroupStore } from "./group-store.ts";
import type { StoredMessage } from "./message-table.ts";
import type { GroupTables } from "./schema.ts";

export interface GroupJobs {
  /** Sends the message at this position to the exchange, as the principal that sent it here. */
  post: { seq: number; actor: string; role: Role; credential?: CredentialId };
  /** Gives the request of a task back in the name of the agent that lost it. */
  decline: { task: string; ref: string; agent: string; reason: string };
  /** Checks whether a member that has tasks gives signs of life. */
  checkSilence: { agent: string };
}

/** Most groups have no such jobs, and no table for them. */
export class GroupJobTable extends JobTable<GroupJobs> {
  readonly #tables: GroupTables;

  constructor(sql: SqlStorage, tables: GroupTables) {
    super(sql);
    this.#tables = tables;
  }

  override add<Kind extends keyof GroupJobs>(
    kind: Kind,
    queue: string,
    payload: GroupJobs[Kind],
    due: number,
  ): void {
    this.#tables.ensure("jobs");
    super.add(kind, queue, payload, due);
  }

  override put<Kind extends keyof GroupJobs>(
    kind: Kind,
    queue: string,
    payload: GroupJobs[Kind],
    due: number,
  ): void {
    this.#tables.ensure("jobs");
    super.put(kind, queue, payload, due);
  }

  override isPending(queue: string): boolean {
    return this.#tables.has("jobs") && super.isPending(queue);
  }

  override listDue(now: number, limit: number, kind?: keyof GroupJobs): StoredJob<GroupJobs>[] {
    return this.#tables.has("jobs") ? super.listDue(now, limit, kind) : [];
  }

  override findDue(queue: string, now: number): StoredJob<GroupJobs> | undefined {
    return this.#tables.has("jobs") ? super.findDue(queue, now) : undefined;
  }

  override getNextDue(except?: QueueSet): number | undefined {
    return this.#tables.has("jobs") ? super.getNextDue(except) : undefined;
  }
}

const toSilenceQueue = (agent: string): string => `silence ${agent}`;

/** A member of whom a check is pending needs no second one. Runs inside the caller's transaction. */
export function addSilenceCheck(jobs: GroupJobTable, agent: string, now: number): void {
  if (!jobs.isPending(toSilenceQueue(agent))) putSilenceCheck(jobs, agent, now + OFFLINE_AFTER_MS);
}

export const putSilenceCheck = (jobs: GroupJobTable, agent: string, due: number): void =>
  jobs.put("checkSilence", toSilenceQueue(agent), { agent }, due);

/** The messages about one task are posted in order. Runs inside the caller's transaction. */
export function enqueuePost(
  { jobs }: GroupStore,
  { actor, role, credential }: Principal,
  { seq, id, details }: StoredMessage,
  now: number,
): void {
  jobs.add("post", details.request ?? id, { seq, actor, role, ...defined({ credential }) }, now);
}
