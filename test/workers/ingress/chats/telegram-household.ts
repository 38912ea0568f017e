/** A test household that notifies Ann and Ben by Telegram, with the webhook of its bot registered. */
import { createTelegram, type TelegramWriting } from "../../../support/channels/telegram.ts";
import type { TelegramMessage } from "../../../support/channels/telegram-bot.ts";
import { listActions } from "../../../support/channels/telegram-methods.ts";
import { expectOkJson, createFreshHousehold, ORIGIN, sendRequest } from "../../support.ts";
import { createChatHousehold } from "./chat-household.ts";
import { reachOutside } from "../local-services.ts";

export const ANN = 1_001;
export const BEN = 1_002;
export const REGISTER = "/api/v1/channels/telegram/register";

export async function createTelegramHousehold() {
  const server = createTelegram({
    chats: [ANN, BEN],
    deliver: async (request) => await sendRequest(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://api.telegram.org": server.handle });
  const { api: _, ...settings } = server.settings();
  const home = await createChatHousehold(await createFreshHousehold(), {
    channel: "telegram",
    settings,
    ann: ANN,
    ben: BEN,
    sentToAnn: () => server.inChat(ANN),
  });
  await expectOkJson(await home.owner.post(REGISTER, {}));
  const write = (writing: Partial<TelegramWriting>) => server.act.write({ chat: ANN, ...writing });
  const listMessageActions = (message: TelegramMessage): (string | undefined)[] =>
    listActions(message.keyboard).flat();
  return { ...home, server, write, listMessageActions };
}
