/** The household's Telegram bot: its settings, calls of its methods, and its files. */
import { getHouseholdStub } from "../../stubs.ts";
import { parseJsonMap } from "../shared/send-failures.ts";
import { telegramConfig, type TelegramSettings } from "./config.ts";
import { buildFileUrl, buildMethodUrl } from "./send.ts";
import type { Egress } from "../../egress/egress.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { RemoteFile } from "../chat-event.ts";
import { fetchRemoteFile, refuseLargeFile, refuseLostFile } from "../shared/remote-file.ts";
import type { TelegramFile } from "./receive.ts";

export interface TelegramBot {
  readonly settings: TelegramSettings;
  readonly egress: Egress;
}

/** Undefined if the household has no bot, or the secret of its webhook is not generated yet. */
export async function readTelegramSettings(
  env: Pick<Env, "HOUSEHOLDS">,
  household: string,
): Promise<(TelegramSettings & { webhook_secret: string }) | undefined> {
  const settings = await getHouseholdStub(env, household).contacts.getChannelSettings("telegram");
  const read = telegramConfig.settings.safeParse(settings);
  if (!read.success || read.data.webhook_secret === undefined) return undefined;
  return { ...read.data, webhook_secret: read.data.webhook_secret };
}

/** The bot's user id, which is the part of its token before the colon. */
export const getBotId = ({ bot_token }: TelegramSettings): number =>
  Number(bot_token.split(":")[0]);

interface TelegramRefusal {
  readonly status: number;
  readonly description: string;
}

/** Calls a method. Returns its result or Telegram's refusal; fails with `internal` if the call may be repeated. */
export async function callTelegram(
  { settings, egress }: TelegramBot,
  method: string,
  body: object,
): Promise<Outcome<{ result: unknown } | { refused: TelegramRefusal }>> {
  const response = await egress.send(buildMethodUrl(settings, method), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) return response;
  const { status, text } = response.value;
  const { ok: isAccepted, result, description } = parseJsonMap(text);
  if (isAccepted === true) return ok({ result });
  if (status === 429 || status >= 500)
    return refuse("internal", `Telegram answered ${status}`, "Try again later.");
  return ok({
    refused: { status, description: typeof description === "string" ? description : "" },
  });
}

/** A file that was sent to the bot. Bots can download files of up to 20 MB. */
export function toTelegramRemoteFile(
  bot: TelegramBot,
  { id, name, mime }: TelegramFile,
): RemoteFile {
  const { settings, egress } = bot;
  const fetch = async (): ReturnType<RemoteFile["fetch"]> => {
    const file = await callTelegram(bot, "getFile", { file_id: id });
    if (!file.ok) return file;
    if ("refused" in file.value)
      return /too big/i.test(file.value.refused.description)
        ? refuseLargeFile()
        : refuseLostFile(`Telegram answered ${file.value.refused.status}`);
    const { file_path: path } = (file.value.result ?? {}) as { file_path?: unknown };
    if (typeof path !== "string" || !/^[\w./-]+$/.test(path) || path.includes(".."))
      return refuseLostFile("Telegram did not return its path");
    return await fetchRemoteFile(egress, buildFileUrl(settings, path), mime);
  };
  return { name, mime, fetch };
}
