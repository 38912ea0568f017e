/** What every channel does when it sends, against a local server in place of its service. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChannelKind } from "../../../src/channels/channel.ts";
import { CHANNEL_KINDS, CHANNELS } from "../../../src/channels/registry.ts";
import { HOUR_MS, MINUTE_MS, passTime, SECOND_MS, START } from "../deliveries/support.ts";
import { expectNaming } from "../../support/naming.ts";
import { type Answered, expectOkJson, waitUntil } from "../support.ts";
import { LOCAL_CHANNELS, type LocalChannel, readByLink } from "./local-channels.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const INTENT = "water the basil";

const createThread = (place: LocalChannel, more: object = {}): Promise<string> =>
  place.agent.createThread(INTENT, { requires: ["look"], priority: "background", ...more });

const readThread = ({ agent }: LocalChannel, ref: string): Promise<Answered> =>
  agent.read(`/mess/${ref}`);

const listFailures = async (place: LocalChannel, ref: string): Promise<string[]> =>
  (await readThread(place, ref)).envelope.history
    .filter(({ action }: { action: string }) => action === "delivery_failed")
    .map(({ note }: { note: string }) => note);

const waitForArrival = (place: LocalChannel): Promise<void> =>
  waitUntil(async () => expect(place.offersOf(INTENT).length).toBeGreaterThan(0));

const waitUntilDelivered = (place: LocalChannel, ref: string): Promise<void> =>
  waitUntil(async () => {
    const { deliveries } = await place.agent.read(`/mess/${ref}/deliveries`);
    expect(deliveries).toContainEqual(expect.objectContaining({ state: "delivered" }));
  });

/** These recognize a repeated message by its id, and count it once. */
const KINDS_WITH_IDS: readonly ChannelKind[] = ["webhook", "mcp"];

/** A browser builds the link from the ref. The MCP robot ends the thread, and with it the link, during the call. */
const KINDS_WITHOUT_LINK: readonly ChannelKind[] = ["push", "mcp"];

/** An SMS has no space for the context. */
const KINDS_WITHOUT_CONTEXT: readonly ChannelKind[] = ["sms"];

/** Owners set no secret: email uses the deployment's binding, push a key that the household generates. */
const KINDS_WITHOUT_SECRET: readonly ChannelKind[] = ["email", "push"];

/** An MCP robot is called to work. It gets no news, and holds the thread itself. */
const KINDS_WITHOUT_NEWS: readonly ChannelKind[] = ["mcp"];

/** How each kind shows the holder. Messages that cannot be edited do not show it; an MCP robot is the holder. */
const HOLDER_PATTERNS: Partial<Record<ChannelKind, RegExp>> = {
  slack: /Ben/,
  telegram: /Ben/,
  push: /Ben/,
  ntfy: /Ben/,
  discord: /Ben/,
  webhook: /task\.updated.*Ben/,
};

const getTexts = (place: LocalChannel): string => JSON.stringify(place.shown());

async function begin(channel: ChannelKind): Promise<LocalChannel> {
  vi.setSystemTime(START);
  return await LOCAL_CHANNELS[channel]();
}

/** Records everything that is logged from now on. */
function recordLog(): () => string {
  const lines: string[] = [];
  for (const level of ["log", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      lines.push(parts.map(String).join(" "));
    });
  return () => lines.join("\n");
}

