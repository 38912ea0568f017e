/** Checks the addresses that a client names: of its metadata document and of its redirects. */
import type { ConsentDescription } from "@cloudflare/workers-oauth-provider";
import { isLoopback } from "../../../auth/loopback.ts";
import { checkAddress } from "../../../egress/egress-address.ts";

/**
 * Whether a client id may be looked up. The OAuth library fetches an id that is an https address, so it must not be one
 * of this machine or of a local network.
 */
export const isSafeClientId = (clientId: string, origin: string): boolean =>
  !/^\s*https:/i.test(clientId) || checkAddress(clientId, { loopback: false, origin }).ok;

/** Schemes of known native apps; others must contain a dot, as RFC 8252, section 7.1, requires. */
const APP_SCHEMES = ["cursor:", "vscode:", "vscode-insiders:", "windsurf:"];

const isAppScheme = (protocol: string): boolean =>
  protocol.includes(".") || APP_SCHEMES.includes(protocol);

/** Whether a person may be sent to this address with a code: a web address, this machine, or a native app. */
export function isAllowedRedirect(redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const { protocol, hostname } = new URL(redirectUri);
  return (
    protocol === "https:" || (protocol === "http:" ? isLoopback(hostname) : isAppScheme(protocol))
  );
}

/** Whether the redirect stays on the person's device, where any program can claim the address. */
export const isOnDevice = ({ redirectUri, redirectIsLoopback }: ConsentDescription): boolean =>
  redirectIsLoopback || !/^https:/i.test(redirectUri);

/** The host of a redirect; the scheme of an app whose address has none. */
export function getRedirectName(redirectUri: string): string {
  const { hostname, protocol } = new URL(redirectUri);
  return hostname || protocol.slice(0, -1);
}

/** The address as people see it: its host, with the scheme of a native app. */
export function formatRedirect({ redirectUri, redirectHost }: ConsentDescription): string {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? redirectHost : `${protocol}//${host}`;
}
