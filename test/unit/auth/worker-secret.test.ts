import { describe, expect, it } from "vitest";
import {
  makeCallbackToken,
  readCallbackToken,
} from "../../../src/auth/callbacks/callback-tokens.ts";
import { signWebhook, verifyWebhook } from "../../../src/auth/callbacks/webhook-signatures.ts";
import { makeDownloadPath, readDownloadToken } from "../../../src/auth/links/download-links.ts";
import { makeLink, readLink } from "../../../src/auth/links/links.ts";
import { makeReplyCode, readReplyCode } from "../../../src/auth/links/reply-codes.ts";
import { makeShortCode, readShortCode } from "../../../src/auth/links/short-links.ts";
import { isValidFormToken, makeFormToken } from "../../../src/auth/people/csrf-token.ts";
import { seal, unseal } from "../../../src/auth/people/sealed-cookies.ts";
import type { WorkerSecret } from "../../../src/auth/worker-secret.ts";
import * as z from "zod";

const OLD = "the-former-secret-of-more-than-32-bytes";
const NEW = "the-current-secret-of-more-than-32-bytes";
const ROTATING: WorkerSecret = [NEW, OLD];

interface Kind {
  make: (secret: WorkerSecret) => Promise<string>;
  isAccepted: (secret: WorkerSecret, made: string) => Promise<boolean>;
}

const CALL = { household: "home", executor: "ann", ref: "2026-11-22-001" };
const LINK = {
  ...CALL,
  permissions: ["respond"],
  jti: "j",
  expires: Date.now() / 1_000 + 600,
} as const;
const COOKIE = { purpose: "test", schema: z.string(), lifetimeSeconds: 600 };
const NONCE = "ab".repeat(32);
const pageRequest = () =>
  new Request("https://mess.test", { headers: { Cookie: `__Host-mess-form=${NONCE}` } });

const KINDS: Readonly<Record<string, Kind>> = {
  "a link": {
    make: (secret) => makeLink(secret, { ...LINK, expires: Math.floor(LINK.expires) }),
    isAccepted: async (secret, token) => (await readLink(secret, token)) !== undefined,
  },
  "a browser session of a link": {
    make: (secret) => makeLink(secret, { ...LINK, expires: Math.floor(LINK.expires) }, "session"),
    isAccepted: async (secret, token) => (await readLink(secret, token, "session")) !== undefined,
  },
  "a short link": {
    make: (secret) => makeShortCode(secret, { ...CALL, number: 7 }),
    isAccepted: async (secret, code) => (await readShortCode(secret, code)) !== undefined,
  },
  "a reply address": {
    make: (secret) => makeReplyCode(secret, CALL, "ann@example.org"),
    isAccepted: async (secret, code) =>
      (await readReplyCode(secret, code, "ann@example.org")) !== undefined,
  },
  "a download link": {
    make: async (secret) => {
      const principal = { household: "home", actor: "ann", role: "agent" } as const;
      const path = await makeDownloadPath(secret, { principal, ref: CALL.ref, file: "a.png" });
      return path.slice("/files/".length);
    },
    isAccepted: async (secret, token) => (await readDownloadToken(secret, token)) !== undefined,
  },
  "a callback token": {
    make: async (secret) => (await makeCallbackToken(secret, CALL, Date.now())).token,
    isAccepted: async (secret, token) => (await readCallbackToken(secret, token)) !== undefined,
  },
  "a sealed cookie": {
    make: (secret) => seal(secret, COOKIE, "value"),
    isAccepted: async (secret, token) => (await unseal(secret, COOKIE, token))?.value === "value",
  },
  "a form token": {
    make: async (secret) => (await makeFormToken(secret, pageRequest())).token,
    isAccepted: (secret, token) => isValidFormToken(secret, pageRequest(), token),
  },
};

describe.each(Object.entries(KINDS))("during a rotation of the secret", (name, kind) => {
  it(`${name} made with the former secret is accepted until that is dropped`, async () => {
    const made = await kind.make(OLD);

    expect([await kind.isAccepted(ROTATING, made), await kind.isAccepted(NEW, made)]).toEqual([
      true,
      false,
    ]);
  });

  it(`${name} is made with the current secret`, async () => {
    const made = await kind.make(ROTATING);

    expect([await kind.isAccepted(NEW, made), await kind.isAccepted(OLD, made)]).toEqual([
      true,
      false,
    ]);
  });
});

it("a webhook that is signed with two secrets is verified with either of them, and with no other", async () => {
  const secrets = ["YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4", "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0"];
  const body = new TextEncoder().encode("body");

  const headers = await signWebhook(secrets, "id-1", Date.now(), body);

  const verified = await Promise.all(
    [...secrets, "b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhl"].map((one) =>
      verifyWebhook(one, headers, body),
    ),
  );
  expect(verified).toEqual([true, true, false]);
});
