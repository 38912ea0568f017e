/** The address of a caller, for limits of callers without a credential. */

/**
 * Undefined outside of Cloudflare's network. Of an IPv6 address only the first half counts, since every customer of a
 * provider has at least a /64 to choose addresses from.
 */
export function getCallerAddress(request: Request): string | undefined {
  const address = request.headers.get("CF-Connecting-IP") ?? undefined;
  return address?.includes(":") ? `${expandIpv6(address).slice(0, 4).join(":")}::/64` : address;
}

/** The eight groups of an IPv6 address. */
function expandIpv6(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(missing).fill("0"), ...after].map((group) =>
    group.toLowerCase().replace(/^0+(?=.)/, ""),
  );
}
