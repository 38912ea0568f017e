/** The kinds of jobs of a household, with what each needs. All of them change a thread. */
import type { JobTable } from "../../object/job-table.ts";
import type { Replacement } from "../../mess/thread/supersede.ts";
import type { Status } from "../../mess/status.ts";
import type { AccessEnd, CreateInput, SystemMessage } from "../../contracts/thread.ts";

export interface HouseholdJobs {
  /** Makes the thread, which joins another first, if that lets it in. */
  create: {
    ref: string;
    input: CreateInput;
    joins?: { ref: string; within: number; asks: string };
  };
  supersede: { ref: string; by: Replacement };
  /** Lets the thread wait for others than the one that they replace. */
  await: { ref: string; of: string; instead: string[] };
  /** Sends the thread the answer of the one that it joined. */
  inform: { ref: string; of: string };
  /** A message of the exchange, posted once under its key. */
  say: { ref: string; message: SystemMessage };
  /** Notifies the thread that one on which it depends has ended (decision 42). */
  unblock: { ref: string; dependency: string; status: Status };
  /** Ends the links and sockets that the thread holds of a credential or a membership. */
  revokeLinks: { ref: string; end: AccessEnd };
}

export type HouseholdJobTable = JobTable<HouseholdJobs>;
