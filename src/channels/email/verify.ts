/** Reads the authentication results that the receiving mail server added to a mail (RFC 8601). */
import type { Email } from "postal-mime";
import { readHeaders } from "./automatic-mail.ts";

/**
 * False if the sender is forged: DMARC failed, or without DMARC SPF failed and no DKIM signature is valid. Only the
 * first header counts, because the own server added it last. True without a header: only the member knows the reply
 * address.
 */
export const isSenderAuthentic = (mail: Email): boolean =>
  readSenderAuthenticity(mail) !== "forged";

/** `unknown` without results, or where they say neither that the sender is forged nor that it is not. */
export function readSenderAuthenticity(mail: Email): "authentic" | "forged" | "unknown" {
  const [header] = readHeaders(mail, "authentication-results");
  if (header === undefined) return "unknown";
  // A sender can write anything into a comment.
  const text = header.replaceAll(/\([^()]*\)/g, " ").toLowerCase();
  const listResults = (method: string): string[] =>
    Array.from(
      text.matchAll(new RegExp(`(?:^|[;\\s])${method}\\s*=\\s*([a-z]+)`, "g")),
      ([, result]) => result ?? "",
    );
  const [dmarc] = listResults("dmarc");
  if (dmarc === "pass") return "authentic";
  if (dmarc === "fail" || dmarc === "permerror") return "forged";
  const spf = listResults("spf");
  const failed = spf.some((one) => one === "fail" || one === "softfail") && !spf.includes("pass");
  return failed && !listResults("dkim").includes("pass") ? "forged" : "unknown";
}
