/** Checks the texts of a message in an AI group. */
import { type MessError, type Outcome, refuse } from "../errors.ts";
import { GROUP_LIMITS } from "./vocabulary.ts";

interface MessageTexts {
  content: string;
  tool_usage?: string[];
  files_modified?: string[];
}

const LISTS = [
  ["tool_usage", GROUP_LIMITS.toolUsageItems],
  ["files_modified", GROUP_LIMITS.filesModifiedItems],
] as const;

/** @returns why the message is refused; undefined where it is not */
export function checkGroupMessage(message: MessageTexts): Outcome<never> | undefined {
  const { contentChars, itemChars } = GROUP_LIMITS;
  if (message.content === "")
    return refuse("empty_message", "content is empty", "Give a text in content.");
  if (message.content.length > contentChars)
    return refuseTooLarge("content", `is longer than ${contentChars} characters`);
  for (const [field, maxItems] of LISTS) {
    const items = message[field] ?? [];
    if (items.length > maxItems) return refuseTooLarge(field, `has more than ${maxItems} items`);
    if (items.some((item) => item.length > itemChars))
      return refuseTooLarge(field, `has an item longer than ${itemChars} characters`);
  }
  return undefined;
}

const refuseTooLarge = (
  field: string,
  problem: string,
): { readonly ok: false; readonly error: MessError } =>
  refuse(
    "too_large",
    `${field} ${problem}`,
    "Send it in several messages, or put it into a file and send its path.",
    { path: field },
  );
