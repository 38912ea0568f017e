/** Tests the messages that every channel sends. A local server stands for the channel's service. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChannelKind } from "../../../src/channels/channel.ts";
import { CHANNELS } from "../../../src/channels/registry.ts";
import { MINUTE_MS, passTime } from "../deliveries/support.ts";
import { expectOkJson, waitUntil } from "../support.ts";
import {
  begin,
  createThread,
  getTexts,
  INTENT,
  waitForArrival,
  waitUntilDelivered,
  SERVICE_KINDS,
} from "./contract-support.ts";
import { readByLink } from "./local-channel.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A browser builds the link of a push message from the ref. An MCP robot completes the thread during the call. */
const KINDS_WITHOUT_LINK: readonly ChannelKind[] = ["push", "mcp"];

/** An SMS has no space for the context. */
const KINDS_WITHOUT_CONTEXT: readonly ChannelKind[] = ["sms"];

/** An MCP robot is called only for work, so it gets no news. */
const KINDS_WITHOUT_NEWS: readonly ChannelKind[] = ["mcp"];

/** How each kind shows the holder after an edit. Kinds that cannot edit are missing, and an MCP robot is the holder. */
const HOLDER_PATTERNS: Partial<Record<ChannelKind, RegExp>> = {
  slack: /Ben/,
  telegram: /Ben/,
  push: /Ben/,
  ntfy: /Ben/,
  discord: /Ben/,
  webhook: /task\.updated.*Ben/,
};

describe.each(SERVICE_KINDS)("a message by %s", (channel) => {
  it(`an offer by ${channel} shows the request, its context and a working link`, async () => {
    const place = await begin(channel);
    const ref = await createThread(place, { context: ["the blue pot"] });
    await waitForArrival(place);

    const [offer] = place.shown();
    expect(offer?.text).toContain(INTENT);
    if (!KINDS_WITHOUT_CONTEXT.includes(channel)) expect(offer?.text).toContain("the blue pot");
    if (KINDS_WITHOUT_LINK.includes(channel)) return;
    expect(await readByLink(offer!, ref)).toBe(INTENT);
  });

  it(`the holder is notified of a cancellation by ${channel}, with the reason`, async () => {
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

  it(`the local service of ${channel} refuses a household of another test`, async () => {
    const otherPlace = await begin(channel);
    const place = await begin(channel);

    await otherPlace.deliver();

    expect(place.shown()).toEqual([]);
  });

  const LONG_REQUESTS: [string, string, string[]][] = [
    ["lines", "🧀_<".repeat(1_300), Array.from({ length: 5 }, () => "<&🍳~".repeat(900))],
    // Short lines fill the message up to its limit, so a link that is not counted would exceed it.
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

  it(`an offer by ${channel} shows who has taken the request if the channel can edit messages`, async () => {
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

const withButtons = SERVICE_KINDS.filter((kind) => CHANNELS[kind].features.buttons);

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

const withEdits = SERVICE_KINDS.filter((kind) => CHANNELS[kind].features.edits);

describe.each(withEdits)("edits in %s", (channel) => {
  it(`an edit by ${channel} replaces the message, and an edit that fails returns the error`, async () => {
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
    place.endOutage();
    const edited = await place.deliver(taken, handle);

    expect(failed).toEqual({ ok: false, reason: expect.any(String) });
    expect(edited).toMatchObject({ ok: true });
    expect(place.shown()).toHaveLength(1);
    expect(place.shown()[0]!.text).toContain("Ben");
    expect(place.shown()[0]!.actions ?? []).not.toContain("claimed");
  });
});

const removable = ["slack", "telegram", "discord"] as const;

describe.each(removable)("deleted messages in %s", (channel) => {
  it(`an edit of a deleted message in ${channel} succeeds without sending it again`, async () => {
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
