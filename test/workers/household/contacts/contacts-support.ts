/** Households with a test clock, with their members' contacts and delivery results. */
import { afterEach, beforeEach, vi } from "vitest";
import type { ChannelKind } from "../../../../src/channels/channel.ts";
import type { Contact, DeliveryReport } from "../../../../src/contracts/contacts.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { configureHousehold, createHousehold, type HouseholdUnderTest } from "../support.ts";

/** A Monday in the future, since alarms set in the past would fire at once. */
export const NOON = Date.parse("2031-06-02T12:00:00Z");
export const MINUTE_MS = 60_000;

/** Sets the clock to `NOON` before each test of the file. */
export function startClock(): void {
  beforeEach(() => {
    vi.setSystemTime(NOON);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export const advanceClock = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

export const SMS_SETTINGS = { account_sid: "AC1", auth_token: "t", from: "+15550100" };
export const SLACK_SETTINGS = { bot_token: "b", signing_secret: "s" };

export async function createConfiguredHousehold(
  config: JsonMap,
  zone = "UTC",
): Promise<HouseholdUnderTest> {
  const home = await createHousehold(zone);
  await configureHousehold(home, config);
  return home;
}

export async function findContact(
  home: HouseholdUnderTest,
  who: string,
  priority = "normal",
): Promise<Contact> {
  const { contacts } = await home.rpc.contacts.findContacts({ recipients: [who], priority });
  return contacts[0]!;
}

export const listChannels = ({ addresses }: Contact): ChannelKind[] =>
  addresses.map(({ channel }) => channel);

export const buildReport = (fields: Partial<DeliveryReport> = {}): DeliveryReport => ({
  executor: "ann",
  channel: "ntfy",
  ref: "2031-06-02-001",
  ok: false,
  ...fields,
});
