/** All channels. The name of an export is the channel's key in `notify` and `dispatch`, and its name in the log. */
export { slack } from "./slack/send.ts";
export { telegram } from "./telegram/send.ts";
export { sms } from "./sms/send.ts";
export { email } from "./email/send.ts";
export { push } from "./push/send.ts";
export { ntfy } from "./ntfy/send.ts";
export { discord } from "./discord/send.ts";
export { googleChat as google_chat } from "./google-chat/send.ts";
export { webhook } from "./webhook/send.ts";
export { mcp } from "./mcp/send.ts";
export { group } from "./group/send.ts";
