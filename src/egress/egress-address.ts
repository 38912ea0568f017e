/** Checks which addresses the exchange may send requests to (SSRF). It checks the text only, without DNS. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { stripEnd } from "../mess/strip.ts";

export interface EgressRules {
  /** Allow http to this machine: for local exchanges and tests. */
  readonly loopback: boolean;
  /** The exchange's origin. It never sends requests to its own domain. */
  readonly origin: string | undefined;
}

const ALLOWED_PORTS = ["", "443", "8443"];
const MAX_URL_CHARS = 2_048;

/** Names of this machine or its local network. */
const LOCAL_NAMES = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "home.arpa",
];

export const ADDRESS_HINT = "Use an https address with a public name, on port 443 or 8443.";
const refuseAddress = (reason: string) =>
  refuse("bad_field", `the address is not allowed: ${reason}`, ADDRESS_HINT);

const isAllowedTransport = ({ protocol, port }: URL): boolean =>
  protocol === "https:" && ALLOWED_PORTS.includes(port);

/** False for an address to which no exchange sends, not even a local one. */
export const isPossibleAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return isLoopback(url.hostname) || isAllowedTransport(url);
};

/** Returns the parsed address, or refuses it with the reason. The error never quotes the address. */
export function checkAddress(text: string, rules: EgressRules): Outcome<URL> {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) return refuseAddress("it is not a URL");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    return refuseAddress("it contains a user name or password");
  // A trailing dot names the same host; the parser has already made 0x7f.1, 2130706433 and the like an IPv4 address.
  const host = stripEnd(url.hostname, ".").toLowerCase();
  if (rules.loopback && isLoopback(host) && /^https?:$/.test(url.protocol)) return ok(url);
  if (url.protocol !== "https:") return refuseAddress("it is not https");
  if (!isAllowedTransport(url)) return refuseAddress("its port is neither 443 nor 8443");
  const forbidden = explainForbiddenHost(host, rules);
  return forbidden === undefined ? ok(url) : refuseAddress(forbidden);
}

/** Undefined for a public name. @param host in lower case, without a dot at the end */
function explainForbiddenHost(
  host: string,
  { origin }: Pick<EgressRules, "origin">,
): string | undefined {
  if (isIpLiteral(host)) return "it is an IP address";
  if (!host.includes(".") || LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`)))
    return "it is a local name";
  return origin !== undefined && isOwnZone(host, new URL(origin).hostname.toLowerCase())
    ? "it belongs to the exchange's own domain"
    : undefined;
}

/** How a connection to a mail server is encrypted: from its start, after the command STARTTLS, or not at all. */
export type Encryption = "tls" | "starttls" | "none";

/** The ports of IMAP and of mail submission. The others, such as 25, are not for people's mail programs. */
const MAIL_PORTS: Readonly<Record<number, Encryption>> = {
  143: "starttls",
  465: "tls",
  587: "starttls",
  993: "tls",
};
const HOST_PATTERN = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,10}$/;

export const MAIL_SERVER_HINT =
  "Use a public name, and port 993 or 143 for IMAP, 465 or 587 for SMTP.";
const refuseServer = (reason: string) =>
  refuse("bad_field", `the mail server is not allowed: ${reason}`, MAIL_SERVER_HINT);

/** How to connect to a mail server, or why not. Only a server on this machine may do without encryption. */
export function checkMailServer(
  { host: name, port }: { host: string; port: number },
  rules: EgressRules,
): Outcome<Encryption> {
  const host = stripEnd(name, ".").toLowerCase();
  const encryption = MAIL_PORTS[port];
  if (rules.loopback && isLoopback(host)) return ok(encryption ?? "none");
  if (!HOST_PATTERN.test(host)) return refuseServer("it is not a host name");
  const forbidden = explainForbiddenHost(host, rules);
  if (forbidden !== undefined) return refuseServer(forbidden);
  return encryption === undefined
    ? refuseServer("its port is not one of encrypted mail")
    : ok(encryption);
}

/** False for a mail server to which no exchange connects, not even a local one. */
export const isPossibleMailServer = (server: { host: string; port: number }): boolean =>
  checkMailServer(server, { loopback: true, origin: undefined }).ok;

/** True for the exchange's own name, names below it, and the domains above it. */
const isOwnZone = (host: string, own: string): boolean =>
  host === own || host.endsWith(`.${own}`) || own.endsWith(`.${host}`);

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** True for any IPv6 address and any name that ends in a number, since no public name does. */
const isIpLiteral = (host: string): boolean =>
  host.startsWith("[") || /^(\d+|0x[0-9a-f]*)$/.test(host.split(".").at(-1) ?? "");
