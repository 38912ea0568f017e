/** A household that reaches Ann and Ben by Telegram, its bot's webhook registered by us. */
import { expect } from "vitest";
import { telegram, type TelegramMessage, type TelegramWriting } from "../../support/telegram.ts";
import { type Answered, eventually, expectOk, freshHousehold, ORIGIN, send } from "../support.ts";
import { reachOutside } from "./outside.ts";

export const ANN = 1_001;
export const BEN = 1_002;
export const REGISTER = "/api/v1/channels/telegram/register";

export async function telegramHome() {
  const home = await freshHousehold();
  const server = telegram({
    chats: [ANN, BEN],
    deliver: async (request) => await send(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://api.telegram.org": server.handle });
  const look = ["look"];
  const { api: _, ...settings } = server.settings();
  await expectOk(
    await home.owner.say(
      { config: { dispatch: { telegram: settings } } },
      {
        config: {
          executor: { id: "ann", name: "Ann", capabilities: look, notify: { telegram: ANN } },
        },
      },
      { config: { executor: { id: "ben", capabilities: ["carry"], notify: { telegram: BEN } } } },
    ),
  );
  await expectOk(await home.owner.post(REGISTER, {}));
  const both = async () =>
    await expectOk(
      await home.owner.say({
        config: {
          executor: { id: "ben", name: "Ben", capabilities: look, notify: { telegram: BEN } },
        },
      }),
    );
  /** Asks, and resolves when Ann was told. */
  const ask = async (intent: string, more: object = {}) => {
    const before = server.inChat(ANN).length;
    const ref = await home.agent.ask(intent, { requires: look, ...more });
    const message = await eventually(async (): Promise<TelegramMessage> => {
      const found = server
        .inChat(ANN)
        .slice(before)
        .find(({ text }) => text.includes(intent));
      expect(found).toBeDefined();
      return found!;
    });
    return { ref, message };
  };
  const threadOf = async (ref: string): Promise<Answered> => await home.agent.read(`/mess/${ref}`);
  const statusOf = async (ref: string): Promise<string> =>
    (await threadOf(ref)).envelope.status as string;
  /** What came in by Telegram, in order: the types of its blocks. */
  const saidIn = async (ref: string): Promise<string[]> =>
    (await threadOf(ref)).messages
      .filter(({ channel }: { channel?: string }) => channel === "telegram")
      .flatMap(({ MESS }: { MESS: object[] }) => MESS.flatMap((block) => Object.keys(block)));
  const write = (writing: Partial<TelegramWriting>) => server.act.write({ chat: ANN, ...writing });
  const labels = (message: TelegramMessage): (string | undefined)[] =>
    message.keyboard.flat().map(({ text }) => text);
  return { ...home, server, both, askLook: ask, threadOf, statusOf, saidIn, write, labels };
}
