/** Households whose clock is the test's, what is known of how their members are reached, and what became of it. */
import { afterEach, beforeEach, vi } from "vitest";
import type { ChannelKind } from "../../../src/channels/channel.ts";
import type { Contact, DeliveryReport } from "../../../src/contracts/contacts.ts";
import type { JsonMap } from "../../../src/mess/json.ts";
import { configureHousehold, createHousehold, type HouseholdUnderTest } from "./support.ts";

/** A Monday. Alarms that are set in the past would fire at once. */
export const NOON = Date.parse("2031-06-02T12:00:00Z");
export const MINUTE_MS = 60_000;

/** Each test of the file begins at `NOON`. */
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
