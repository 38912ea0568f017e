/**
 * Signatures of the Standard Webhooks specification, `v1`: HMAC-SHA-256 over `{id}.{timestamp}.{body}`. Computed over
 * raw bytes, since a signed form may contain a photo and is not valid UTF-8.
 */
import { decodeBase64, encodeBase64 } from "../../bytes.ts";
import { deriveBits } from "../hash.ts";

/** Maximum difference between the timestamp and our clock, which also limits how long a message can be replayed. */
export const TOLERANCE_SECONDS = 300;

const SECRET_PREFIX = "whsec_";
const HMAC = { name: "HMAC", hash: "SHA-256" };
/** The specification requires 24 to 64 bytes, but some senders use 16. */
const MIN_KEY_BYTES = 16;

/** The headers of a signature. */
export interface WebhookHeaders {
  readonly "webhook-id": string;
  /** Seconds since 1970. */
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

const toBase64 = (bytes: ArrayBuffer): string => encodeBase64(new Uint8Array(bytes));

const decodeSecret = (secret: string): Uint8Array<ArrayBuffer> | undefined => {
  const bytes = decodeBase64(
    secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret,
  );
  return bytes !== undefined && bytes.byteLength >= MIN_KEY_BYTES ? bytes : undefined;
};

/** True for a valid signing secret: base64 of at least 16 bytes, with or without the prefix `whsec_`. */
export const isWebhookSecret = (secret: string): boolean => decodeSecret(secret) !== undefined;

/** Derives the secret of an executor without a configured one: always the same, and not stored. */
export async function deriveWebhookSecret(
  secret: string,
  household: string,
  executor: string,
): Promise<string> {
  const bits = await deriveBits(secret, "mess webhook", `${household} ${executor}`);
  return `${SECRET_PREFIX}${toBase64(bits)}`;
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = decodeSecret(secret);
  if (!bytes) throw new Error("not a valid webhook secret");
  return await crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"]);
}

function buildSignedContent(
  id: string,
  timestamp: string,
  body: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(prefix.byteLength + body.byteLength);
  content.set(prefix);
  content.set(body, prefix.byteLength);
  return content;
}

/**
 * Signs a body; returns the headers to send with it.
 * @param secret for which `isWebhookSecret` is true; several during a rotation, so that a receiver with either verifies
 * @param now milliseconds since 1970
 */
export async function signWebhook(
  secret: string | readonly string[],
  id: string,
  now: number,
  body: Uint8Array,
): Promise<WebhookHeaders> {
  const timestamp = String(Math.floor(now / 1_000));
  const content = buildSignedContent(id, timestamp, body);
  const signatures = await Promise.all(
    [secret].flat().map(async (one) => {
      const mac = await crypto.subtle.sign("HMAC", await importKey(one), content);
      return `v1,${toBase64(mac)}`;
    }),
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

const ID_PATTERN = /^[\x21-\x7e]{1,200}$/;
const TIMESTAMP_PATTERN = /^[0-9]{1,12}$/;
/** Maximum number of signatures per header that are checked: key rotation needs two. */
const MAX_SIGNATURES = 4;

/** The id for deduplication of a message, signed or not. */
export function readWebhookId(headers: Headers): string | undefined {
  const id = headers.get("webhook-id") ?? "";
  return ID_PATTERN.test(id) ? id : undefined;
}

/**
 * The three headers of a message that was sent at most five minutes before or after `now`; undefined if one is missing,
 * malformed or outside that time. The signature is not verified here.
 */
export function readFreshHeaders(headers: Headers, now: number): WebhookHeaders | undefined {
  const id = readWebhookId(headers);
  const timestamp = headers.get("webhook-timestamp") ?? "";
  const signature = headers.get("webhook-signature") ?? "";
  if (id === undefined || !TIMESTAMP_PATTERN.test(timestamp) || signature === "") return undefined;
  if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) return undefined;
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}

/** True if one of the signatures was made with the secret; constant time. `readFreshHeaders` checks the timestamp. */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: Uint8Array,
): Promise<boolean> {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
  const key = await importKey(secret);
  const data = buildSignedContent(id, timestamp, body);
  const signatures = headers["webhook-signature"].split(" ").filter((one) => one.startsWith("v1,"));
  let found = false;
  for (const one of signatures.slice(0, MAX_SIGNATURES)) {
    const mac = decodeBase64(one.slice(3));
    if (mac && (await crypto.subtle.verify("HMAC", key, mac, data))) found = true;
  }
  return found;
}
