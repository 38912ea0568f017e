/** Reads the draft of an answer from a request's `response_hint` (protocol §3.2). */
import { isMap, type JsonMap } from "../json.ts";

/** The text of the first draft; undefined if there is none. */
export function readDraftText({ response_hint }: JsonMap): string | undefined {
  const hints = Array.isArray(response_hint) ? response_hint : [];
  for (const hint of hints) {
    const draft = isMap(hint) ? hint["draft"] : undefined;
    const text = isMap(draft) ? draft["text"] : draft;
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return undefined;
}
