import { SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  MAX_CALLBACK_SECONDS,
  makeCallbackToken,
  readCallbackToken,
} from "../../../src/auth/callbacks/callback-tokens.ts";
import { deriveBits } from "../../../src/auth/hash.ts";
import { makeLink, verifyLink } from "../../../src/auth/links/links.ts";

const SECRET = "a-secret-for-tests-of-more-than-32-bytes";
const NOW = Date.UTC(2031, 4, 4, 12);
const now = NOW / 1_000;
const grant = { household: "home", executor: "robo", ref: "2031-05-04-001-rice" };

/** A correctly signed token with one invalid part. */
async function forgeToken(
  claims: Record<string, unknown>,
  header: object = {},
  key?: Uint8Array,
): Promise<string> {
  const { household, ref, executor: sub } = grant;
  const names = { iss: "mess", aud: "mess:callback", sub, iat: now, exp: now + 60 };
  return await new SignJWT({ household, ref, ...names, ...claims })
    .setProtectedHeader({ alg: "HS256", typ: "mess-callback+jwt", ...header })
    .sign(key ?? new Uint8Array(await deriveBits(SECRET, "mess callback")));
}

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a callback token", () => {
  it("a callback token gives access to one thread as one executor", async () => {
    const { token, expires } = await makeCallbackToken(SECRET, grant, NOW);

    expect(await readCallbackToken(SECRET, token)).toEqual(grant);
    expect(expires).toBe(now + MAX_CALLBACK_SECONDS);
  });

  it("a callback token expires at the exact second", async () => {
    const { token } = await makeCallbackToken(SECRET, grant, NOW);

    vi.setSystemTime(NOW + MAX_CALLBACK_SECONDS * 1_000 - 1_000);
    const before = await readCallbackToken(SECRET, token);
    vi.setSystemTime(NOW + MAX_CALLBACK_SECONDS * 1_000);
    const after = await readCallbackToken(SECRET, token);

    expect([before, after]).toEqual([grant, undefined]);
  });

  it("a correctly forged callback token is accepted, so the forgeries below fail for one reason each", async () => {
    expect(await readCallbackToken(SECRET, await forgeToken({}))).toEqual(grant);
  });

  it.each<[string, Record<string, unknown>, object?]>([
    ["another audience", { aud: "mess:link" }],
    ["another issuer", { iss: "other" }],
    ["another type", {}, { typ: "mess-link+jwt" }],
    ["no executor", { sub: undefined }],
    ["an empty executor", { sub: "" }],
    ["no thread", { ref: undefined }],
    ["no household", { household: undefined }],
    ["no expiry", { exp: undefined }],
    ["an expiry in milliseconds", { exp: NOW + 60_000 }],
    ["a lifetime that is too long", { exp: now + MAX_CALLBACK_SECONDS + 1 }],
    ["an expiry in the past", { iat: now - 120, exp: now - 60 }],
  ])("a callback token with %s is rejected", async (_what, claims, header) => {
    expect(await readCallbackToken(SECRET, await forgeToken(claims, header))).toBeUndefined();
  });

  it("a callback token signed with another key and a text that is not a token are rejected", async () => {
    const other = await forgeToken({}, {}, new Uint8Array(32).fill(1));

    for (const token of [other, "", "a.b.c", "mess_home_00"])
      expect(await readCallbackToken(SECRET, token)).toBeUndefined();
  });

  it("a callback token is not accepted as a link, nor a link as a callback token", async () => {
    const link = await makeLink(SECRET, {
      ...grant,
      permissions: ["respond"],
      jti: "one",
      expires: now + 60,
    });
    const { token } = await makeCallbackToken(SECRET, grant, NOW);

    expect(await readCallbackToken(SECRET, link)).toBeUndefined();
    expect((await verifyLink(SECRET, token)).ok).toBe(false);
  });
});
