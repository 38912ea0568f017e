/** Checks the attestation statement of a new passkey. The exchange requests none, so browsers remove most of them. */
import { loadOnce } from "./load-once.ts";

const loadHelpers = loadOnce(() => import("@simplewebauthn/server/helpers"));

/**
 * Whether the library can verify the statement without reading a certificate: `none`, or signed by the passkey itself.
 * This check precedes the library's: the Worker does not contain its code for certificates.
 * @param attestationObject in base64url, as the browser sent it
 */
export async function hasAllowedAttestation(attestationObject: unknown): Promise<boolean> {
  if (typeof attestationObject !== "string") return false;
  const { decodeAttestationObject, isoBase64URL } = await loadHelpers();
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = decoded.get("fmt");
  return (
    format === "none" || (format === "packed" && decoded.get("attStmt").get("x5c") === undefined)
  );
}
