/** Verifies the signature of a request over its raw bytes, before they are parsed. */
import {
  readFreshHeaders,
  verifyWebhook,
  type WebhookHeaders,
} from "../../auth/callbacks/webhook-signatures.ts";
import { generateSecret, hashSha256 } from "../../auth/hash.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import type { WebhookSourceSettings } from "./config.ts";
import { HUB_SIGNATURE_HEADER, isHubSigned } from "./hub-signature.ts";

/**
 * Identifies the signed message: a repeated request has the same id. Undefined if the request is not authentic; without
 * settings the same work is done, so that timing does not show whether the source exists.
 * @param now milliseconds since 1970
 */
export async function verifyRequest(
  settings: Pick<WebhookSourceSettings, "secret" | "signature"> | null,
  { headers, body }: InboundRequest,
  now: number,
): Promise<string | undefined> {
  const isGithub = headers.has(HUB_SIGNATURE_HEADER);
  const isExpected = settings?.signature === (isGithub ? "github" : "standard");
  const secret = isExpected ? settings.secret : generateSecret();
  const id = isGithub
    ? await verifyGithub(secret, headers, body)
    : await verifyStandard(secret, readFreshHeaders(headers, now), body);
  return isExpected ? id : undefined;
}

const verifyStandard = async (
  secret: string,
  headers: WebhookHeaders | undefined,
  body: Uint8Array,
): Promise<string | undefined> =>
  headers && (await verifyWebhook(secret, headers, body)) ? headers["webhook-id"] : undefined;

/**
 * GitHub signs the body alone. Its digest identifies the message, because whoever repeats a request could change the
 * delivery's id.
 */
async function verifyGithub(
  secret: string,
  headers: Headers,
  body: Uint8Array,
): Promise<string | undefined> {
  return (await isHubSigned(secret, headers, body))
    ? `sha256:${await hashSha256(body)}`
    : undefined;
}
