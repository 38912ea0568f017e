/** Sends mail to a started exchange as Email Routing would; `wrangler dev` accepts it at a special address. */
import type { Delivered } from "../channels/mail.ts";

/** The reason of the exchange's refusal; undefined if it accepted the mail. */
export async function deliverMail(
  origin: string,
  { from, to, raw }: Delivered,
): Promise<string | undefined> {
  const query = new URLSearchParams({ from, to });
  const response = await fetch(`${origin}/cdn-cgi/handler/email?${query.toString()}`, {
    method: "POST",
    body: raw,
  });
  const text = await response.text();
  return response.ok ? undefined : (/reason: (.*)/.exec(text)?.[1] ?? text);
}
