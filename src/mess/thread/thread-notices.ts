/** Notices that a change of a thread causes. They are not stored in the thread. */

export interface ThreadNotice {
  /**
   * `offer`: the thread is offered. `reminder`: no candidate claimed it, or its holder has not sent an update for long.
   * `alert`: for the owners. `news`: for the requestor, if it has a channel, or the member that requested a new link.
   */
  kind: "offer" | "reminder" | "alert" | "news";
  /** Distinct members; empty for an alert. */
  to: string[];
  /** The event in one line. */
  note?: string;
  /** The notice repeats an earlier one. */
  again?: true;
  /**
   * `unanswered`: about a pending answer of the requestor; relevant until the answer arrives. `new_link`: for a member
   * whose link expired.
   */
  about?: "unanswered" | "new_link";
}
