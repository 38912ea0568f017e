/** Tests push messages with a push service that verifies them and browsers that decrypt them. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { encryptPush, MAX_PLAINTEXT_BYTES } from "../../../src/channels/push/encrypt.ts";
import { push } from "../../../src/channels/push/send.ts";
import type { PushSettings } from "../../../src/channels/push/config.ts";
import { expectNaming } from "../../support/naming.ts";
import { createPushService } from "../../support/channels/push.ts";
import { createFreshHousehold } from "../support.ts";
import { NOW, buildNotice, createSenderTo } from "./channel-support.ts";

/** Creates a household with its key pair, and subscribes two browsers of Ann. */
async function subscribeTwoBrowsers() {
  const { id } = await createFreshHousehold();
  const stub = getHouseholdStub(env, id);
  const vapid = await stub.contacts.getVapidKeys();
  if (!vapid.ok) throw new Error(vapid.error.message);
  const service = createPushService();
  const phone = await service.subscribe("phone", vapid.value.publicKey);
  const desk = await service.subscribe("desk", vapid.value.publicKey);
  for (const one of [phone, desk]) await stub.contacts.subscribe("ann", one);
  const settings: PushSettings = {
    vapid: vapid.value as unknown as NonNullable<PushSettings["vapid"]>,
  };
  const buildPushNotice = (more: Parameters<typeof buildNotice>[0] = {}) =>
    buildNotice({ household: id, ...more });
  return {
    service,
    stub,
    buildPushNotice,
    phone,
    desk,
    sender: createSenderTo(service.handle, settings),
  };
}

