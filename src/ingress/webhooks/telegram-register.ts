/** `POST /api/v1/channels/telegram/register`: registers the bot's webhook and its secret with Telegram. */
import { getConfig, getLinkOrigin } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import { refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { type HttpCall, type HandlerPromise, defineMemberRoute } from "../http/route.ts";
import { callTelegram, readTelegramSettings } from "../../channels/telegram/bot.ts";
import { UPDATE_TYPES } from "../../channels/telegram/receive.ts";

async function registerWebhook({ env, request, principal }: HttpCall): HandlerPromise {
  const { household } = principal;
  const settings = await readTelegramSettings(env, household);
  if (!settings)
    return refuse(
      "missing_field",
      "the household has no Telegram bot, or the secret that its token refers to is not set",
      "Send config: {dispatch: {telegram: {bot_token: …}}} first.",
      { path: "dispatch.telegram" },
    );
  const { loopback, origin } = getConfig(env);
  const url = `${getLinkOrigin(env, request)}/hooks/telegram/${household}`;
  const bot = { settings, egress: createEgress({ loopback, origin }) };
  const set = await callTelegram(bot, "setWebhook", {
    url,
    secret_token: settings.webhook_secret,
    allowed_updates: UPDATE_TYPES,
  });
  if (!set.ok) return set;
  if ("refused" in set.value) {
    const { status, description } = set.value.refused;
    const reason = /^[\w :,.'()-]{1,200}$/.test(description) ? description : `answered ${status}`;
    return refuse(
      "bad_field",
      `Telegram refused it: ${reason}`,
      "Check dispatch.telegram.bot_token, and that the exchange has a public https address.",
      { path: "dispatch.telegram" },
    );
  }
  const me = await callTelegram(bot, "getMe", {});
  const { username } =
    me.ok && "result" in me.value ? ((me.value.result ?? {}) as { username?: unknown }) : {};
  log("telegram_registered", { household });
  return ok({ body: { webhook: url, ...(typeof username === "string" ? { bot: username } : {}) } });
}

export const telegramRegister = defineMemberRoute({
  method: "post",
  path: "/api/v1/channels/telegram/register",
  access: "owner",
  summary: "Set the webhook of the household's Telegram bot",
  description:
    "Call it once after dispatch.telegram is configured, and again after its token changes. Safe to repeat.",
  handle: registerWebhook,
});
