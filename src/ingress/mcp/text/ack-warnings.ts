/** The warnings of an ack: the message is stored, but something in it is likely a mistake. */
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { isMap, type JsonMap } from "../../../mess/json.ts";
import { inlineText } from "./untrusted-text.ts";

const MAX_WARNING_CHARS = 300;

export const listWarnings = ({ warnings }: JsonMap): string[] =>
  [warnings ?? []]
    .flat()
    .flatMap((text) => (typeof text === "string" ? inlineText(text, MAX_WARNING_CHARS) : []));

/** The warnings of the request's ack, which is the first ack of a thread. @param messages all of the thread */
export function listRequestWarnings({ messages }: Pick<ResourceView, "messages">): string[] {
  const ack = messages.flatMap(({ MESS }) => MESS).find((item) => "ack" in item)?.["ack"];
  return isMap(ack) ? listWarnings(ack) : [];
}

export const formatWarnings = (warnings: readonly string[]): string[] =>
  warnings.map((warning) => `Warning: ${warning}.`);
