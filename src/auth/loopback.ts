/** Recognizes loopback hosts and domain names. */

const IPV4_PATTERN = /^\d{1,3}(?:\.\d{1,3}){3}$/;

export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname === "[::1]" ||
  (IPV4_PATTERN.test(hostname) && hostname.startsWith("127."));

/** Passkeys need a domain name; browsers do not allow them for IP addresses. */
export const isDomainName = (hostname: string): boolean =>
  !IPV4_PATTERN.test(hostname) && !hostname.startsWith("[");
