/** The kinds of jobs of a household, with their payloads. Most change one thread or one group. */
import type { JobTable } from "../../object/job-table.ts";
import type { Hook, HookVariables } from "../../mess/config/hooks.ts";
import type { Replacement } from "../../mess/thread/suggestions/supersede.ts";
import type { Status } from "../../mess/status.ts";
import type { AssignmentEnd, GroupNotice } from "../../contracts/groups.ts";
import type { AccessEnd, CreateInput, SystemMessage } from "../../contracts/thread.ts";

export interface HouseholdJobs {
  /** Creates the thread. With `joins`, the thread joins that one first if it accepts. */
  create: {
    ref: string;
    input: CreateInput;
    joins?: { ref: string; within: number; asks: string };
  };
  /** Ends the thread as replaced by others. */
  supersede: { ref: string; by: Replacement };
  /** Replaces the dependency `of` of the thread by the threads that superseded it. */
  await: { ref: string; of: string; instead: string[] };
  /** Sends the thread the answer of the thread that it joined. */
  inform: { ref: string; of: string };
  /** Posts a message of the exchange, once for each key. */
  say: { ref: string; message: SystemMessage };
  /** Notifies the thread that a dependency has ended (decision 42). */
  unblock: { ref: string; dependency: string; status: Status };
  /** Ends the links and sockets in the thread that belong to a credential or a membership. */
  revokeLinks: { ref: string; end: AccessEnd };
  /** Lets the thread check again whether its notices to the member must wait. */
  releaseHeld: { ref: string; actor: string };
  /** Empties the object of a thread that an owner deleted. */
  deleteThread: { ref: string };
  /** Seals the household's secrets again after a rotation of the Worker's secret. */
  reseal: Record<string, never>;
  /** Sends the group's object the record of the group as it is when the job runs. */
  syncGroup: { group: string };
  /** Posts a message to a member of the group, once for each id. */
  postToGroup: { group: string; notice: GroupNotice };
  /** Marks the exchange's messages to a member as read. */
  markNotices: { group: string; member: string };
  /** Gives the open tasks of an agent back whose claim has ended. */
  endAssignment: { group: string; end: AssignmentEnd };
  /** Sends the object of a message source its record as it is when the job runs. */
  syncSource: { source: string };
  /** Empties the object of a message source that was removed. */
  eraseSource: { source: string };
  /** Lets a message source classify again what waits for a classifier. */
  catchUpSource: { source: string };
  /** Calls a lifecycle hook, as it was configured `at` this instant; with references to secrets. */
  hook: {
    id: string;
    at: number;
    hook: Hook;
    variables: HookVariables & { event: string; ref: string };
  };
  /** Shows a request as a message of the source. */
  showRequest: { ref: string; source: string };
}

export type HouseholdJobTable = JobTable<HouseholdJobs>;
