/** Verifies Twilio's signature: HMAC-SHA-1, in base64, over the URL and the sorted parameters of the form. */
import { decodeBase64 } from "../../bytes.ts";

const HMAC = { name: "HMAC", hash: "SHA-1" };

/**
 * True if the form was signed with the account's token for this URL. Takes constant time, so timing reveals nothing.
 * @param url the URL as it is configured at Twilio, with its query
 */
export async function isFromTwilio(
  token: string,
  signature: string | null,
  url: string,
  form: URLSearchParams,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(token), HMAC, false, ["verify"]);
  const mac = decodeSignature(signature);
  const parameters = joinParameters(form);
  const verified = await Promise.all(
    listUrlVariants(url).map((one) =>
      crypto.subtle.verify("HMAC", key, mac, encoder.encode(one + parameters)),
    ),
  );
  return verified.includes(true);
}

/** Twilio signs some URLs with their port and some without it, regardless of the configured form. */
function listUrlVariants(url: string): string[] {
  const { protocol, hostname, port } = new URL(url);
  const path = url.slice(url.indexOf("/", protocol.length + 2));
  const defaultPort = protocol === "https:" ? "443" : "80";
  return [
    `${protocol}//${hostname}${path}`,
    `${protocol}//${hostname}:${port || defaultPort}${path}`,
  ];
}

/** Names sorted by code units, each with its values. A repeated value counts once, as Twilio signs it. */
const joinParameters = (form: URLSearchParams): string =>
  Array.from(new Set(form.keys()))
    .toSorted()
    .flatMap((name) =>
      Array.from(new Set(form.getAll(name)))
        .toSorted()
        .map((value) => name + value),
    )
    .join("");

/** The bytes of the signature; none, which never verify, unless it is base64 of 20 bytes. */
function decodeSignature(signature: string | null): Uint8Array<ArrayBuffer> {
  if (signature === null || !/^[A-Za-z0-9+/]{27}=$/.test(signature)) return new Uint8Array();
  return decodeBase64(signature) ?? new Uint8Array();
}
