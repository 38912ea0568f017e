/** The text of a chat message as the body of a source's message. */
import type { InboundEvent } from "../../channels/chat-event.ts";

/** A contact, a poll or another thing that has no text. */
const NO_TEXT = "(a message without text)";

export function buildChatBody(
  { text = "", location }: Pick<InboundEvent, "text" | "location">,
  hasFiles: boolean,
): string {
  const lines = [
    ...(text.trim() === "" ? [] : [text.toWellFormed()]),
    ...(location
      ? [
          `Place: ${location.name === undefined ? "" : `${location.name}, `}${location.latitude}, ${location.longitude}`,
        ]
      : []),
  ];
  return lines.length === 0 && !hasFiles ? NO_TEXT : lines.join("\n");
}
