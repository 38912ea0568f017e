/** Which hosts are this machine itself. */

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname === "[::1]" ||
  (IPV4.test(hostname) && hostname.startsWith("127."));

/** A passkey belongs to a name, never to an address. */
export const hasName = (hostname: string): boolean =>
  !IPV4.test(hostname) && !hostname.startsWith("[");
