/** Cookies of people: of this host alone (`__Host-`), never in clear, never to a script. */

/** @param seconds that the browser keeps it; until it is closed where absent */
export const cookie = (name: string, value: string, seconds?: number): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${seconds === undefined ? "" : `; Max-Age=${seconds}`}`;

/** The value of the first cookie of this name. */
export function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("Cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
