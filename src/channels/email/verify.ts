/** What the mail server that took a mail in found out about its sender (RFC 8601). */
import type { Email } from "postal-mime";
import { readHeaders } from "./automatic-mail.ts";

/**
 * False where the server says that the sender is not who they say: DMARC failed, or there is none and SPF failed with
 * no valid signature. Only the uppermost header counts: that of the last server, ours. True where it says nothing: the
 * address that is answered to is itself known to nobody but the member.
 */
export function isSenderAuthentic(mail: Email): boolean {
  const [header] = readHeaders(mail, "authentication-results");
  if (header === undefined) return true;
  // Comments may hold anything.
  const text = header.replaceAll(/\([^()]*\)/g, " ").toLowerCase();
  const listResults = (method: string): string[] =>
    Array.from(
      text.matchAll(new RegExp(`(?:^|[;\\s])${method}\\s*=\\s*([a-z]+)`, "g")),
      ([, result]) => result ?? "",
    );
  const [dmarc] = listResults("dmarc");
  if (dmarc === "pass") return true;
  if (dmarc === "fail" || dmarc === "permerror") return false;
  const spf = listResults("spf");
  const failed = spf.some((one) => one === "fail" || one === "softfail") && !spf.includes("pass");
  return !failed || listResults("dkim").includes("pass");
}
