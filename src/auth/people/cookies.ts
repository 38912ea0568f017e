/** Cookies of people: of this host alone (`__Host-`), never in clear, never to a script. */

/**
 * @param seconds that the browser keeps it; until it is closed where absent
 * @param sameSite Strict where no visit from another site needs it
 */
export const writeCookie = (
  name: string,
  value: string,
  seconds?: number,
  sameSite: "Lax" | "Strict" = "Lax",
): string =>
  `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}${seconds === undefined ? "" : `; Max-Age=${seconds}`}`;

/** All cookies of the request, in its order. */
export function readCookies(request: Request): [name: string, value: string][] {
  return (request.headers.get("Cookie") ?? "").split(";").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]] : [];
  });
}

/** The value of the first cookie of this name. */
export const readCookie = (request: Request, name: string): string | undefined =>
  readCookies(request).find(([one]) => one === name)?.[1];
