import fc from "fast-check";
import { SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deriveBits } from "../../../src/auth/hash.ts";
import {
  type LinkInput,
  type LinkUse,
  MAX_LINK_SECONDS,
  makeLink,
  verifyLink,
} from "../../../src/auth/links/links.ts";

const SECRET = "a-secret-for-tests-of-more-than-32-bytes";
const NOW = Date.UTC(2026, 4, 4, 12);
const now = NOW / 1_000;

const buildLink = (change: Partial<LinkInput> = {}): LinkInput => ({
  household: "home",
  ref: "2026-05-04-001-water-plants",
  executor: "ann",
  permissions: ["respond", "claim"],
  jti: "0b8f3a52-6f5c-4c1e-9d0a-1f2e3d4c5b6a",
  expires: now + 3_600,
  ...change,
});

/** A correctly signed token with one invalid part. */
async function forgeToken(
  claims: Record<string, unknown>,
  header: object = {},
  key?: Uint8Array,
): Promise<string> {
  const { household, ref, permissions, executor: sub } = buildLink();
  const times = { iat: now, exp: now + 3_600 };
  const names = { iss: "mess", aud: "mess:link", sub, jti: "one" };
  const token = new SignJWT({ household, ref, permissions, ...times, ...names, ...claims });
  token.setProtectedHeader({ alg: "HS256", typ: "mess-link+jwt", ...header });
  return await token.sign(key ?? new Uint8Array(await deriveBits(SECRET, "mess link")));
}

const isOpen = async (token: string): Promise<boolean> => (await verifyLink(SECRET, token)).ok;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the token of a link", () => {
  it("a link's token acts as its executor, in its thread, with its permissions only", async () => {
    const verified = await verifyLink(SECRET, await makeLink(SECRET, buildLink()));

    expect(verified).toEqual({
      ok: true,
      value: {
        household: "home",
        actor: "ann",
        role: "executor",
        scope: {
          ref: "2026-05-04-001-water-plants",
          permissions: ["respond", "claim"],
          jti: "0b8f3a52-6f5c-4c1e-9d0a-1f2e3d4c5b6a",
        },
      },
    });
  });

  it("a link's token expires at the exact second", async () => {
    const token = await makeLink(SECRET, buildLink({ expires: now + 60 }));

    vi.setSystemTime(NOW + 59_000);
    const before = await isOpen(token);
    vi.setSystemTime(NOW + 60_000);
    const after = await isOpen(token);

    expect([before, after]).toEqual([true, false]);
    expect(await verifyLink(SECRET, token)).toMatchObject({
      error: { code: "link_dead", reason: "expired" },
    });
  });

  it("a link's token is reported as expired only if it was valid before", async () => {
    const late = { iat: now - 7_200, exp: now - 3_600 };

    for (const token of [
      await forgeToken({ ...late, aud: "mess" }),
      await forgeToken({ ...late, permissions: ["own"] }),
      await forgeToken({ ...late, iat: now - 3_600 - MAX_LINK_SECONDS - 1 }),
      await forgeToken(late, { typ: "JWT" }),
      await forgeToken(late, {}, new Uint8Array(32)),
    ])
      expect(await verifyLink(SECRET, token)).toMatchObject({ error: { code: "unauthenticated" } });
  });

  it("a link's token is not accepted as a browser session, nor a session as a link", async () => {
    const [token, session] = [
      await makeLink(SECRET, buildLink()),
      await makeLink(SECRET, buildLink(), "session"),
    ];

    const isOpening = async (text: string, use: LinkUse) =>
      (await verifyLink(SECRET, text, use)).ok;

    expect(await Promise.all([isOpening(token, "link"), isOpening(session, "session")])).toEqual([
      true,
      true,
    ]);
    expect(await Promise.all([isOpening(token, "session"), isOpening(session, "link")])).toEqual([
      false,
      false,
    ]);
  });

  it("a signed link token with a longer lifetime than links may have is rejected", async () => {
    const longest = await makeLink(SECRET, buildLink({ expires: now + MAX_LINK_SECONDS }));
    const longer = await makeLink(SECRET, buildLink({ expires: now + MAX_LINK_SECONDS + 1 }));

    expect(await Promise.all([isOpen(longest), isOpen(longer)])).toEqual([true, false]);
  });

  it("a link's token with times in milliseconds is rejected", async () => {
    const token = await makeLink(SECRET, buildLink({ expires: NOW + 86_400_000 }));

    expect(await isOpen(token)).toBe(false);
  });

  it("a correctly forged link token is accepted, so the forgeries below fail for one reason each", async () => {
    expect(await isOpen(await forgeToken({}))).toBe(true);
  });

  const FORGERIES: [string, () => Promise<string>][] = [
    ["another algorithm", () => forgeToken({}, { alg: "HS384" })],
    ["another type", () => forgeToken({}, { typ: "JWT" })],
    ["no type", () => forgeToken({}, { typ: undefined })],
    ["another issuer", () => forgeToken({ iss: "other" })],
    ["another audience", () => forgeToken({ aud: "mess" })],
    ["a time of issue in the future", () => forgeToken({ iat: now + 600 })],
    ["a start in the future", () => forgeToken({ nbf: now + 600 })],
    ["no subject", () => forgeToken({ sub: undefined })],
    ["no id", () => forgeToken({ jti: undefined })],
    ["no expiry", () => forgeToken({ exp: undefined })],
    ["no time of issue", () => forgeToken({ iat: undefined })],
    ["no household", () => forgeToken({ household: undefined })],
    ["no ref", () => forgeToken({ ref: undefined })],
    ["no permissions", () => forgeToken({ permissions: [] })],
    ["an unknown permission", () => forgeToken({ permissions: ["own"] })],
    ["another key", () => forgeToken({}, {}, new Uint8Array(32))],
    ["the secret itself as the key", () => forgeToken({}, {}, new TextEncoder().encode(SECRET))],
  ];

  it.each(FORGERIES)("a link's token with %s is rejected", async (_fault, make) => {
    expect(await isOpen(await make())).toBe(false);
  });

  it("a link's token without a signature is rejected", async () => {
    const [, payload] = (await makeLink(SECRET, buildLink())).split(".");
    const none = btoa(JSON.stringify({ alg: "none", typ: "mess-link+jwt" })).replaceAll("=", "");

    expect(await isOpen(`${none}.${payload}.`)).toBe(false);
  });

  it("a link's token signed with another secret is rejected", async () => {
    const token = await makeLink("another-secret-of-more-than-32-bytes!!", buildLink());

    expect(await isOpen(token)).toBe(false);
  });

  it("a link's token gets the same refusal whichever character of it is changed", async () => {
    const token = await makeLink(SECRET, buildLink());
    const signed = token.lastIndexOf(".");
    const refused = await verifyLink(SECRET, "");

    await fc.assert(
      fc.asyncProperty(
        fc.nat(signed - 1),
        fc.constantFrom("A", "z", "0", "-"),
        async (at, other) => {
          fc.pre(token[at] !== other && token[at] !== ".");
          const changed = token.slice(0, at) + other + token.slice(at + 1);
          expect(await verifyLink(SECRET, changed)).toEqual(refused);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("a text that is not a link's token is rejected", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(await isOpen(text)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});
