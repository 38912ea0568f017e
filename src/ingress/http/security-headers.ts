/** The headers that every response has, unless its handler has set another value. */

/** No handler sets this one, so a response that has it has them all. */
const MARKER = "Strict-Transport-Security";

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  [MARKER]: "max-age=63072000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

export function addSecurityHeaders(headers: Headers): void {
  if (headers.has(MARKER)) return;
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!headers.has(name)) headers.set(name, value);
}
