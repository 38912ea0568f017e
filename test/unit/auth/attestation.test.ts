import { isoBase64URL, isoCBOR } from "@simplewebauthn/server/helpers";
import { describe, expect, it } from "vitest";
import { hasAllowedAttestation } from "../../../src/auth/people/attestation.ts";

type Encodable = Parameters<typeof isoCBOR.encode>[0];

const encode = (format: string, statement: readonly (readonly [string, Encodable])[]): string => {
  const attestation = new Map<string, Encodable>([
    ["fmt", format],
    ["attStmt", new Map<string, Encodable>(statement)],
    ["authData", new Uint8Array(37)],
  ]);
  return isoBase64URL.fromBuffer(isoCBOR.encode(attestation));
};

const SIGNATURE = [
  ["alg", -7],
  ["sig", new Uint8Array(70)],
] as const;
const CERTIFICATE: [string, Encodable] = ["x5c", [new Uint8Array(64)]];

describe("the attestation of a new passkey", () => {
  it.each([
    ["none", []],
    ["packed", SIGNATURE],
  ] as const)(
    "an attestation of format %s without certificates is allowed",
    async (format, statement) => {
      expect(await hasAllowedAttestation(encode(format, statement))).toBe(true);
    },
  );

  it.each(["packed", "fido-u2f", "android-key", "apple", "tpm"])(
    "an attestation of format %s with certificates is not allowed",
    async (format) => {
      expect(await hasAllowedAttestation(encode(format, [...SIGNATURE, CERTIFICATE]))).toBe(false);
    },
  );

  it("an attestation of format android-safetynet is not allowed, since its token contains certificates", async () => {
    const statement = encode("android-safetynet", [["response", new Uint8Array(64)]]);

    expect(await hasAllowedAttestation(statement)).toBe(false);
  });

  it("an attestation that is not a text is not allowed", async () => {
    expect(await hasAllowedAttestation(undefined)).toBe(false);
  });
});
