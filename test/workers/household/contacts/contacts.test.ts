/** The channels by which members and owners are notified, and when notices wait. */
import { getHouseholdStub } from "../../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { expectNaming } from "../../../support/naming.ts";
import {
  listChannels,
  findContact,
  createConfiguredHousehold,
  MINUTE_MS,
  NOON,
  SLACK_SETTINGS,
  SMS_SETTINGS,
  startClock,
} from "./contacts-support.ts";
import {
  createHousehold,
  buildFakeHash,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
} from "../support.ts";

startClock();

describe("the addresses of a member", () => {
  it("a member's addresses keep their configured order, without channels that are not set up", async () => {
    const home = await createConfiguredHousehold({
      dispatch: { sms: SMS_SETTINGS, slack: SLACK_SETTINGS },
      executors: {
        ann: {
          name: "Ann",
          notify: { telegram: 5, sms: "+1 (555) 010-1234", ntfy: "ann", slack: "U04ANN" },
        },
      },
    });

    const { contacts, names } = await home.rpc.contacts.findContacts({
      recipients: ["ann", "nobody"],
      priority: "normal",
    });

    expect(contacts).toEqual([
      {
        executor: "ann",
        membership: 0,
        addresses: [
          { channel: "sms", address: "+15550101234", settings: SMS_SETTINGS },
          { channel: "ntfy", address: "ann", settings: {} },
          { channel: "slack", address: "U04ANN", settings: SLACK_SETTINGS },
        ],
      },
      { executor: "nobody", membership: 0, addresses: [] },
    ]);
    expect(names).toEqual({ ann: "Ann" });
  });

  it("a removed executor has no addresses", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: { notify: { ntfy: "ann" } } },
    });
    await home.rpc.settings.configure({ executors: { ann: null } });
    expect(await findContact(home, "ann")).toEqual({
      executor: "ann",
      membership: 1,
      addresses: [],
    });
  });

  it("push is an address once a browser has subscribed, with the household's keys", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: { notify: { push: true } } },
    });
    const subscription = {
      endpoint: "https://push.example/1",
      keys: { p256dh: "B".repeat(87), auth: "a".repeat(22) },
    };
    expect(listChannels(await findContact(home, "ann"))).toEqual([]);

    await home.rpc.contacts.subscribe("ann", subscription);
    await home.rpc.contacts.subscribe("ann", {
      ...subscription,
      endpoint: "https://push.example/2",
    });
    await home.rpc.contacts.unsubscribe("ann", "https://push.example/2");

    const vapid = await home.rpc.contacts.getVapidKeys();
    const { addresses } = await findContact(home, "ann");
    expect(addresses).toEqual([
      {
        channel: "push",
        address: [subscription],
        settings: { vapid: vapid.ok ? vapid.value : undefined },
      },
    ]);
    expect(await home.rpc.contacts.listSubscriptions("ann")).toEqual([subscription]);
    expect(vapid).toMatchObject({ value: { privateKey: { kty: "EC", crv: "P-256" } } });
  });

  it("the household's push keys are generated once, also under concurrent calls", async () => {
    const home = await createHousehold();
    const asked = await Promise.all([1, 2, 3].map(() => home.rpc.contacts.getVapidKeys()));
    const keys = asked.map((one) => (one.ok ? one.value.publicKey : ""));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\w-]{87}$/);
  });

  it("a member without addresses is notified in subscribed browsers, until they are removed", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: {}, ben: { notify: { ntfy: "ben" } } },
    });
    const keys = { p256dh: "p", auth: "a" };
    await home.rpc.contacts.subscribe("ann", { endpoint: "https://push.example/1", keys });
    await home.rpc.contacts.subscribe("ben", { endpoint: "https://push.example/2", keys });

    expect(listChannels(await findContact(home, "ann"))).toEqual(["push"]);
    expect(listChannels(await findContact(home, "ben"))).toEqual(["ntfy"]);
    await home.rpc.identity.invite({ actor: "ann", role: "executor", hash: buildFakeHash("link") });
    await home.rpc.identity.acceptInvitation(buildFakeHash("link"), buildFakeHash("session"));
    await home.rpc.identity.removePerson("ann");
    expect(listChannels(await findContact(home, "ann"))).toEqual([]);
  });

  it("a subscribed browser is enough for a member to count as reachable", async () => {
    const home = await createConfiguredHousehold({ executors: { ann: {} } });
    const [quiet] = await openAll(home, [buildRequest()]);
    await home.rpc.contacts.subscribe("ann", {
      endpoint: "https://push.example/1",
      keys: { p256dh: "p", auth: "a" },
    });
    const [reachable] = await openAll(home, [buildRequest({ intent: "and the mint" })]);

    expect([quiet?.unreached, reachable?.unreached]).toEqual([true, undefined]);
  });

  it("a browser belongs to the member who last subscribed in it", async () => {
    const home = await createHousehold();
    const subscription = { endpoint: "https://push.example/1", keys: { p256dh: "p", auth: "a" } };
    await home.rpc.contacts.subscribe("ann", subscription);
    await home.rpc.contacts.subscribe("ben", subscription);
    expect(await home.rpc.contacts.listSubscriptions("ann")).toEqual([]);
    expect(await home.rpc.contacts.listSubscriptions("ben")).toEqual([subscription]);
  });
});