describe.each(CHANNEL_KINDS)("a message by %s", (channel) => {
  it(`an offer by ${channel} shows the request, its context and a link that opens`, async () => {
    const place = await begin(channel);
    const ref = await createThread(place, { context: ["the blue pot"] });
    await waitForArrival(place);

    const [offer] = place.shown();
    expect(offer?.text).toContain(INTENT);
    if (!KINDS_WITHOUT_CONTEXT.includes(channel)) expect(offer?.text).toContain("the blue pot");
    if (KINDS_WITHOUT_LINK.includes(channel)) return;
    expect(await readByLink(offer!, ref)).toBe(INTENT);
  });

  it(`a cancellation by ${channel} reaches the holder with its reason`, async () => {
    const place = await begin(channel);
    const ref = await createThread(place);
    await waitForArrival(place);
    await waitUntilDelivered(place, ref);
    if (KINDS_WITHOUT_NEWS.includes(channel)) {
      expect(getTexts(place)).not.toContain("sold it");
      return;
    }

    await place.ann.claim(ref);
    await place.agent.appendBlocks(ref, { cancel: { reason: "sold it" } });

    await waitUntil(async () => expect(getTexts(place)).toContain("sold it"));
    await waitUntil(async () =>
      expect(place.shown().flatMap(({ actions = [] }) => actions)).not.toContain("claimed"),
    );
  });

  const LONG_REQUESTS: [string, string, string[]][] = [
    ["lines", "🧀_<".repeat(1_300), Array.from({ length: 5 }, () => "<&🍳~".repeat(900))],
    // Short lines fill a message up to its limit, so a link that was not counted would exceed it.
    ["lists", "🧀 for dinner", Array.from({ length: 400 }, (_, at) => `line ${at}`)],
  ];

  it.each(LONG_REQUESTS)(
    `a request with long %s fits into one message by ${channel}, with its link`,
    async (_name, intent, context) => {
      const place = await begin(channel);

      const sent = await place.deliver({ intent, context });

      expect(sent).toMatchObject({ ok: true });
      const shown = place.shown();
      expect(shown).toHaveLength(1);
      expect(shown[0]!.text.isWellFormed()).toBe(true);
      expect(shown[0]!.text).toContain("🧀");
      if (!KINDS_WITHOUT_LINK.includes(channel) && CHANNELS[channel].isMachine !== true)
        expect(shown[0]!.link).toMatch(/^https:\/\/mess\.test\/r/);
    },
  );

  it(`a message by ${channel} shows that another member has taken the request if it can be edited`, async () => {
    const place = await begin(channel);
    const looks = { capabilities: ["look"] };
    await expectOkJson(
      await place.owner.postBlocks({ config: { executor: { id: "ben", name: "Ben", ...looks } } }),
    );
    const ref = await createThread(place);
    await waitForArrival(place);
    await waitUntilDelivered(place, ref);
    const before = getTexts(place);
    const pattern = HOLDER_PATTERNS[channel];

    if (channel !== "mcp") await place.ben.claim(ref);

    if (pattern) await waitUntil(async () => expect(getTexts(place)).toMatch(pattern));
    await passTime(place.id, ref, MINUTE_MS);
    if (!pattern && channel !== "mcp") expect(getTexts(place)).toBe(before);
    if (pattern) expect(place.shown().at(-1)?.actions ?? []).not.toContain("claimed");
    expect(place.offersOf(INTENT)).toHaveLength(1);
  });
});

const withButtons = CHANNEL_KINDS.filter((kind) => CHANNELS[kind].features.buttons);

describe.each(withButtons)("buttons in %s", (channel) => {
  it(`a message by ${channel} has buttons only for the actions that the thread allows`, async () => {
    const place = await begin(channel);

    const ref = "2031-04-05";
    const actions = ["claimed", "declined", "completed", "response"] as const;
    await place.deliver({ ref: `${ref}-001`, actions });
    await place.deliver({ ref: `${ref}-002`, actions: ["declined"] });
    await place.deliver({ ref: `${ref}-003`, actions: ["followup"] });

    const [all, one, none] = place.shown().map(({ actions = [] }) => actions);
    expect(all).toEqual(expect.arrayContaining(["claimed", "declined"]));
    expect(one?.filter((action) => action !== "respond")).toEqual(["declined"]);
    expect(none).toEqual([]);
  });
});

/** What a service does, and how a delivery that meets it is classified. */
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
    "refuses the address for good",
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

