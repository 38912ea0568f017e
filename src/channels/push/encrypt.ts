/** Message encryption for Web Push (RFC 8291): one record of aes128gcm (RFC 8188) that the browser alone can read. */
import { joined } from "../../bytes.ts";
import type { PushSubscription } from "../schemas.ts";
import { stripEnd } from "../../mess/strip.ts";

const CURVE = { name: "ECDH", namedCurve: "P-256" };
const RECORD = 4_096;
const SALT = 16;
const POINT = 65;
const TAG = 16;

/** Bytes of plaintext that fit into a message every push service takes: a record less header, tag and delimiter. */
export const MOST_PLAIN = RECORD - (SALT + 4 + 1 + POINT) - TAG - 1;

const utf8 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));

/** Base64url with or without padding. */
const fromBase64url = (text: string): Uint8Array<ArrayBuffer> => {
  const signs = atob(stripEnd(text.replaceAll("-", "+").replaceAll("_", "/"), "="));
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at);
  return bytes;
};

/**
 * The body of a push message.
 * @param plain at most `MOST_PLAIN` bytes
 * @throws where the subscription's keys are none
 */
export async function encryptPush(
  { keys }: PushSubscription,
  plain: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (plain.length > MOST_PLAIN) throw new Error("the message is too long for one record");
  const theirs = fromBase64url(keys.p256dh);
  const their = await crypto.subtle.importKey("raw", theirs, CURVE, false, []);
  const pair = (await crypto.subtle.generateKey(CURVE, true, ["deriveBits"])) as CryptoKeyPair;
  const ours = new Uint8Array(
    (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer,
  );
  const shared = await crypto.subtle.deriveBits(
    // Named otherwise in the platform's own types than in the standard.
    { name: "ECDH", public: their } as unknown as SubtleCryptoDeriveKeyAlgorithm,
    pair.privateKey,
    256,
  );
  const salt = crypto.getRandomValues(new Uint8Array(SALT));
  // Section 3.4: both public keys are part of what the keys are made of.
  const info = joined([utf8("WebPush: info\0"), theirs, ours]);
  const material = await hkdf(fromBase64url(keys.auth), shared, info, 32);
  const key = await hkdf(salt, material, utf8("Content-Encoding: aes128gcm\0"), 16);
  const nonce = await hkdf(salt, material, utf8("Content-Encoding: nonce\0"), 12);
  const cipher = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  // 2 marks the last record (RFC 8188, section 2).
  const record = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce },
    cipher,
    joined([plain, Uint8Array.of(2)]),
  );
  const header = new Uint8Array(SALT + 5);
  header.set(salt);
  const view = new DataView(header.buffer);
  view.setUint32(SALT, RECORD);
  view.setUint8(SALT + 4, POINT);
  return joined([header, ours, new Uint8Array(record)]);
}

/** HKDF-SHA-256 (RFC 5869). */
async function hkdf(
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
