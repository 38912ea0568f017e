/** Channels that fail, and addresses that no longer exist. */
import { describe, expect, it, vi } from "vitest";
import type { ChannelKind } from "../../../../src/channels/channel.ts";
import type { DeliveryReport } from "../../../../src/contracts/contacts.ts";
import {
  listChannels,
  findContact,
  createConfiguredHousehold,
  MINUTE_MS,
  NOON,
  advanceClock,
  buildReport,
  SLACK_SETTINGS,
  SMS_SETTINGS,
  startClock,
} from "./contacts-support.ts";
import { type HouseholdUnderTest, openAll, buildRequest } from "../support.ts";

startClock();

describe("circuit breakers", () => {
  const fail = async (home: HouseholdUnderTest, times: number, channel: ChannelKind = "ntfy") => {
    for (let n = 0; n < times; n++)
      await home.rpc.contacts.reportDeliveries([buildReport({ channel })]);
  };

  it("a circuit breaker opens after five failures in a row, for 30 seconds, doubling up to an hour", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: { notify: { ntfy: "ann" } } },
    });
    await fail(home, 4);
    expect((await findContact(home, "ann")).broken_until).toBeUndefined();

    await fail(home, 1);

    const pauses: number[] = [];
    for (let n = 0; n < 10; n++) {
      const { broken_until } = await findContact(home, "ann");
      pauses.push((broken_until! - Date.now()) / 1_000);
      vi.setSystemTime(broken_until!);
      expect((await findContact(home, "ann")).broken_until).toBeUndefined();
      await fail(home, 1);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
  });

  it("an open circuit breaker admits one attempt, and closes when that succeeds", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: { notify: { ntfy: "ann" } } },
    });
    await fail(home, 5);
    advanceClock(30_000);

    const asked = [await findContact(home, "ann"), await findContact(home, "ann")];

    expect(asked.map(({ broken_until }) => broken_until)).toEqual([undefined, Date.now() + 30_000]);
    await home.rpc.contacts.reportDeliveries([buildReport({ ok: true })]);
    expect((await findContact(home, "ann")).broken_until).toBeUndefined();
    await fail(home, 4);
    expect((await findContact(home, "ann")).broken_until).toBeUndefined();
  });

  it("failures of attempts that were running when a circuit breaker opened do not keep it open longer", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: { notify: { ntfy: "ann" } } },
    });
    await fail(home, 25);
    expect((await findContact(home, "ann")).broken_until).toBe(NOON + 30_000);
  });

  it("an open circuit breaker puts its channel after the member's others, and affects no other member", async () => {
    const home = await createConfiguredHousehold({
      dispatch: { slack: SLACK_SETTINGS },
      executors: {
        ann: { notify: { ntfy: "ann", slack: "U04ANN" } },
        ben: { notify: { ntfy: "ben" } },
      },
    });
    await fail(home, 5);
    expect((await findContact(home, "ann")).addresses).toMatchObject([
      { channel: "slack" },
      { channel: "ntfy", broken_until: NOON + 30_000 },
    ]);
    expect((await findContact(home, "ann")).broken_until).toBeUndefined();
    expect(listChannels(await findContact(home, "ben"))).toEqual(["ntfy"]);
    await fail(home, 5, "slack");
    expect((await findContact(home, "ann")).broken_until).toBe(NOON + 30_000);
  });
});

