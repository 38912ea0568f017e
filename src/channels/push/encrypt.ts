/** Encrypts messages for Web Push (RFC 8291): one record of aes128gcm (RFC 8188) that only the browser can read. */
import { base64url } from "jose";
import { concatBytes } from "../../bytes.ts";
import type { PushSubscription } from "./config.ts";
import { stripEnd } from "../../mess/strip.ts";

const CURVE = { name: "ECDH", namedCurve: "P-256" };
const RECORD_BYTES = 4_096;
const SALT_BYTES = 16;
const POINT_BYTES = 65;
const TAG_BYTES = 16;

/** Maximum bytes of plaintext in a message: one record without its header, tag and delimiter. */
export const MAX_PLAINTEXT_BYTES =
  RECORD_BYTES - (SALT_BYTES + 4 + 1 + POINT_BYTES) - TAG_BYTES - 1;

const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));

/** Base64url; some browsers add padding. */
const decodeBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(base64url.decode(stripEnd(text, "=")));

/**
 * Encrypts the body of a push message.
 * @param plain at most `MAX_PLAINTEXT_BYTES` bytes
 * @throws if the keys of the subscription are invalid
 */
export async function encryptPush(
  { keys }: PushSubscription,
  plain: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (plain.length > MAX_PLAINTEXT_BYTES) throw new Error("the message is too long for one record");
  const receiverPublicKey = decodeBase64url(keys.p256dh);
  const receiverKey = await crypto.subtle.importKey("raw", receiverPublicKey, CURVE, false, []);
  const pair = (await crypto.subtle.generateKey(CURVE, true, ["deriveBits"])) as CryptoKeyPair;
  const senderPublicKey = new Uint8Array(
    (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer,
  );
  const shared = await crypto.subtle.deriveBits(
    // The platform's types name this field differently from the standard.
    { name: "ECDH", public: receiverKey } as unknown as SubtleCryptoDeriveKeyAlgorithm,
    pair.privateKey,
    256,
  );
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  // RFC 8291, section 3.4: the keys are derived from both public keys.
  const info = concatBytes([encodeUtf8("WebPush: info\0"), receiverPublicKey, senderPublicKey]);
  const material = await deriveHkdf(decodeBase64url(keys.auth), shared, info, 32);
  const key = await deriveHkdf(salt, material, encodeUtf8("Content-Encoding: aes128gcm\0"), 16);
  const nonce = await deriveHkdf(salt, material, encodeUtf8("Content-Encoding: nonce\0"), 12);
  const cipher = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  // 2 marks the last record (RFC 8188, section 2).
  const record = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce },
    cipher,
    concatBytes([plain, Uint8Array.of(2)]),
  );
  const header = new Uint8Array(SALT_BYTES + 5);
  header.set(salt);
  const view = new DataView(header.buffer);
  view.setUint32(SALT_BYTES, RECORD_BYTES);
  view.setUint8(SALT_BYTES + 4, POINT_BYTES);
  return concatBytes([header, senderPublicKey, new Uint8Array(record)]);
}

/** HKDF-SHA-256 (RFC 5869). */
async function deriveHkdf(
  salt: Uint8Array<ArrayBuffer>,
  material: ArrayBuffer,
  info: Uint8Array<ArrayBuffer>,
  bytes: number,
): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveBits"]);
  return await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt, info },
    key,
    bytes * 8,
  );
}
