/** Checks the origin of a request by the headers that browsers send. */
import type { MessError } from "../../../mess/errors.ts";

/** Refuses requests that another site's page made a browser send (CSRF); programs send no such headers and pass. */
export function checkOrigin(request: Request): MessError | undefined {
  const origin = request.headers.get("Origin");
  const site = request.headers.get("Sec-Fetch-Site");
  const isOwnOrigin = origin === null || origin === new URL(request.url).origin;
  if (isOwnOrigin && (site === null || site === "same-origin" || site === "none")) return undefined;
  return {
    code: "unsafe_message",
    message: "the request came from a page of another site",
    hint: "Open the link itself.",
  };
}
