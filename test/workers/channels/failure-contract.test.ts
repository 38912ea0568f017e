/** Tests how every channel handles failures of its service. A local server stands for the service. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChannelKind } from "../../../src/channels/channel.ts";
import { CHANNELS } from "../../../src/channels/registry.ts";
import { HOUR_MS, passTime, SECOND_MS, START } from "../deliveries/support.ts";
import { expectNaming } from "../../support/naming.ts";
import { waitUntil } from "../support.ts";
import {
  begin,
  createThread,
  INTENT,
  listFailures,
  readThread,
  waitForArrival,
  SERVICE_KINDS,
} from "./contract-support.ts";
import type { LocalChannel } from "./local-channel.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Their recipients recognize a repeated message by its id, and count it once. */
const KINDS_WITH_IDS: readonly ChannelKind[] = ["webhook", "mcp"];

/** Channels without a secret of the owner: email uses a binding, and the household generates the key of push. */
const KINDS_WITHOUT_SECRET: readonly ChannelKind[] = ["email", "push"];

/** Starts to record the log, and returns a function that reads it. */
function recordLog(): () => string {
  const lines: string[] = [];
  for (const level of ["log", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      lines.push(parts.map(String).join(" "));
    });
  return () => lines.join("\n");
}

/** The behavior of a service, and the expected result of a delivery to it. */
const FAILURES: readonly (readonly [
  string,
  (place: LocalChannel) => number | void,
  (seconds: number) => object,
])[] = [
  [
    "asks to wait",
    (place) => place.limit(),
    (seconds) => ({ ok: false, reason: expect.any(String), retryAfterSeconds: seconds }),
  ],
  [
    "refuses the address permanently",
    (place) => place.revoke(),
    () => ({ ok: false, reason: expect.any(String), isPermanent: true }),
  ],
  [
    "has an internal error",
    (place) => place.outage({ status: 500 }),
    () => ({ ok: false, reason: expect.any(String) }),
  ],
  [
    "refuses connections",
    (place) => place.outage("broken"),
    () => ({ ok: false, reason: expect.any(String) }),
  ],
];

