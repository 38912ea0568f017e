import { afterEach, expect, it, vi } from "vitest";
import type { Fault } from "../../support/faults.ts";
import { HOUR, MINUTE, passTime, START } from "../deliveries/support.ts";
import { type Answered, type Caller, eventually } from "../support.ts";
import { slackHome } from "./slack-home.ts";
import { telegramHome } from "./telegram-home.ts";

interface Place {
  home: { id: string; agent: Caller; threadOf: (ref: string) => Promise<Answered> };
  outage: (fault: Fault) => void;
  lift: () => void;
  /** What Ann was shown of it. */
  shown: (intent: string) => string[];
}

const PLACES: Record<string, () => Promise<Place>> = {
  Slack: async () => {
    const home = await slackHome();
    const { outage, lift, messages } = home.workspace;
    const shown = (intent: string) =>
      messages.filter(({ text }) => text.includes(intent)).map(({ text }) => text);
    return { home, outage, lift, shown };
  },
  Telegram: async () => {
    const home = await telegramHome();
    const { outage, lift, messages } = home.server;
    const shown = (intent: string) =>
      messages.filter(({ text }) => text.includes(intent)).map(({ text }) => text);
    return { home, outage, lift, shown };
  },
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it.each(["Slack", "Telegram"])(
  "an outage of a day at %s loses nothing, and doubles nothing",
  async (name) => {
    vi.setSystemTime(START);
    const { home, outage, lift, shown } = await PLACES[name]!();
    const failures = async (ref: string): Promise<number> =>
      (await home.threadOf(ref)).envelope.history.filter(
        ({ action }: { action: string }) => action === "delivery_failed",
      ).length;
    outage({ status: 503 });
    const ref = await home.agent.ask("water the basil", {
      requires: ["look"],
      priority: "background",
    });
    await eventually(async () => expect(await failures(ref)).toBe(1));

    await passTime(home.id, ref, 24 * HOUR);
    expect(shown("water the basil")).toEqual([]);
    expect(await failures(ref)).toBeGreaterThan(4);
    expect((await home.threadOf(ref)).envelope.status).toBe("pending");
    lift();
    await passTime(home.id, ref, 11 * HOUR);

    await eventually(async () => expect(shown("water the basil").length).toBeGreaterThan(0));
    expect(shown("water the basil").filter((text) => !text.startsWith("Still open"))).toHaveLength(
      1,
    );
  },
);

it.each(["Slack", "Telegram"])("a limit of %s is waited for as long as it says", async (name) => {
  vi.setSystemTime(START);
  const { home, outage, lift, shown } = await PLACES[name]!();
  outage({ status: 429, wait: 600 });
  const ref = await home.agent.ask("water the basil", {
    requires: ["look"],
    priority: "background",
  });
  await eventually(async () =>
    expect(JSON.stringify((await home.threadOf(ref)).envelope.history)).toContain(
      "the next in 10 min",
    ),
  );
  lift();

  await passTime(home.id, ref, 9 * MINUTE);
  expect(shown("water the basil")).toEqual([]);
  await passTime(home.id, ref, 2 * MINUTE);

  await eventually(async () => expect(shown("water the basil")).toHaveLength(1));
});
