/** Channel names, as in `notify`, `dispatch` and the log. */
export const CHANNEL_KINDS = [
  "slack",
  "telegram",
  "sms",
  "email",
  "push",
  "ntfy",
  "discord",
  "google_chat",
  "webhook",
  "mcp",
] as const;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];
