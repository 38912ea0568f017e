/** Where a request comes from, as browsers say it. */
import type { MessError } from "../../../mess/errors.ts";

/** A refusal for what a page of another site made a browser send; programs say nothing and are let through. */
export function checkOrigin(request: Request): MessError | undefined {
  const origin = request.headers.get("Origin");
  const site = request.headers.get("Sec-Fetch-Site");
  const isOwnOrigin = origin === null || origin === new URL(request.url).origin;
  if (isOwnOrigin && (site === null || site === "same-origin" || site === "none")) return undefined;
  return {
    code: "unsafe_message",
    message: "this was sent by a page of another site",
    hint: "Open the link itself.",
  };
}
