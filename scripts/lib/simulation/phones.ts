/** A person's phone, the same interface for all channels. */
import { getAction } from "../../../test/support/telegram-methods.ts";
import type { startSlack } from "../../../test/support/slack-server.ts";
import type { startTelegram } from "../../../test/support/telegram-server.ts";
import type { startTwilio } from "../../../test/support/twilio-server.ts";
import type { SimulatedPerson, PersonChannel } from "./scenario.ts";

export interface Servers {
  slack: Awaited<ReturnType<typeof startSlack>>;
  telegram: Awaited<ReturnType<typeof startTelegram>>;
  sms: Awaited<ReturnType<typeof startTwilio>>;
}

export type Tap = "claimed" | "completed" | "declined";

export interface Photo {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** One message on the phone. */
export interface PhoneMessage {
  text(): string;
  tap(action: Tap): Promise<void>;
  write(text: string, photo?: Photo): Promise<void>;
}

const REPLY_TEXTS: Readonly<Record<Tap, string>> = {
  claimed: "1",
  completed: "done",
  declined: "0",
};

/** The person's address, for `notify` in the configuration. */
export function getAddress({ channel, index }: SimulatedPerson): string | number {
  const addresses: Readonly<Record<PersonChannel, string | number>> = {
    slack: `U04SIM${index}`,
    telegram: 5_000 + index,
    sms: `+1500555${String(1_000 + index)}`,
  };
  return addresses[channel];
}

/** Returns a function that lists the messages on the phone, oldest first. */
export function createPhone(person: SimulatedPerson, servers: Servers): () => PhoneMessage[] {
  const address = getAddress(person);
  switch (person.channel) {
    case "slack":
      return () => listSlackMessages(servers.slack, String(address));
    case "telegram":
      return () => listTelegramMessages(servers.telegram, Number(address));
    default:
      return () => listTexts(servers.sms, String(address));
  }
}

function listSlackMessages(slack: Servers["slack"], user: string): PhoneMessage[] {
  return slack.messages
    .filter(({ channel }) => channel === `D${user.slice(1)}`)
    .map((message) => ({
      text: () => message.shown.join("\n"),
      tap: async (action) => {
        const has = message.shown.includes(`[${action}]`);
        if (has) await slack.act.tap(message, action, { user });
      },
      write: async (text, photo) => {
        const files = photo ? [{ name: photo.name, type: "image/jpeg", bytes: photo.bytes }] : [];
        await slack.act.write({ user, to: message, text, files });
      },
    }));
}

function listTelegramMessages(telegram: Servers["telegram"], chat: number): PhoneMessage[] {
  return telegram.messages
    .filter((message) => message.chat === chat)
    .map((message) => ({
      text: () => message.text,
      tap: async (action) => {
        const has = message.keyboard.flat().some((button) => getAction(button) === action);
        if (has) await telegram.act.tap(message, action);
      },
      write: async (text, photo) => {
        const file = photo && {
          kind: "document" as const,
          bytes: photo.bytes,
          name: photo.name,
          type: "image/jpeg",
        };
        await telegram.act.write({ chat, to: message, text, ...(file ? { file } : {}) });
      },
    }));
}

/** An SMS has no buttons: a reply applies to the last task sent to the number. */
function listTexts(sms: Servers["sms"], number: string): PhoneMessage[] {
  return sms.messages
    .filter(({ to }) => to === number)
    .map((message) => ({
      text: () => message.body,
      tap: async (action) =>
        void (await sms.act.receiveSms({ from: number, body: REPLY_TEXTS[action] })),
      write: async (text, photo) => {
        const media = photo ? [{ type: "image/jpeg", bytes: photo.bytes }] : [];
        await sms.act.receiveSms({ from: number, body: text, media });
      },
    }));
}
