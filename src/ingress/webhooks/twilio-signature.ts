/** Twilio's signature of a request: HMAC-SHA-1, in base64, over its address and the sorted parameters of its form. */

const HMAC = { name: "HMAC", hash: "SHA-1" };

/**
 * Whether the form was signed with the account's token for this address. In constant time.
 * @param url the address as Twilio was given it, with its query
 */
export async function isFromTwilio(
  token: string,
  signature: string | null,
  url: string,
  form: URLSearchParams,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(token), HMAC, false, ["verify"]);
  return await crypto.subtle.verify(
    "HMAC",
    key,
    bytesOf(signature),
    encoder.encode(url + spelt(form)),
  );
}

/** Names in the order of their code units, each with its values; a value that comes twice counts once. */
const spelt = (form: URLSearchParams): string =>
  Array.from(new Set(form.keys()))
    .toSorted()
    .flatMap((name) =>
      Array.from(new Set(form.getAll(name)))
        .toSorted()
        .map((value) => name + value),
    )
    .join("");

/** No bytes where it is no base64 of twenty, which nothing verifies against. */
function bytesOf(signature: string | null): Uint8Array<ArrayBuffer> {
  if (signature === null || !/^[A-Za-z0-9+/]{27}=$/.test(signature)) return new Uint8Array();
  return Uint8Array.from(atob(signature), (sign) => sign.charCodeAt(0));
}
