/** Formats a refusal as a tool result: the error, how to fix the call, and the valid values. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { ErrorCode, MessError } from "../../mess/errors.ts";
import { findDeepestIssue } from "../../mess/wire/body-errors.ts";
import { describeConflict } from "./text/describe-reservations.ts";
import { inlineText } from "./text/untrusted-text.ts";

export type ErrorHints = Partial<Record<ErrorCode, string>>;

/** Hints that name tools, in place of the default hints that name HTTP paths. */
const REQUEST_TOOL_HINTS: ErrorHints = {
  not_found:
    "Call mess_status without re to list your requests, and use a ref or id from that list; do not guess.",
  thread_finished:
    "Read its result with mess_status; to continue, create a new request with mess_observe or mess_do.",
  no_open_question:
    "Call mess_status with its ref to see what is open; to add something, send a followup with mess.",
  ambiguous_ref: "Use one of these refs in full.",
  index_unavailable: "Lists are behind for the moment; a read by ref works: mess_status with re.",
  already_claimed: "Somebody else has it; leave it to them.",
};

const MAX_ERRORS = 4;

/** The place of the error: a line, or the tool's parameter if the tool built the message from arguments. */
function formatPlace({ line, column, path = "" }: MessError, composed: boolean): string {
  const shownPath = composed ? path.replace(COMPOSED_PATH_PATTERN, "") : path;
  const where = shownPath === "" ? "" : `at ${inlineText(shownPath, 80)}`;
  const at = composed || line === undefined ? "" : `line ${line}, column ${column ?? 1}`;
  return where || at ? ` (${[at, where].filter(Boolean).join(", ")})` : "";
}

const COMPOSED_PATH_PATTERN = /^MESS\[0\]\.\w+\.?/;

/** @param composed whether the tool built the message from its arguments */
export function formatError(
  error: MessError,
  composed = false,
  hints: ErrorHints = REQUEST_TOOL_HINTS,
): string {
  const { code, message, hint, valid, retry_after: retrySeconds, more = [] } = error;
  const { reservations = [] } = error;
  const errors = more
    .slice(0, MAX_ERRORS)
    .map((one) => `Also: ${inlineText(one.message, 200)}${formatPlace(one, composed)}.`);
  const left = more.length - errors.length;
  return [
    `${code}: ${inlineText(message, 300)}${formatPlace(error, composed)}.`,
    // A list of valid values is a better hint than where to look for them.
    (valid ? undefined : hints[code]) ?? hint,
    ...(retrySeconds === undefined ? [] : [`Call again in ${retrySeconds} seconds.`]),
    ...(valid && valid.length > 0
      ? [
          `Valid: ${valid
            .slice(0, 20)
            .map((one) => inlineText(one, 80))
            .join(", ")}.`,
        ]
      : []),
    ...reservations.map((one) => `Reserved: ${describeConflict(one)}.`),
    ...errors,
    ...(left > 0 ? [`${left} more.`] : []),
  ].join(" ");
}

export const buildTextResult = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
});

export const buildErrorResult = (
  error: MessError,
  composed?: boolean,
  hints?: ErrorHints,
): CallToolResult => ({
  ...buildTextResult(formatError(error, composed, hints)),
  isError: true,
});

/** Formats arguments that do not match the tool's parameters. */
export function buildArgumentsError(
  tool: string,
  schema: z.ZodObject,
  error: z.ZodError,
): CallToolResult {
  let areNamesWrong = false;
  const errors = error.issues.slice(0, MAX_ERRORS).map((outer) => {
    const issue = findDeepestIssue(outer);
    if (issue.code === "unrecognized_keys") {
      areNamesWrong = true;
      return `no parameter is called ${issue.keys.map((key) => inlineText(key, 40)).join(", ")}`;
    }
    const where = issue.path.map((part) => inlineText(String(part), 40)).join(".");
    const missing = issue.message.endsWith("received undefined");
    areNamesWrong ||= missing;
    return `${where || "arguments"}: ${missing ? "is missing" : inlineText(issue.message, 160)}`;
  });
  const parameters = Object.entries(schema.shape).map(([name, field]) =>
    (field as z.ZodType).safeParse(undefined).success ? name : `${name} (required)`,
  );
  return buildErrorResult({
    code: "bad_parameter",
    message: `${tool}: ${errors.join("; ")}`,
    ...(areNamesWrong
      ? { hint: "Call again with these parameters only.", valid: parameters }
      : { hint: "Correct it as stated, and call again." }),
  });
}
