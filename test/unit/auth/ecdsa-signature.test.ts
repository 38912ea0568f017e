/** The reader of passkey signatures, against DER as OpenSSL writes it. */
import { createSign, generateKeyPairSync, verify } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  AsnParser,
  ECDSASigValue,
  ECParameters,
} from "../../../src/auth/people/ecdsa-signature.ts";

const read = (bytes: Uint8Array): ECDSASigValue => AsnParser.parse(bytes, ECDSASigValue);

const sign = (namedCurve: string, text: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve });
  const der = new Uint8Array(createSign("sha256").update(text).sign(privateKey));
  return { der, publicKey };
};

const toFixedLength = (integer: Uint8Array, length: number): Buffer => {
  const digits = Buffer.from(integer).subarray(Math.max(0, integer.length - length));
  return Buffer.concat([Buffer.alloc(length - digits.length), digits]);
};

describe("the signature of a passkey", () => {
  it.each([
    ["P-256", 32],
    ["P-384", 48],
    ["P-521", 66],
  ])("a signature by %s reads as the two integers that verify", (curve, length) => {
    for (let round = 0; round < 20; round++) {
      const { der, publicKey } = sign(curve, `challenge ${round}`);

      const { r, s } = read(der);

      const plain = Buffer.concat([toFixedLength(r, length), toFixedLength(s, length)]);
      const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
      expect(verify("sha256", Buffer.from(`challenge ${round}`), key, plain)).toBe(true);
    }
  });

  it("a signature that is cut off or has a byte too many is refused", () => {
    const { der } = sign("P-256", "challenge");

    for (let length = 0; length < der.length; length++) {
      expect(() => read(der.subarray(0, length))).toThrow("Signature");
    }
    expect(() => read(Uint8Array.of(...der, 0))).toThrow("too long");
  });

  it("arbitrary bytes are refused or read as two integers inside them", () => {
    const bytes = fc.uint8Array({ maxLength: 80 });
    const likely = bytes.map((rest) => Uint8Array.of(0x30, rest.length, 0x02, ...rest));
    fc.assert(
      fc.property(fc.oneof(bytes, likely), (input) => {
        try {
          const { r, s } = read(input);
          expect(r.length + s.length + 6).toBe(input.length);
        } catch (error) {
          expect(String(error)).toContain("Signature");
        }
      }),
    );
  });

  it("every other type is refused", () => {
    expect(() => AsnParser.parse(sign("P-256", "challenge").der, ECParameters)).toThrow("ECDSA");
  });
});
