/** Whom a change of a thread is to be told, besides those who read it. Nothing of it is kept in the thread. */

export interface ThreadNotice {
  /**
   * `offer`: the thread is offered to them. `reminder`: it was, and nobody took it; or it is held, and nothing was
   * heard for long. `alert`: the owners are told. `news`: the requestor is, where it can be.
   */
  kind: "offer" | "reminder" | "alert" | "news";
  /** Members, each once; empty for an alert. */
  to: string[];
  /** What happened, in one line. */
  note?: string;
  /** It says again what they were told before. */
  again?: true;
  /** The requestor owes an answer: it matters until that comes, whoever holds the thread. */
  about?: "unanswered";
}