describe("delayed notices", () => {
  it("a notice to a member outside their hours waits until they begin, unless it is urgent", async () => {
    const home = await createConfiguredHousehold(
      { executors: { ann: { notify: { ntfy: "ann" }, hours: "16:30-22:00" } } },
      "Europe/Rome",
    );

    expect((await findContact(home, "ann")).delay).toEqual({
      until: Date.parse("2031-06-02T16:30:00+02:00"),
      reason: expectNaming("16:30-22:00"),
    });
    expect((await findContact(home, "ann", "urgent")).delay).toBeUndefined();
    vi.setSystemTime(Date.parse("2031-06-02T16:30:00+02:00"));
    expect((await findContact(home, "ann")).delay).toBeUndefined();
  });

  it("a notice to a member in quiet hours over midnight waits until they end", async () => {
    const home = await createConfiguredHousehold({
      executors: {
        ann: { notify: { ntfy: "ann" }, quiet_hours: "22:00-07:00", time_zone: "Asia/Kolkata" },
      },
    });
    vi.setSystemTime(Date.parse("2031-06-02T23:10:20+05:30"));
    const { delay } = await findContact(home, "ann");
    expect(delay?.reason).toEqual(expectNaming("22:00-07:00"));
    expect(delay!.until).toBe(Date.parse("2031-06-03T07:01:00+05:30"));
    vi.setSystemTime(delay!.until);
    expect((await findContact(home, "ann")).delay).toBeUndefined();
  });

  it("a notice to a member whose hours do not begin within a day waits for a day", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: { notify: { ntfy: "ann" }, schedule: "0 9-17 * * sat" } },
    });
    expect((await findContact(home, "ann")).delay?.until).toBe(NOON + 24 * 60 * MINUTE_MS);
  });

  it("a notice to a member who is always available does not wait", async () => {
    const home = await createConfiguredHousehold({
      executors: {
        ann: { notify: { ntfy: "ann" }, hours: "16:30-22:00", availability: "always" },
      },
    });
    expect((await findContact(home, "ann")).delay).toBeUndefined();
  });
});

describe("alerts to owners", () => {
  const listAlerted = async (home: HouseholdUnderTest) => {
    const { contacts } = await home.rpc.contacts.findContacts({
      recipients: "owners",
      priority: "normal",
    });
    return contacts.map((one) => [one.executor, listChannels(one)]);
  };

  it("owners are alerted through dispatch.alerts", async () => {
    const home = await createConfiguredHousehold({
      dispatch: { alerts: { ntfy: "alarm", sms: "+15550100" } },
      executors: { olga: { notify: { ntfy: "olga" } } },
    });
    expect(await listAlerted(home)).toEqual([["olga", ["ntfy"]]]);
    const { contacts } = await home.rpc.contacts.findContacts({
      recipients: "owners",
      priority: "normal",
    });
    expect(contacts[0]!.addresses[0]!.address).toBe("alarm");
  });

  it("owners are alerted again once the secret in the address of alerts is replaced", async () => {
    const home = await createConfiguredHousehold({
      dispatch: { alerts: { discord: "${ALERTS}" } },
    });
    await home.rpc.secrets.putSecret("ALERTS", "https://discord.com/api/webhooks/1/old");
    const [thread] = await openAll(home, [buildRequest()]);
    const gone = { executor: "olga", channel: "discord", ok: false, isPermanent: true } as const;
    await home.rpc.contacts.reportDeliveries([{ ...gone, ref: thread!.ref }]);
    expect(await listAlerted(home)).toEqual([["olga", []]]);

    await home.rpc.secrets.putSecret("ALERTS", "https://discord.com/api/webhooks/2/new");

    expect(await listAlerted(home)).toEqual([["olga", ["discord"]]]);
  });

  it("owners are alerted through their own addresses if dispatch.alerts is not set", async () => {
    const home = await createConfiguredHousehold({
      executors: { olga: { notify: { ntfy: "olga" } }, otto: { notify: { ntfy: "otto" } } },
    });
    await home.rpc.identity.addKey({ actor: "otto", role: "owner", key_hash: buildFakeHash("0a") });
    expect(await listAlerted(home)).toEqual([
      ["olga", ["ntfy"]],
      ["otto", ["ntfy"]],
    ]);
  });

  it("owners without addresses are alerted in subscribed browsers", async () => {
    const home = await createConfiguredHousehold({
      executors: { ann: { notify: { ntfy: "ann" } } },
    });
    expect(await listAlerted(home)).toEqual([]);
    await home.rpc.contacts.subscribe("olga", {
      endpoint: "https://push.example/o",
      keys: { p256dh: "p", auth: "a" },
    });
    expect(await listAlerted(home)).toEqual([["olga", ["push"]]]);
  });
});

it("a household that does not exist has no contacts", async () => {
  const rpc = getHouseholdStub(env, "no-such-house");
  expect(await rpc.contacts.findContacts({ recipients: ["ann"], priority: "normal" })).toEqual({
    contacts: [],
    names: {},
  });
  expect(await rpc.contacts.getChannelSettings("slack")).toBeNull();
  expect(
    await rpc.contacts.resolveInbound({ channel: "sms", id: "1", identities: ["+15550100"] }),
  ).toMatchObject({
    error: { code: "not_found" },
  });
});
