/** What channels are called, in `notify` and `dispatch` and in the log. */
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
