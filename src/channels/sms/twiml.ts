/** Builds the response to an SMS: one short sentence as TwiML. */

export const NO_TASK_TEXT = "No task is open for you at the moment.";

const XML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The response to Twilio. Without a sentence Twilio sends no SMS. */
export function buildTwimlResponse(sentence?: string): Response {
  const text = (sentence ?? "").replaceAll(
    /[&<>"']/g,
    (character) => XML_ESCAPES[character] ?? character,
  );
  const message = text === "" ? "" : `<Message>${text}</Message>`;
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><Response>${message}</Response>`, {
    headers: { "Content-Type": "text/xml; charset=utf-8" },
  });
}
