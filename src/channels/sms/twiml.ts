/** What is said back to a phone: one short sentence, as TwiML. */

export const NO_TASK = "No task is open for you at the moment.";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The answer to Twilio; without words nothing is sent. */
export function twiml(words?: string): Response {
  const text = (words ?? "").replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
  const message = text === "" ? "" : `<Message>${text}</Message>`;
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><Response>${message}</Response>`, {
    headers: { "Content-Type": "text/xml; charset=utf-8" },
  });
}
