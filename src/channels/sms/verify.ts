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
  const mac = decodeSignature(signature);
  const parameters = joinParameters(form);
  const verified = await Promise.all(
    listUrlVariants(url).map((one) =>
      crypto.subtle.verify("HMAC", key, mac, encoder.encode(one + parameters)),
    ),
  );
  return verified.includes(true);
}

/** Twilio signs some addresses with their port and some without, whichever way it was given them. */
function listUrlVariants(url: string): string[] {
  const { protocol, hostname, port } = new URL(url);
  const path = url.slice(url.indexOf("/", protocol.length + 2));
  const defaultPort = protocol === "https:" ? "443" : "80";
  return [
    `${protocol}//${hostname}${path}`,
    `${protocol}//${hostname}:${port || defaultPort}${path}`,
  ];
}

/** Names in the order of their code units, each with its values; a value that comes twice counts once. */
const joinParameters = (form: URLSearchParams): string =>
  Array.from(new Set(form.keys()))
    .toSorted()
    .flatMap((name) =>
      Array.from(new Set(form.getAll(name)))
        .toSorted()
        .map((value) => name + value),
    )
    .join("");

/** No bytes where it is no base64 of twenty, which nothing verifies against. */
function decodeSignature(signature: string | null): Uint8Array<ArrayBuffer> {
  if (signature === null || !/^[A-Za-z0-9+/]{27}=$/.test(signature)) return new Uint8Array();
  return Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));
}
