/** Which hosts are this machine itself. */

const IPV4_PATTERN = /^\d{1,3}(?:\.\d{1,3}){3}$/;

export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname === "[::1]" ||
  (IPV4_PATTERN.test(hostname) && hostname.startsWith("127."));

/** A passkey belongs to a name, never to an address. */
export const isDomainName = (hostname: string): boolean =>
  !IPV4_PATTERN.test(hostname) && !hostname.startsWith("[");
