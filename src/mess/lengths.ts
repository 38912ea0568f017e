/** How long a text may be: the check that comes before any regex or parser of its field. */
import * as z from "zod";

export const tooLongHint = (maxChars: number): string => `Give at most ${maxChars} characters.`;

/** A string of at most so many characters; of a longer one nothing else is checked. */
export const boundedText = (maxChars: number) =>
  z.string().max(maxChars, { abort: true, error: `longer than ${maxChars} characters` });

/** The hint for a text that `boundedText` refused; undefined for any other issue. */
export const lengthHint = (issue: z.core.$ZodIssue | undefined): string | undefined =>
  issue?.code === "too_big" && issue.origin === "string"
    ? tooLongHint(Number(issue.maximum))
    : undefined;