describe.each(SERVICE_KINDS)("failures of %s", (channel) => {
  it.each(FAILURES)(
    `a delivery by ${channel} to a service that %s fails like in every channel, without a secret in the error`,
    async (_name, fail, getExpected) => {
      const place = await begin(channel);
      const getLog = recordLog();
      const seconds = fail(place) ?? 0;

      const sent = await place.deliver();

      expect(sent).toEqual(getExpected(seconds));
      const written = JSON.stringify(sent) + getLog();
      for (const secret of place.secrets) expect(written).not.toContain(secret);
      expect(place.shown()).toEqual([]);
    },
  );

  it(`a delivery by ${channel} to a service that never responds times out, without a secret in the error`, async () => {
    const place = await begin(channel);
    const getLog = recordLog();
    place.silence();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let result: unknown;
    const ended = place.deliver().then((sent) => (result = sent));

    const seconds = CHANNELS[channel].features.timeoutSeconds ?? 20;
    await vi.waitFor(
      async () => {
        await vi.advanceTimersByTimeAsync(seconds * SECOND_MS + 1);
        expect(result).toBeDefined();
      },
      { interval: 1 },
    );
    await ended;

    expect(result).toEqual({ ok: false, reason: "no answer in time" });
    const written = JSON.stringify(result) + getLog();
    for (const secret of place.secrets) expect(written).not.toContain(secret);
  });

  it(`after an outage of a day, ${channel} delivers the notice exactly once`, async () => {
    const place = await begin(channel);
    place.outage({ status: 503 });
    const ref = await createThread(place);
    await waitUntil(async () => expect(await listFailures(place, ref)).toHaveLength(1));

    await passTime(place.id, ref, 24 * HOUR_MS);
    expect(place.offersOf(INTENT)).toEqual([]);
    expect((await listFailures(place, ref)).length).toBeGreaterThan(4);
    expect((await readThread(place, ref)).envelope.status).toBe("pending");
    place.endOutage();
    await passTime(place.id, ref, 11 * HOUR_MS);

    await waitForArrival(place);
    expect(place.offersOf(INTENT)).toHaveLength(1);
  });

  it(`after a rate limit of ${channel}, the notice is delivered once, when the requested wait is over`, async () => {
    const place = await begin(channel);
    const wait = place.limit();
    const ref = await createThread(place);
    await waitUntil(async () => {
      const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
      expect(deliveries).toMatchObject([{ state: "due", attempts: 1 }]);
      expect(Date.parse(deliveries[0].next)).toBe(START + wait * SECOND_MS);
    });
    place.endOutage();

    await passTime(place.id, ref, (wait - 1) * SECOND_MS);
    expect(place.offersOf(INTENT)).toEqual([]);
    await passTime(place.id, ref, 2 * SECOND_MS);

    await waitForArrival(place);
    expect(place.offersOf(INTENT)).toHaveLength(1);
  });

  it(`a notice by ${channel} is sent again if the response of the service was lost`, async () => {
    const place = await begin(channel);
    place.loseAnswer();
    const ref = await createThread(place);
    await waitUntil(async () => expect(await listFailures(place, ref)).toHaveLength(1));

    await passTime(place.id, ref, 6 * SECOND_MS);

    await waitUntil(async () => {
      const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
      expect(deliveries[0]).toMatchObject({ state: "delivered", attempts: 1 });
    });
    await waitUntil(async () =>
      expect((await readThread(place, ref)).envelope.history).toContainEqual(
        expect.objectContaining({ action: "dispatched", note: expectNaming("ann", channel) }),
      ),
    );
    const times = KINDS_WITH_IDS.includes(channel) ? 1 : 2;
    expect(place.offersOf(INTENT)).toHaveLength(times);
  });

  it(`an address that ${channel} refuses permanently is reported to the owner, and the request stays open`, async () => {
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
});

/** Other services refuse a wrong secret with a status that may be temporary. */
const KINDS_THAT_END_WITH_A_WRONG_SECRET: readonly ChannelKind[] = [
  "slack",
  "telegram",
  "sms",
  "discord",
  "google_chat",
];

const withSecret = SERVICE_KINDS.filter((channel) => !KINDS_WITHOUT_SECRET.includes(channel));

describe.each(withSecret)("a wrong secret for %s", (channel) => {
  it(`a delivery by ${channel} with a wrong secret fails, permanently only if the service says so`, async () => {
    const place = await begin(channel);
    await place.mistake!();

    const sent = await place.deliver();

    const isPermanent = KINDS_THAT_END_WITH_A_WRONG_SECRET.includes(channel);
    expect(sent).toEqual({
      ok: false,
      reason: expect.any(String),
      ...(isPermanent ? { isPermanent } : {}),
    });
    expect(JSON.stringify(sent)).not.toMatch(/of[- ]nobody|whsec_/);
  });

  it(`a wrong secret for ${channel} is reported to the owner without its value, and the request stays open`, async () => {
    const place = await begin(channel);
    await place.mistake!();
    const ref = await createThread(place);
    await waitUntil(async () => expect(await listFailures(place, ref)).not.toEqual([]));

    await passTime(place.id, ref, 80 * HOUR_MS);

    const { events } = await place.owner.read("/api/v1/events?limit=500");
    const reported = events.filter(({ action }: { action?: string }) =>
      ["channel_gone", "delivery_failed"].includes(action ?? ""),
    );
    expect(reported).toContainEqual(expect.objectContaining({ by: "ann", ref }));
    expect(place.offersOf(INTENT)).toEqual([]);
    const { envelope } = await readThread(place, ref);
    expect(envelope.status).toBe("pending");
    expect(JSON.stringify([envelope, events])).not.toMatch(/of[- ]nobody|whsec_/);
  });
});
