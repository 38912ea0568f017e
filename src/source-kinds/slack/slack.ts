/**
 * Messages to the household's Slack app that answer no request. They arrive by the request URL of the app; replies are
 * sent by the app, in the Slack thread of the original.
 */
import { slackConfig, type SlackSettings } from "../../channels/slack/config.ts";
import {
  callSlackApi,
  escapeMarkup,
  PLAIN_TEXT_OPTIONS,
  readSlackHandle,
} from "../../channels/slack/send.ts";
import { defined } from "../../mess/defined.ts";
import { readOutgoingText, sendOnce } from "../chat/outgoing-text.ts";
import type { KindContext, OutgoingMessage, SourceKind, SourceSendResult } from "../source-kind.ts";

/** Slack cuts longer texts. */
const MAX_CHARS = 40_000;

export const slackKind: SourceKind<SlackSettings> = {
  channel: "slack",
  settings: slackConfig.settings,
  secrets: [],
  isSingle: true,
  explainCannotSend: () => undefined,
  send: sendSlackMessage,
};

async function sendSlackMessage(
  context: KindContext<SlackSettings>,
  message: OutgoingMessage,
): Promise<SourceSendResult> {
  const outgoing = readOutgoingText(message, MAX_CHARS);
  if ("ok" in outgoing) return outgoing;
  const { to, text } = outgoing;
  const { references = [], external_id: original } = message.answers ?? {};
  // Slack threads hang on their first message.
  const parent = readSlackHandle(references.at(-1) ?? original);
  return await sendOnce(context, (own) =>
    callSlackApi(own, "chat.postMessage", {
      channel: to,
      ...defined({ thread_ts: parent?.channel === to ? parent.ts : undefined }),
      text: escapeMarkup(text),
      mrkdwn: false,
      ...PLAIN_TEXT_OPTIONS,
      unfurl_links: false,
      unfurl_media: false,
    }),
  );
}
