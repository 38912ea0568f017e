/** The warnings of an ack: the message is stored, but something in it is likely a mistake. */
import type { JsonMap } from "../../../mess/json.ts";
import { inlineText } from "./untrusted-text.ts";

const MAX_WARNING_CHARS = 300;

export const listWarnings = ({ warnings }: JsonMap): string[] =>
  [warnings ?? []]
    .flat()
    .flatMap((text) => (typeof text === "string" ? inlineText(text, MAX_WARNING_CHARS) : []));

export const formatWarnings = (warnings: readonly string[]): string[] =>
  warnings.map((warning) => `Warning: ${warning}.`);
