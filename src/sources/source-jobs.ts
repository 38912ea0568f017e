/** The kinds of jobs of a source, with their payloads. `seq` is the position of a message or draft. */

export interface SourceJobs {
  /** Writes new messages to the index in D1. */
  index: Record<string, never>;
  /** Deletes bytes in R2 that no message refers to any longer. */
  deleteBytes: { keys: string[] };
  /** Classifies a message. */
  classify: { seq: number };
  /** Brings the household the notice about a classified message. */
  notice: { seq: number };
  /** Opens the request that tells the owner of an urgent message, with its draft. */
  interrupt: { seq: number };
  /** Opens the request that asks the owner to approve a revision of a draft. */
  askApproval: { draft: number; digest: string };
  /** Sends an approved draft when its time has come. */
  send: { draft: number };
  /** Fetches new messages. */
  poll: Record<string, never>;
}
