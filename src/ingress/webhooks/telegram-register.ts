/** `POST /api/v1/channels/telegram/register`: the bot's webhook is set by us, with its secret. */
import { configOf } from "../../config.ts";
import { egressOf } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import { refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { type Call, type Handled, memberRoute } from "../http/route.ts";
import { callBot, telegramSettings } from "../../channels/telegram/bot.ts";
import { UPDATES } from "../../channels/telegram/receive.ts";

async function register({ env, request, principal }: Call): Handled {
  const { household } = principal;
  const settings = await telegramSettings(env, household);
  if (!settings)
    return refuse(
      "missing_field",
      "the household has no Telegram bot, or the secret that its token refers to is not set",
      "Send config: {dispatch: {telegram: {bot_token: …}}} first.",
      { path: "dispatch.telegram" },
    );
  const { loopback, origin } = configOf(env);
  const url = `${origin ?? new URL(request.url).origin}/hooks/telegram/${household}`;
  const bot = { settings, egress: egressOf({ loopback, origin }) };
  const set = await callBot(bot, "setWebhook", {
    url,
    secret_token: settings.webhook_secret,
    allowed_updates: UPDATES,
  });
  if (!set.ok) return set;
  if ("refused" in set.value) {
    const { status, description } = set.value.refused;
    const why = /^[\w :,.'()-]{1,200}$/.test(description) ? description : `answered ${status}`;
    return refuse(
      "bad_field",
      `Telegram refused it: ${why}`,
      "Check dispatch.telegram.bot_token, and that the exchange has a public https address.",
      { path: "dispatch.telegram" },
    );
  }
  const me = await callBot(bot, "getMe", {});
  const { username } =
    me.ok && "result" in me.value ? ((me.value.result ?? {}) as { username?: unknown }) : {};
  log("telegram_registered", { household });
  return ok({ body: { webhook: url, ...(typeof username === "string" ? { bot: username } : {}) } });
}

export const telegramRegister = memberRoute({
  method: "post",
  path: "/api/v1/channels/telegram/register",
  access: "owner",
  summary: "Set the webhook of the household's Telegram bot",
  description:
    "To be called once after dispatch.telegram was configured, and again after its token was changed. Repeating it is harmless.",
  handle: register,
});
