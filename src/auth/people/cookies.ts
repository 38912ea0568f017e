/** Cookies of people: for this host only (`__Host-`), over HTTPS only, and not readable by scripts. */

/**
 * @param seconds that the browser stores the cookie; until the browser is closed if absent
 * @param sameSite Strict unless visits from other sites need the cookie
 */
export const writeCookie = (
  name: string,
  value: string,
  seconds?: number,
  sameSite: "Lax" | "Strict" = "Lax",
): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}${seconds === undefined ? "" : `; Max-Age=${seconds}`}`;

/** All cookies of the request, in order. */
export function readCookies(request: Request): [name: string, value: string][] {
  return (request.headers.get("Cookie") ?? "").split(";").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]] : [];
  });
}

/** The value of the first cookie with this name. */
export const readCookie = (request: Request, name: string): string | undefined =>
  readCookies(request).find(([one]) => one === name)?.[1];
