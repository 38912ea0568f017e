/** Mail to a started exchange, as Email Routing hands it over: `wrangler dev` takes it at an address of its own. */
import type { Delivered } from "./mail.ts";

/** The reason with which the exchange refused the mail; undefined where it took it. */
export async function deliverMail(
  origin: string,
  { from, to, raw }: Delivered,
): Promise<string | undefined> {
  const query = new URLSearchParams({ from, to });
  const answer = await fetch(`${origin}/cdn-cgi/handler/email?${query.toString()}`, {
    method: "POST",
    body: raw,
  });
  const text = await answer.text();
  return answer.ok ? undefined : (/reason: (.*)/.exec(text)?.[1] ?? text);
}
