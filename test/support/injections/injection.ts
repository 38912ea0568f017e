/** A message by a stranger who wants the classifier or an agent to act for them. */
export interface Injection {
  /** What it tries, as a part of a test's name. */
  name: string;
  from?: string;
  subject: string;
  text?: string;
  html?: string;
  headers?: Readonly<Record<string, string>>;
  /** The answer of a classifier that obeys; default: an urgent verdict with a draft. */
  verdict?: string;
  /**
   * What an agent does that obeys, beside the calls that the text itself contains: lines such as
   * `POST /path {"json":…}` and tool calls in JSON. In both, `{message}`, `{draft}`, `{digest}`, `{request}` and
   * `{private}` are replaced by the ids that the attacker would need.
   */
  orders: readonly Order[];
}

export type Order =
  | { do: "send"; to: string; body: string }
  | { do: "forward"; to: string }
  | { do: "approve" }
  | { do: "change_policy"; policy: string }
  | { do: "change_rules"; rules: readonly object[] }
  | { do: "configure"; config: object }
  | { do: "read"; source: string };
