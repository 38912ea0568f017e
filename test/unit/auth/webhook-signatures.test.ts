import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  deriveWebhookSecret,
  readFreshHeaders,
  isWebhookSecret,
  signWebhook,
  TOLERANCE_SECONDS,
  verifyWebhook,
} from "../../../src/auth/callbacks/webhook-signatures.ts";

const MESS_SECRET = "a-secret-for-tests-of-more-than-32-bytes";
const NOW = Date.UTC(2031, 4, 4, 12);
const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text);
const secret = await deriveWebhookSecret(MESS_SECRET, "home", "robo");

/** The headers that the library of the specification writes. */
const signOfficially = (id: string, body: string, of = secret) => ({
  "webhook-id": id,
  "webhook-timestamp": String(NOW / 1_000),
  "webhook-signature": new Webhook(of).sign(id, new Date(NOW), body),
});

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a signed webhook", () => {
  it("a signed webhook is accepted by the library of the specification, whatever its body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (body) => {
        const text = body.toWellFormed();
        const headers = await signWebhook(secret, "notice-1", NOW, encodeText(text));

        new Webhook(secret).verify(text, { ...headers }, { jsonParse: false });
      }),
    );
  });

  it("a webhook that the library of the specification signed is accepted", async () => {
    const headers = signOfficially("msg_1", "MESS: []");

    expect(await verifyWebhook(secret, headers, encodeText("MESS: []"))).toBe(true);
  });

  it("a signed webhook may have a binary body", async () => {
    const photo = Uint8Array.of(0xff, 0xd8, 0x00, 0x80);
    const headers = await signWebhook(secret, "a", NOW, photo);

    expect(await verifyWebhook(secret, headers, photo)).toBe(true);
    expect(await verifyWebhook(secret, headers, Uint8Array.of(0xff, 0xd8, 0x00, 0x81))).toBe(false);
  });

  it("a signed webhook is accepted with either of two secrets during a rotation", async () => {
    const other = await deriveWebhookSecret(MESS_SECRET, "home", "other");
    const mine = signOfficially("a", "x");
    const both = `${signOfficially("a", "x", other)["webhook-signature"]} ${mine["webhook-signature"]}`;

    expect(
      await verifyWebhook(secret, { ...mine, "webhook-signature": both }, encodeText("x")),
    ).toBe(true);
  });

  it.each<[string, Partial<ReturnType<typeof signOfficially>>, string?]>([
    ["another body", {}, "MESS: [ ]"],
    ["another id", { "webhook-id": "msg_2" }],
    ["another time", { "webhook-timestamp": String(NOW / 1_000 + 1) }],
    ["an empty signature", { "webhook-signature": "v1," }],
    ["a signature that is not base64", { "webhook-signature": "v1,???" }],
    [
      "another version",
      {
        "webhook-signature": signOfficially("msg_1", "x")["webhook-signature"].replace("v1", "v2"),
      },
    ],
    [
      "a shortened signature",
      { "webhook-signature": signOfficially("msg_1", "x")["webhook-signature"].slice(0, 20) },
    ],
  ])("a signed webhook is rejected with %s", async (_what, change, body = "x") => {
    const headers = { ...signOfficially("msg_1", "x"), ...change };

    expect(await verifyWebhook(secret, headers, encodeText(body))).toBe(false);
  });

  it.each([
    [-TOLERANCE_SECONDS - 1, false],
    [-TOLERANCE_SECONDS, true],
    [TOLERANCE_SECONDS, true],
    [TOLERANCE_SECONDS + 1, false],
  ])("a signed webhook sent %d s from now is accepted: %s", (offset, timely) => {
    const headers = {
      ...signOfficially("a", "x"),
      "webhook-timestamp": String(NOW / 1_000 + offset),
    };

    expect(readFreshHeaders(new Headers(headers), NOW) !== undefined).toBe(timely);
  });

  it.each<[string, Record<string, string>]>([
    ["no id", { "webhook-id": "" }],
    ["an id with blanks", { "webhook-id": "a b" }],
    ["an id that is too long", { "webhook-id": "a".repeat(201) }],
    ["no time", { "webhook-timestamp": "" }],
    ["a time as text", { "webhook-timestamp": "now" }],
    ["an invalid time", { "webhook-timestamp": "1e9" }],
    ["a negative time", { "webhook-timestamp": "-1" }],
    ["no signature", { "webhook-signature": "" }],
  ])("a webhook has no signature headers with %s", (_what, change) => {
    expect(readFreshHeaders(new Headers(signOfficially("a", "x")), NOW)).toBeDefined();
    expect(
      readFreshHeaders(new Headers({ ...signOfficially("a", "x"), ...change }), NOW),
    ).toBeUndefined();
  });
});

describe("an executor's webhook secret", () => {
  it("an executor's webhook secret differs from that of the same executor in another household", async () => {
    const others = [
      await deriveWebhookSecret(MESS_SECRET, "home", "other"),
      await deriveWebhookSecret(MESS_SECRET, "away", "robo"),
      await deriveWebhookSecret(`${MESS_SECRET}!`, "home", "robo"),
    ];

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await deriveWebhookSecret(MESS_SECRET, "home", "robo")).toBe(secret);
    expect(others).not.toContain(secret);
  });

  it.each([
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", true],
    ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", true],
    ["whsec_", false],
    ["whsec_c2hvcnQ=", false],
    ["a word, not base64", false],
  ])("the webhook secret %s is valid: %s", (given, can) => {
    expect(isWebhookSecret(given)).toBe(can);
  });
});
