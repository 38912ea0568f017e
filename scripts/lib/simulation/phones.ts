/** What a person sees and does on a phone, whichever channel it is. */
import { actionOf } from "../../../test/support/telegram-methods.ts";
import type { startSlack } from "../../../test/support/slack-server.ts";
import type { startTelegram } from "../../../test/support/telegram-server.ts";
import type { startTwilio } from "../../../test/support/twilio-server.ts";
import type { Person, PersonsChannel } from "./scenario.ts";

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
export interface Seen {
  text(): string;
  tap(act: Tap): Promise<void>;
  write(text: string, photo?: Photo): Promise<void>;
}

const WORDS: Readonly<Record<Tap, string>> = { claimed: "1", completed: "done", declined: "0" };

/** `notify` of the person's executor. */
export function addressOf({ channel, place }: Person): string | number {
  const addresses: Readonly<Record<PersonsChannel, string | number>> = {
    slack: `U04SIM${place}`,
    telegram: 5_000 + place,
    sms: `+1500555${String(1_000 + place)}`,
  };
  return addresses[channel];
}

/** All that the person's phone has received so far, oldest first. */
export function phoneOf(person: Person, servers: Servers): () => Seen[] {
  const address = addressOf(person);
  switch (person.channel) {
    case "slack":
      return () => slackMessages(servers.slack, String(address));
    case "telegram":
      return () => telegramMessages(servers.telegram, Number(address));
    default:
      return () => texts(servers.sms, String(address));
  }
}

function slackMessages(slack: Servers["slack"], user: string): Seen[] {
  return slack.messages
    .filter(({ channel }) => channel === `D${user.slice(1)}`)
    .map((message) => ({
      text: () => message.shown.join("\n"),
      tap: async (act) => {
        const has = message.shown.includes(`[${act}]`);
        if (has) await slack.act.tap(message, act, { user });
      },
      write: async (text, photo) => {
        const files = photo ? [{ name: photo.name, type: "image/jpeg", bytes: photo.bytes }] : [];
        await slack.act.write({ user, to: message, text, files });
      },
    }));
}

function telegramMessages(telegram: Servers["telegram"], chat: number): Seen[] {
  return telegram.messages
    .filter((message) => message.chat === chat)
    .map((message) => ({
      text: () => message.text,
      tap: async (act) => {
        const has = message.keyboard.flat().some((button) => actionOf(button) === act);
        if (has) await telegram.act.tap(message, act);
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

/** A text has no buttons: what is written means the last task that was sent to the number. */
function texts(sms: Servers["sms"], number: string): Seen[] {
  return sms.messages
    .filter(({ to }) => to === number)
    .map((message) => ({
      text: () => message.body,
      tap: async (act) => void (await sms.act.sms({ from: number, body: WORDS[act] })),
      write: async (text, photo) => {
        const media = photo ? [{ type: "image/jpeg", bytes: photo.bytes }] : [];
        await sms.act.sms({ from: number, body: text, media });
      },
    }));
}
