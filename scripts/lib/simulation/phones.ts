/** A person's phone, the same interface for all channels. */
import { defined } from "../../../src/mess/defined.ts";
import { getAction } from "../../../test/support/channels/telegram-methods.ts";
import type { startSlack } from "../../../test/support/local-servers/slack-server.ts";
import type { startTelegram } from "../../../test/support/local-servers/telegram-server.ts";
import type { startTwilio } from "../../../test/support/local-servers/twilio-server.ts";
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
  /** Whether this person has claimed the request before others did; undefined while the phone does not show it. */
  isHolder(): boolean | undefined;
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
      isHolder: () => readHolder((action) => message.shown.includes(`[${action}]`)),
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

/** An open request has all buttons; once it is claimed, only its holder has some. */
const readHolder = (has: (action: Tap) => boolean): boolean | undefined =>
  has("claimed") ? undefined : has("completed");

const hasButton = ({ keyboard }: Servers["telegram"]["messages"][number], action: Tap): boolean =>
  keyboard.flat().some((button) => getAction(button) === action);

function listTelegramMessages(telegram: Servers["telegram"], chat: number): PhoneMessage[] {
  return telegram.messages
    .filter((message) => message.chat === chat)
    .map((message) => ({
      text: () => message.text,
      isHolder: () => readHolder((action) => hasButton(message, action)),
      tap: async (action) => {
        if (hasButton(message, action)) await telegram.act.tap(message, action);
      },
      write: async (text, photo) => {
        const file = photo && {
          kind: "document" as const,
          bytes: photo.bytes,
          name: photo.name,
          type: "image/jpeg",
        };
        await telegram.act.write({ chat, to: message, text, ...defined({ file }) });
      },
    }));
}

/** Replies of the exchange to a claim that came too late. */
const REFUSED_CLAIM_PATTERN = /is already on it|is already done|^It (?:is closed:|was cancelled)/;

/** Time after which no refusal of a claim is expected any more. */
const SMS_REPLY_MS = 1_000;

/** An SMS has no buttons: a reply applies to the last task sent to the number. */
function listTexts(sms: Servers["sms"], number: string): PhoneMessage[] {
  const listAll = () => sms.messages.filter(({ to }) => to === number);
  return listAll().map((message) => {
    let claim: { at: number; countBefore: number } | undefined;
    return {
      text: () => message.body,
      // Only a claim that came too late is answered.
      isHolder: () => {
        if (!claim) return undefined;
        const replies = listAll().slice(claim.countBefore);
        if (replies.some(({ body }) => REFUSED_CLAIM_PATTERN.test(body))) return false;
        return Date.now() > claim.at + SMS_REPLY_MS ? true : undefined;
      },
      tap: async (action) => {
        if (action === "claimed") claim = { at: Date.now(), countBefore: listAll().length };
        await sms.act.receiveSms({ from: number, body: REPLY_TEXTS[action] });
      },
      write: async (text, photo) => {
        const media = photo ? [{ type: "image/jpeg", bytes: photo.bytes }] : [];
        await sms.act.receiveSms({ from: number, body: text, media });
      },
    };
  });
}
