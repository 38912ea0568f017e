/** Length checks of texts, which run before any regex or parser of the field. */
import * as z from "zod";

export const buildTooLongHint = (maxChars: number): string =>
  `Give at most ${maxChars} characters.`;

/** Schema of a string of at most `maxChars` characters; a longer one is refused before any other check. */
export const boundedTextSchema = (maxChars: number) =>
  z.string().max(maxChars, { abort: true, error: `longer than ${maxChars} characters` });

/** Returns the hint for a text that `boundedTextSchema` refused; undefined for any other issue. */
export const getLengthHint = (issue: z.core.$ZodIssue | undefined): string | undefined =>
  issue?.code === "too_big" && issue.origin === "string"
    ? buildTooLongHint(Number(issue.maximum))
    : undefined;