describe("an address that no longer exists", () => {
  const setUp = async () => {
    const home = await createConfiguredHousehold({
      dispatch: { slack: { bot_token: "${TOKEN}", signing_secret: "s" } },
      executors: { ann: { notify: { slack: "U04ANN", ntfy: "ann" } } },
    });
    await home.rpc.secrets.putSecret("TOKEN", "old");
    const [thread] = await openAll(home, [buildRequest()]);
    const gone = buildReport({ channel: "slack", isPermanent: true, ref: thread!.ref });
    await home.rpc.contacts.reportDeliveries([gone, gone]);
    return { home, ref: thread!.ref };
  };

  it("an address that no longer exists is left out, and the owner is notified once", async () => {
    const { home, ref } = await setUp();
    expect(listChannels(await findContact(home, "ann"))).toEqual(["ntfy"]);
    advanceClock(24 * 60 * MINUTE_MS);
    expect(listChannels(await findContact(home, "ann"))).toEqual(["ntfy"]);
    const { events } = await home.rpc.events.listEvents({ actor: "olga", role: "owner" }, 0, 10);
    expect(events).toMatchObject([{ ref, action: "channel_gone", by: "ann", channel: "slack" }]);
  });

  it.each<[string, (home: HouseholdUnderTest) => Promise<unknown>]>([
    [
      "the executor",
      ({ rpc }) => rpc.settings.configure({ executor: { id: "ann", notify: { slack: "U1" } } }),
    ],
    [
      "the channel",
      ({ rpc }) => rpc.settings.configure({ dispatch: { slack: { ...SLACK_SETTINGS } } }),
    ],
    ["its secret", ({ rpc }) => rpc.secrets.putSecret("TOKEN", "new")],
  ])(
    "an address that no longer exists is tried again once %s is configured again",
    async (_what, configureAgain) => {
      const { home } = await setUp();
      await configureAgain(home);
      expect(listChannels(await findContact(home, "ann"))).toContain("slack");
    },
  );
});

describe("an owner who is also an executor", () => {
  const NUMBERS = { own: "+15550101", alerts: "+15550102" };
  const createHomeOfOlga = () =>
    createConfiguredHousehold({
      dispatch: { sms: SMS_SETTINGS, alerts: { sms: NUMBERS.alerts } },
      executors: { olga: { notify: { sms: NUMBERS.own } } },
    });
  const listReached = async (home: HouseholdUnderTest, who: string[] | "owners") => {
    const { contacts } = await home.rpc.contacts.findContacts({
      recipients: who,
      priority: "normal",
    });
    return contacts.flatMap(({ broken_until, addresses }) =>
      addresses.map(({ address }) => [address, broken_until === undefined ? "open" : "broken"]),
    );
  };
  const buildReportOfOlga = (fields: Partial<DeliveryReport>) =>
    buildReport({ executor: "olga", channel: "sms", ...fields });

  it.each([true, undefined])(
    "an owner who is an executor has separate circuit breakers for alerts and for offers: %s",
    async (alert) => {
      const home = await createHomeOfOlga();
      const failed = buildReportOfOlga(alert ? { isAlert: alert } : {});

      await home.rpc.contacts.reportDeliveries([failed, failed, failed, failed, failed]);

      expect(await listReached(home, "owners")).toEqual([
        [NUMBERS.alerts, alert ? "broken" : "open"],
      ]);
      expect(await listReached(home, ["olga"])).toEqual([[NUMBERS.own, alert ? "open" : "broken"]]);
    },
  );

  it.each([
    ["alerts", { isAlert: true as const }],
    ["own", {}],
  ])(
    "an owner keeps one address when the channel reports the other as gone: %s",
    async (which, as) => {
      const home = await createHomeOfOlga();
      const [thread] = await openAll(home, [buildRequest()]);
      const { ref } = thread!;
      const identity = which === "own" ? NUMBERS.own : NUMBERS.alerts;
      await home.rpc.contacts.reportDeliveries([
        buildReportOfOlga({ ref, ok: true, identity, handle: "SM1", ...as }),
      ]);
      const dead = { executor: "olga", channel: "sms" as const, ref, reason: "no such number" };

      const others = await home.rpc.contacts.markUndeliverable({
        ...dead,
        identity,
        handles: ["SM1"],
      });

      expect(others).toBe(false);
      const left = [await listReached(home, "owners"), await listReached(home, ["olga"])].flat();
      expect(left.map(([address]) => address)).toEqual([
        which === "own" ? NUMBERS.alerts : NUMBERS.own,
      ]);
    },
  );

  it("an owner without a working address is notified through dispatch.alerts", async () => {
    const home = await createConfiguredHousehold({
      dispatch: { sms: SMS_SETTINGS, alerts: { sms: NUMBERS.alerts } },
    });
    expect(await listReached(home, ["olga"])).toEqual([[NUMBERS.alerts, "open"]]);
    expect(await listReached(home, ["scout"])).toEqual([]);
  });
});
