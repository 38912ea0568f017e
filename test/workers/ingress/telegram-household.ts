/** A household that reaches Ann and Ben by Telegram, its bot's webhook registered by us. */
import { telegram, type TelegramWriting } from "../../support/telegram.ts";
import type { TelegramMessage } from "../../support/telegram-bot.ts";
import { actionsIn } from "../../support/telegram-methods.ts";
import { expectOk, freshHousehold, ORIGIN, send } from "../support.ts";
import { chatHome } from "./chat-household.ts";
import { reachOutside } from "./local-services.ts";

export const ANN = 1_001;
export const BEN = 1_002;
export const REGISTER = "/api/v1/channels/telegram/register";

export async function telegramHome() {
  const server = telegram({
    chats: [ANN, BEN],
    deliver: async (request) => await send(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://api.telegram.org": server.handle });
  const { api: _, ...settings } = server.settings();
  const home = await chatHome(await freshHousehold(), {
    channel: "telegram",
    settings,
    ann: ANN,
    ben: BEN,
    sentToAnn: () => server.inChat(ANN),
  });
  await expectOk(await home.owner.post(REGISTER, {}));
  const write = (writing: Partial<TelegramWriting>) => server.act.write({ chat: ANN, ...writing });
  const actions = (message: TelegramMessage): (string | undefined)[] =>
    actionsIn(message.keyboard).flat();
  return { ...home, server, write, actions };
}
