/** The kinds of jobs of a source, with their payloads. `seq` is the position of a message or draft. */

export interface SourceJobs {
  /** Writes new messages to the index in D1. */
  index: Record<string, never>;
  /** Deletes bytes in R2 that no message refers to any longer. */
  deleteBytes: { keys: string[] };
  /**
   * Classifies the messages that wait for it. Every new message puts this one job, due now, in the queue `classify`:
   * the messages say themselves that they wait, so that many of them make one orderly queue.
   */
  classify: Record<string, never>;
  /** Brings the household the notice about a classified message. */
  notice: { seq: number };
  /** Brings the household the correction of a message by a person. */
  learn: { seq: number };
  /** Opens the request that tells the owner of an urgent message, with its draft. */
  interrupt: { seq: number };
  /** Opens the request that asks the owner to approve a revision of a draft. */
  askApproval: { draft: number; digest: string };
  /** Ends a request to an owner that is about an earlier revision. */
  withdraw: { ref: string };
  /** Sends an approved draft when its time has come. */
  send: { draft: number };
  /** Fetches new messages. */
  poll: Record<string, never>;
}
