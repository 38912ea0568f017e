/** Turns the messages of a thread into short sentences, for the report of a simulation. */

type Block = Record<string, Record<string, unknown>>;

export interface ThreadMessage {
  from: string;
  /** ISO 8601. */
  received: string;
  MESS: Block[];
}

/** One message as printed. */
export interface MessageLines {
  from: string;
  /** ISO 8601, to the second. */
  at: string;
  /** Status codes in the message. */
  codes: unknown[];
  /** A sentence about the sender, without its name. */
  lines: string[];
}

/** The messages of the agent, people and robots, oldest first. Messages of the exchange are left out: they repeat the history. */
export const describeMessages = (messages: readonly ThreadMessage[]): MessageLines[] =>
  messages
    .filter(({ from }) => from !== "exchange")
    .map(({ from, received, MESS }) => ({
      from,
      at: received,
      codes: MESS.map((block) => block["status"]?.["code"]),
      lines: MESS.flatMap(describeBlock),
    }));

const quote = (text: unknown): string => `"${String(text)}"`;

function describeBlock({ status, response, reply, followup, suggestion }: Block): string[] {
  if (suggestion) return [`suggests: ${quote(suggestion["proposed"])}`];
  if (status) return [describeStatus(status)];
  if (response) return describeEntries(response["content"]);
  if (reply) return [describeReply(reply)];
  if (followup) {
    const message = followup["message"];
    const files = describeEntries(followup["context"]);
    return message === undefined ? files : [`says: ${quote(message)}`, ...files];
  }
  return [];
}

function describeStatus({ code, message, questions, progress_pct, reason }: Block[string]): string {
  const said = message === undefined ? "" : `: ${quote(message)}`;
  switch (code) {
    case "claimed":
      return `takes it${said}`;
    case "needs_input":
      return `asks: ${(questions as { question: string }[]).map(({ question }) => quote(question)).join(", ")}`;
    case "in_progress":
      return progress_pct === undefined
        ? `is working on it${said}`
        : `has done ${Number(progress_pct)}% of it`;
    case "completed":
      return `is done${said}`;
    case "declined":
      return `declines${said}`;
    case "failed":
      return `gives up: ${quote((reason as { detail?: string } | undefined)?.detail ?? reason)}`;
    default:
      return `reports ${String(code)}${said}`;
  }
}

function describeEntries(entries: unknown): string[] {
  return (Array.isArray(entries) ? entries : []).map((entry: string | Block) => {
    const text = typeof entry === "string" ? entry : entry["text"];
    if (text !== undefined) return `answers: ${quote(text)}`;
    const [kind = "file"] = Object.keys(entry);
    return kind === "image" ? "sends a photo" : `sends a ${kind}`;
  });
}

function describeReply({ answers, confirm, accept }: Block[string]): string {
  if (accept !== undefined)
    return accept === true ? "accepts the suggestion" : "rejects the suggestion";
  if (answers === undefined) return confirm === true ? "approves" : "refuses";
  return `replies: ${Object.values(answers as object)
    .map(quote)
    .join(", ")}`;
}
