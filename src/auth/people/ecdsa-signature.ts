/**
 * Replaces the packages that read ASN.1 (see `alias` in wrangler.toml), 5 % of the Worker. `@simplewebauthn/server`
 * needs them to read the signature of a passkey, and for certificates, which `hasAllowedAttestation` refuses.
 */
export { ThrowingStub as ECParameters, ThrowingStub as OctetString } from "./certificate-stubs.ts";

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** The type of an ECDSA signature, as a token for `AsnParser.parse`. */
export class ECDSASigValue {
  readonly r: Uint8Array;
  readonly s: Uint8Array;

  constructor(r: Uint8Array, s: Uint8Array) {
    this.r = r;
    this.s = s;
  }
}

export const AsnParser = {
  /**
   * Reads a DER-encoded ECDSA signature: a sequence of the integers `r` and `s` (RFC 3279, section 2.2.3).
   * @returns both as big-endian bytes, with the leading zero of DER where the first bit is set
   * @throws Error for every other type, and for bytes that are not exactly one signature
   */
  parse(bytes: Uint8Array, type: unknown): ECDSASigValue {
    if (type !== ECDSASigValue) throw new Error("Only ECDSA signatures are supported.");
    const sequence = readElement(bytes, SEQUENCE);
    const r = readElement(sequence.content, INTEGER);
    const s = readElement(r.rest, INTEGER);
    if (sequence.rest.length > 0 || s.rest.length > 0) throw new Error("Signature is too long.");
    return new ECDSASigValue(r.content, s.content);
  },
};

/** Splits off the first element, whose content is at most 255 bytes: enough for every curve. */
function readElement(bytes: Uint8Array, tag: number): { content: Uint8Array; rest: Uint8Array } {
  if (bytes[0] !== tag) throw new Error("Signature is not DER-encoded.");
  const hasLengthByte = bytes[1] === 0x81;
  const start = hasLengthByte ? 3 : 2;
  const length = bytes[start - 1] ?? 0;
  if (length < (hasLengthByte ? 0x80 : 1) || (!hasLengthByte && length > 0x7f)) {
    throw new Error("Signature is not DER-encoded.");
  }
  if (bytes.length < start + length) throw new Error("Signature is cut off.");
  return { content: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}

/** Equal to no identifier in a certificate. */
const NO_IDENTIFIER = "not supported";

export {
  NO_IDENTIFIER as id_ecPublicKey,
  NO_IDENTIFIER as id_ecdsaWithSHA256,
  NO_IDENTIFIER as id_ecdsaWithSHA384,
  NO_IDENTIFIER as id_ecdsaWithSHA512,
  NO_IDENTIFIER as id_secp256r1,
  NO_IDENTIFIER as id_secp384r1,
};