describe.each(CHANNEL_KINDS)("failures of %s", (channel) => {
  it.each(FAILURES)(
    `a service that %s gives the same failure for ${channel} as for every channel, without a secret`,
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

  it(`a silent service of ${channel} is given up, without a secret`, async () => {
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

  it(`an outage of a day of ${channel} loses no notice and doubles none`, async () => {
    const place = await begin(channel);
    place.outage({ status: 503 });
    const ref = await createThread(place);
    await waitUntil(async () => expect(await listFailures(place, ref)).toHaveLength(1));

    await passTime(place.id, ref, 24 * HOUR_MS);
    expect(place.offersOf(INTENT)).toEqual([]);
    expect((await listFailures(place, ref)).length).toBeGreaterThan(4);
    expect((await readThread(place, ref)).envelope.status).toBe("pending");
    place.lift();
    await passTime(place.id, ref, 11 * HOUR_MS);

    await waitForArrival(place);
    expect(place.offersOf(INTENT)).toHaveLength(1);
  });

  it(`a limit of ${channel} is waited out, and the notice arrives once`, async () => {
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
    expect(place.offersOf(INTENT)).toEqual([]);
    await passTime(place.id, ref, 2 * SECOND_MS);

    await waitForArrival(place);
    expect(place.offersOf(INTENT)).toHaveLength(1);
  });

  it(`a notice whose answer by ${channel} was lost is sent again`, async () => {
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
    const times = KINDS_WITH_IDS.includes(channel) ? 1 : 2;
    expect(place.offersOf(INTENT)).toHaveLength(times);
  });

  it(`an address of ${channel} that accepts nothing any more is reported to the owner, and the request stays open`, async () => {
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

const withEdits = CHANNEL_KINDS.filter((kind) => CHANNELS[kind].features.edits);

describe.each(withEdits)("edits in %s", (channel) => {
  it(`an edit by ${channel} replaces the message, and fails like a message does`, async () => {
    const place = await begin(channel);
    const sent = await place.deliver();
    const handle = sent.ok ? (sent.handle ?? "") : "";
    const taken = {
      kind: "update",
      editsKind: "offer",
      holder: "Ben",
      status: "claimed",
      eventText: "claimed by Ben",
      actions: [],
    } as const;
    place.outage({ status: 500 });
    const failed = await place.deliver(taken, handle);
    place.lift();
    const edited = await place.deliver(taken, handle);

    expect(failed).toEqual({ ok: false, reason: expect.any(String) });
    expect(edited).toMatchObject({ ok: true });
    expect(place.shown()).toHaveLength(1);
    expect(place.shown()[0]!.text).toContain("Ben");
    expect(place.shown()[0]!.actions ?? []).not.toContain("claimed");
  });
});

const removable: readonly ChannelKind[] = ["slack", "telegram", "discord"];

describe.each(removable)("deleted messages in %s", (channel) => {
  it(`editing a message in ${channel} that its reader deleted is no failure`, async () => {
    const place = await begin(channel);
    const sent = await place.deliver();
    place.remove!();

    const edited = await place.deliver(
      { kind: "update", editsKind: "offer", holder: "Ben", status: "claimed" },
      sent.ok ? sent.handle : "",
    );

    expect(edited).toEqual({ ok: true });
    expect(getTexts(place)).not.toContain("Ben");
  });
});

/** Other services answer a wrong secret with a status that a later request may not get. */
const KINDS_THAT_END_WITH_A_WRONG_SECRET: readonly ChannelKind[] = [
  "slack",
  "telegram",
  "sms",
  "discord",
  "google_chat",
];

const withSecret = CHANNEL_KINDS.filter((channel) => !KINDS_WITHOUT_SECRET.includes(channel));

describe.each(withSecret)("a wrong secret for %s", (channel) => {
  it(`a wrong secret for ${channel} fails, and ends the address only if the service is certain`, async () => {
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

  it(`a wrong secret for ${channel} is reported to the owner without showing it, and the request stays open`, async () => {
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
