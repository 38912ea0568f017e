/** Verifies `X-Hub-Signature-256`, by which GitHub and Meta sign the raw bytes of a request. */
import { decodeHex } from "../../bytes.ts";

export const HUB_SIGNATURE_HEADER = "X-Hub-Signature-256";
const HMAC = { name: "HMAC", hash: "SHA-256" };

export async function isHubSigned(
  secret: string,
  headers: Headers,
  body: Uint8Array,
): Promise<boolean> {
  const header = headers.get(HUB_SIGNATURE_HEADER) ?? "";
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(header) ?? [];
  if (hex === undefined) return false;
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, HMAC, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, decodeHex(hex), body);
}
