/** Shared setup and assertions of the contract tests for sending. */
import { expect, vi } from "vitest";
import { CHANNEL_KINDS } from "../../../src/channels/registry.ts";
import { START } from "../deliveries/support.ts";
import { type Answered, waitUntil } from "../support.ts";
import type { LocalChannel } from "./local-channel.ts";
import { LOCAL_CHANNELS, type ServiceKind } from "./local-channels.ts";

export const SERVICE_KINDS = CHANNEL_KINDS.filter((kind) => kind !== "group");

export const INTENT = "water the basil";

export const createThread = (place: LocalChannel, more: object = {}): Promise<string> =>
  place.agent.createThread(INTENT, { requires: ["look"], priority: "background", ...more });

export const readThread = ({ agent }: LocalChannel, ref: string): Promise<Answered> =>
  agent.read(`/mess/${ref}`);

export const listFailures = async (place: LocalChannel, ref: string): Promise<string[]> =>
  (await readThread(place, ref)).envelope.history
    .filter(({ action }: { action: string }) => action === "delivery_failed")
    .map(({ note }: { note: string }) => note);

export const waitForArrival = (place: LocalChannel): Promise<void> =>
  waitUntil(async () => expect(place.offersOf(INTENT).length).toBeGreaterThan(0));

export const waitUntilDelivered = (place: LocalChannel, ref: string): Promise<void> =>
  waitUntil(async () => {
    const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
    expect(deliveries).toContainEqual(expect.objectContaining({ state: "delivered" }));
  });

export const getTexts = (place: LocalChannel): string => JSON.stringify(place.shown());

export async function begin(channel: ServiceKind): Promise<LocalChannel> {
  vi.setSystemTime(START);
  return await LOCAL_CHANNELS[channel]();
}
