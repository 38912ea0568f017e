import { describe, expect, it } from "vitest";
import { deriveSecret, generateSecret, hashSha256 } from "../../../src/auth/hash.ts";
import { authenticateOperator } from "../../../src/auth/operator.ts";

describe("the operator's key", () => {
  it.each([
    ["the key", "correct horse battery", true],
    ["another key of the same length", "correct horse batterx", false],
    ["the start of the key", "correct horse", false],
    ["nothing", undefined, false],
    ["an empty text", "", false],
  ])("the operator's key: %s", async (_what, given, open) => {
    expect((await authenticateOperator("correct horse battery", given)).ok).toBe(open);
  });

  it("an empty text is not the operator's key, even if it is configured", async () => {
    expect((await authenticateOperator("", undefined)).ok).toBe(false);
  });
});

describe("secrets", () => {
  it("a new secret is 32 random bytes in hex", () => {
    const secrets = Array.from({ length: 50 }, generateSecret);

    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/);
  });

  it("a secret is hashed with SHA-256", async () => {
    expect(await hashSha256("abc")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });

  it("derived secrets are the same for the same purpose and input, and differ otherwise", async () => {
    const derived = await Promise.all([
      deriveSecret("secret", "purpose", "input"),
      deriveSecret("secret", "purpose", "input"),
      deriveSecret("secret", "purpose", "other"),
      deriveSecret("secret", "other", "input"),
      deriveSecret("other", "purpose", "input"),
    ]);

    expect(derived[0]).toBe(derived[1]);
    expect(new Set(derived).size).toBe(4);
  });
});
