/** The household's Slack app: its settings, calls of its methods, and its files. */
import type { SlackSettings } from "./config.ts";
import { SLACK_API } from "./send.ts";
import type { Egress } from "../../egress/egress.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { RemoteFile } from "../chat-event.ts";
import { fetchRemoteFile, refuseLargeFile, refuseLostFile } from "../shared/remote-file.ts";
import type { SlackFile } from "./receive.ts";
import { stripEnd } from "../../mess/strip.ts";

export interface SlackBot {
  readonly settings: SlackSettings;
  readonly egress: Egress;
}

/** Calls a method of the Web API, ignoring its result. */
export async function callSlack(
  { settings, egress }: SlackBot,
  method: string,
  body: object,
): Promise<void> {
  await egress.send(`${getApiUrl(settings)}/${method}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${settings.bot_token}`,
      "Content-Type": "application/json; charset=utf-8",
    },
    body: JSON.stringify(body),
  });
}

const getApiUrl = ({ api = SLACK_API }: SlackSettings): string => stripEnd(api, "/");

/** True for a URL of Slack. URLs come from events; the bot's token must not be sent anywhere else. */
export function isSlackUrl(url: string, settings: SlackSettings): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, hostname, protocol } = new URL(url);
  return (
    origin === new URL(getApiUrl(settings)).origin ||
    (protocol === "https:" && (hostname === "slack.com" || hostname.endsWith(".slack.com")))
  );
}

/** A file that was shared with the app. */
export function toSlackRemoteFile({ settings, egress }: SlackBot, file: SlackFile): RemoteFile {
  const mime = file.mimetype ?? "application/octet-stream";
  const url = file.url_private_download ?? file.url_private ?? "";
  const fetch = async (): ReturnType<RemoteFile["fetch"]> => {
    if ((file.size ?? 0) > LIMITS.uploadBytes) return refuseLargeFile();
    if (!isSlackUrl(url, settings)) return refuseLostFile("it is not stored at Slack");
    return await fetchRemoteFile(egress, url, mime, {
      Authorization: `Bearer ${settings.bot_token}`,
    });
  };
  return { name: file.name ?? file.id, mime, fetch };
}
