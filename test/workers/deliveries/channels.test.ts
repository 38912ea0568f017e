/** What may befall every channel, against the local server of each. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChannelKind } from "../../../src/channels/channel.ts";
import { expectNaming } from "../../support/naming.ts";
import { type Answered, waitUntil, expectOkJson } from "../support.ts";
import { type LocalChannel, LOCAL_CHANNELS } from "./local-channels.ts";
import { HOUR_MS, MINUTE_MS, passTime, SECOND_MS, START } from "./support.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const INTENT = "water the basil";

const createThread = (place: LocalChannel): Promise<string> =>
  place.agent.createThread(INTENT, { requires: ["look"], priority: "background" });

const readThread = ({ agent }: LocalChannel, ref: string): Promise<Answered> =>
  agent.read(`/mess/${ref}`);

const listFailures = async (place: LocalChannel, ref: string): Promise<string[]> =>
  (await readThread(place, ref)).envelope.history
    .filter(({ action }: { action: string }) => action === "delivery_failed")
    .map(({ note }: { note: string }) => note);

const waitForArrival = (place: LocalChannel): Promise<void> =>
  waitUntil(async () => expect(place.asked(INTENT).length).toBeGreaterThan(0));

/** They know a message by its id: what is sent twice is one there. */
const KNOWN_BY_ID: readonly ChannelKind[] = ["webhook", "mcp"];

/** The deployment's own binding, and a key that the household makes itself: nobody can mistake them. */
const NO_SECRET: readonly ChannelKind[] = ["email", "push"];

/** How each shows who has it. What cannot be edited says no more to people; an MCP robot has it itself. */
const SHOWN: Partial<Record<ChannelKind, RegExp>> = {
  slack: /Ben/,
  telegram: /Ben/,
  push: /Ben/,
  ntfy: /Ben/,
  discord: /Ben/,
  webhook: /"task\.updated","Ben"/,
};

const ALL = Object.keys(LOCAL_CHANNELS) as ChannelKind[];

async function begin(channel: ChannelKind): Promise<LocalChannel> {
  vi.setSystemTime(START);
  return await LOCAL_CHANNELS[channel]();
}

describe.each(ALL)("%s", (channel) => {
  it("an outage of a day loses no notice and doubles none", async () => {
    const place = await begin(channel);
    place.outage({ status: 503 });
    const ref = await createThread(place);
    await waitUntil(async () => expect(await listFailures(place, ref)).toHaveLength(1));

    await passTime(place.id, ref, 24 * HOUR_MS);
    expect(place.asked(INTENT)).toEqual([]);
    expect((await listFailures(place, ref)).length).toBeGreaterThan(4);
    expect((await readThread(place, ref)).envelope.status).toBe("pending");
    place.lift();
    await passTime(place.id, ref, 11 * HOUR_MS);

    await waitForArrival(place);
    expect(place.asked(INTENT)).toHaveLength(1);
  });

  it("a limit of the service is waited out, and the notice arrives once", async () => {
    const place = await begin(channel);
    const wait = place.limit();
    const ref = await createThread(place);
    await waitUntil(async () => {
      const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
      expect(deliveries).toMatchObject([{ state: "due", attempts: 1 }]);
      expect(Date.parse(deliveries[0].next)).toBe(START + wait * SECOND_MS);
    });
    place.lift();

    await passTime(place.id, ref, (wait - 1) * SECOND_MS);
    expect(place.asked(INTENT)).toEqual([]);
    await passTime(place.id, ref, 2 * SECOND_MS);

    await waitForArrival(place);
    expect(place.asked(INTENT)).toHaveLength(1);
  });

  it("a notice whose answer was lost is sent again", async () => {
    const place = await begin(channel);
    place.loseAnswer();
    const ref = await createThread(place);
    await waitUntil(async () => expect(await listFailures(place, ref)).toHaveLength(1));

    await passTime(place.id, ref, 6 * SECOND_MS);

    const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
    await waitUntil(async () => expect(deliveries[0]).toMatchObject({ attempts: 1 }));
    await waitUntil(async () =>
      expect((await readThread(place, ref)).envelope.history).toContainEqual(
        expect.objectContaining({ action: "dispatched", note: expectNaming("ann", channel) }),
      ),
    );
    const times = KNOWN_BY_ID.includes(channel) ? 1 : 2;
    expect(place.asked(INTENT)).toHaveLength(times);
  });

  it("an address that takes nothing any more is reported to the owner, and the request stays open", async () => {
    const place = await begin(channel);
    place.revoke();
    const ref = await createThread(place);

    await waitUntil(async () => {
      const { events } = await place.owner.read("/api/v1/events");
      const gone = events.filter(({ action }: { action?: string }) => action === "channel_gone");
      expect(gone).toMatchObject([{ by: "ann", channel, ref }]);
    });
    expect(await listFailures(place, ref)).toEqual([expectNaming("ann", channel)]);
    const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
    expect(deliveries).toContainEqual(
      expect.objectContaining({ kind: "offer", state: "dead", attempts: 1 }),
    );
    expect((await readThread(place, ref)).envelope.status).toBe("pending");
    await place.ann.claim(ref);
  });

  it("a message shows that somebody else has taken the request where it can be edited", async () => {
    const place = await begin(channel);
    const looks = { capabilities: ["look"] };
    await expectOkJson(
      await place.owner.postBlocks({ config: { executor: { id: "ben", name: "Ben", ...looks } } }),
    );
    const ref = await createThread(place);
    await waitForArrival(place);
    await waitUntil(async () => {
      const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
      expect(deliveries).toContainEqual(expect.objectContaining({ state: "delivered" }));
    });
    const before = place.seen();
    const shown = SHOWN[channel];

    if (channel !== "mcp") await place.ben.claim(ref);

    if (shown) await waitUntil(async () => expect(place.seen()).toMatch(shown));
    await passTime(place.id, ref, MINUTE_MS);
    if (!shown && channel !== "mcp") expect(place.seen()).toBe(before);
    expect(place.asked(INTENT)).toHaveLength(1);
  });
});

const withSecret = ALL.filter((channel) => !NO_SECRET.includes(channel));

describe.each(withSecret)("a wrong secret for %s", (channel) => {
  it("a wrong secret is reported to the owner without showing it, and the request stays open", async () => {
    const place = await begin(channel);
    await place.mistake!();
    const ref = await createThread(place);
    await waitUntil(async () => expect(await listFailures(place, ref)).not.toEqual([]));

    await passTime(place.id, ref, 80 * HOUR_MS);

    const { events } = await place.owner.read("/api/v1/events?limit=500");
    const told = events.filter(({ action }: { action?: string }) =>
      ["channel_gone", "delivery_failed"].includes(action ?? ""),
    );
    expect(told).toContainEqual(expect.objectContaining({ by: "ann", ref }));
    expect(place.asked(INTENT)).toEqual([]);
    const { envelope } = await readThread(place, ref);
    expect(envelope.status).toBe("pending");
    expect(JSON.stringify([envelope, events])).not.toMatch(/of[- ]nobody|whsec_/);
  });
});