describe("a push message", () => {
  it("an offer by push reaches every browser of the member with the request and its actions", async () => {
    const { service, sender, phone, desk, buildPushNotice } = await subscribeTwoBrowsers();

    const sent = await push.send(
      sender,
      [phone, desk],
      buildPushNotice({ context: ["The top shelf"] }),
    );

    expect(sent).toEqual({ ok: true, handle: expect.stringMatching(/^[\w-]{32}$/) });
    expect(service.messages.map(({ browser }) => browser).toSorted()).toEqual(["desk", "phone"]);
    expect(service.messages[0]).toMatchObject({
      note: {
        kind: "offer",
        ref: "2031-04-05-006",
        intent: "check what is in the fridge",
        requestor: "scout",
        lines: ["The top shelf"],
        actions: ["claim", "decline"],
      },
      urgency: "normal",
      ttl: 86_400,
      subject: "https://mess.test",
    });
  });

  it.each([
    ["urgent", undefined, { urgency: "high", ttl: 14_400 }],
    ["background", undefined, { urgency: "low", ttl: 259_200 }],
    ["normal", new Date(NOW + 600_000).toISOString(), { ttl: 600 }],
    ["normal", new Date(NOW - 1).toISOString(), { ttl: 60 }],
  ])(
    "a push message of priority %s that expires at %s is stored by the push service until it is no longer relevant",
    async (priority, expires, kept) => {
      const { service, sender, phone, buildPushNotice } = await subscribeTwoBrowsers();

      await push.send(
        sender,
        [phone],
        buildPushNotice({ priority, ...(expires ? { expires } : {}) }),
      );

      expect(service.messages).toMatchObject([kept]);
    },
  );

  it("a push message replaces an earlier one of the same thread only", async () => {
    const { service, sender, phone, buildPushNotice } = await subscribeTwoBrowsers();
    for (const more of [{}, { kind: "reminder" }, { ref: "2031-04-05-007" }] as const)
      await push.send(sender, [phone], buildPushNotice(more));

    const [first, second, other] = service.messages.map(({ topic }) => topic);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it("a push message fits into one record, however long the request is", async () => {
    const { service, sender, phone, buildPushNotice } = await subscribeTwoBrowsers();
    const long = "🧀".repeat(4_000);

    const sent = await push.send(
      sender,
      [phone],
      buildPushNotice({ intent: long, context: [long, long] }),
    );

    expect(sent.ok).toBe(true);
    expect(service.messages[0]?.size).toBeLessThanOrEqual(4_096);
    expect(service.messages[0]?.note["intent"]).toMatch(/^(?:🧀)+…$/u);
  });

  it("a push message marks the offer as over only after a member has taken it", async () => {
    const { service, sender, phone, buildPushNotice } = await subscribeTwoBrowsers();

    const still = await push.update!(sender, [phone], "h", buildPushNotice({ kind: "update" }));
    await push.update!(
      sender,
      [phone],
      "h",
      buildPushNotice({ kind: "update", editsKind: "offer", holder: "Ben", actions: ["followup"] }),
    );
    await push.update!(
      sender,
      [phone],
      "h",
      buildPushNotice({ kind: "update", editsKind: "news", holder: "Ben", actions: [] }),
    );

    expect(still).toEqual({ ok: true, handle: "h" });
    expect(service.messages).toMatchObject([
      { note: { kind: "over", holder: "Ben", actions: [] } },
    ]);
  });

  it("an alert by push lets an owner take the request until a member has taken it", async () => {
    const { service, sender, phone, buildPushNotice } = await subscribeTwoBrowsers();
    const alert = { kind: "alert", editsKind: "alert", eventText: "nobody has taken it" } as const;

    await push.send(
      sender,
      [phone],
      buildPushNotice({ ...alert, actions: ["claimed", "followup", "cancel"] }),
    );
    await push.update!(sender, [phone], "h", buildPushNotice({ ...alert, actions: ["cancel"] }));
    await push.update!(
      sender,
      [phone],
      "h",
      buildPushNotice({ ...alert, actions: [], holder: "Ben" }),
    );

    expect(service.messages).toMatchObject([
      { note: { kind: "alert", lines: ["nobody has taken it"], actions: ["claim"] } },
      { note: { kind: "over", holder: "Ben", actions: [] } },
    ]);
  });

  it.each([404, 410])(
    "a subscription that the push service reports as gone (%i) is removed, and the other browser gets the message",
    async (status) => {
      const { service, stub, sender, phone, desk, buildPushNotice } = await subscribeTwoBrowsers();
      service.answer("phone", status);

      const sent = await push.send(sender, [phone, desk], buildPushNotice());
      const alone = await push.send(sender, [phone], buildPushNotice());

      expect(sent.ok).toBe(true);
      expect(alone).toMatchObject({
        ok: false,
        isPermanent: true,
        reason: expectNaming(status),
      });
      expect(await stub.contacts.listSubscriptions("ann")).toEqual([desk]);
    },
  );

  it("a rate limit of the push service delays the message and keeps the subscription", async () => {
    const { service, stub, sender, phone, buildPushNotice } = await subscribeTwoBrowsers();
    service.answer("phone", 429, { "Retry-After": "120" });

    const sent = await push.send(sender, [phone], buildPushNotice());

    expect(sent).toEqual({
      ok: false,
      reason: expectNaming(429),
      retryAfterSeconds: 120,
    });
    expect(await stub.contacts.listSubscriptions("ann")).toHaveLength(2);
  });

  it("a push service refuses a message that is signed with another household's key", async () => {
    const { sender, service, buildPushNotice } = await subscribeTwoBrowsers();
    const other = await subscribeTwoBrowsers();
    const foreign = await service.subscribe("foreign", other.sender.settings.vapid!.publicKey);

    expect(await push.send(sender, [foreign], buildPushNotice())).toMatchObject({ ok: false });
    expect(service.messages).toEqual([]);
  });

  it("a subscription with invalid keys is removed", async () => {
    const { sender, stub, phone, buildPushNotice } = await subscribeTwoBrowsers();
    const broken = { ...phone, keys: { ...phone.keys, p256dh: "BAAAAAAAAAAAAAAAAAAAAAAA" } };

    expect(await push.send(sender, [broken], buildPushNotice())).toMatchObject({
      ok: false,
      isPermanent: true,
    });
    expect(
      (await stub.contacts.listSubscriptions("ann")).map(({ endpoint }) => endpoint),
    ).not.toContain(phone.endpoint);
  });
});

describe("encryption", () => {
  it("a push message of one byte more than a record holds cannot be encrypted", async () => {
    const service = createPushService();
    const subscription = await service.subscribe("phone", "key");

    expect((await encryptPush(subscription, new Uint8Array(MAX_PLAINTEXT_BYTES))).length).toBe(
      4_096,
    );
    await expect(
      encryptPush(subscription, new Uint8Array(MAX_PLAINTEXT_BYTES + 1)),
    ).rejects.toThrow();
  });
});
