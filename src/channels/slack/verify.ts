/** Verifies Slack's signature: `v0=` and the HMAC-SHA-256, in hex, over `v0:{timestamp}:{raw body}`. */
import { decodeHex } from "../../bytes.ts";

/** Maximum difference, in either direction, between the time of a request and the own clock. */
const TOLERANCE_SECONDS = 300;
const HMAC = { name: "HMAC", hash: "SHA-256" };

/**
 * True if the raw bytes were signed with the secret within five minutes. Takes constant time, so timing reveals
 * nothing. Call it before the body is parsed.
 * @param now milliseconds since 1970
 */
export async function isFromSlack(
  secret: string,
  headers: Headers,
  body: Uint8Array,
  now: number,
): Promise<boolean> {
  const timestamp = headers.get("X-Slack-Request-Timestamp") ?? "";
  const [, hex] = /^v0=([0-9a-f]{64})$/.exec(headers.get("X-Slack-Signature") ?? "") ?? [];
  if (!/^\d{1,12}$/.test(timestamp) || hex === undefined) return false;
  if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), HMAC, false, ["verify"]);
  const prefix = encoder.encode(`v0:${timestamp}:`);
  const signed = new Uint8Array(prefix.byteLength + body.byteLength);
  signed.set(prefix);
  signed.set(body, prefix.byteLength);
  return await crypto.subtle.verify("HMAC", key, decodeHex(hex), signed);
}
