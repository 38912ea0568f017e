/** Collects the errors of a whole body, each with its path and its line and column. */
import { defined } from "../defined.ts";
import type * as z from "zod";
import type { ErrorCode, MessError } from "../errors.ts";
import { buildTooLongHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import type { Path, SourceDocument } from "./syntax/source-document.ts";

/** One error of one document; `path` is the path in the sender's text. */
export interface BodyError {
  code: ErrorCode;
  message: string;
  hint: string;
  path: Path;
  valid?: readonly string[];
}

/** Writes a path such as `MESS[0].request.intent`; keys with special characters are quoted and shortened. */
export const writePath = (path: Path): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^[A-Za-z_][\w-]{0,63}$/.test(step)) return `[${JSON.stringify(step.slice(0, 40))}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");

const locateError = (
  { path, ...error }: BodyError,
  document: Pick<SourceDocument, "locate">,
): MessError => ({
  ...error,
  ...(path.length > 0 ? { path: writePath(path) } : {}),
  ...document.locate(path),
});

/** Combines errors into one: the first, with the others in `more`, up to `LIMITS.reportedErrors` in total. */
export function refuseBody(
  errors: readonly { error: BodyError; document: Pick<SourceDocument, "locate"> }[],
): MessError {
  const [first, ...more] = errors
    .slice(0, LIMITS.reportedErrors)
    .map(({ error, document }) => locateError(error, document));
  const unreported = errors.length - LIMITS.reportedErrors;
  return {
    ...first!,
    ...(more.length > 0 ? { more } : {}),
    ...(unreported > 0 ? { message: `${first!.message} (and ${unreported} more errors)` } : {}),
  };
}

type Issue = z.core.$ZodIssue;

/** Converts the issues that a schema found in `value`, which is at `path`. */
export const toBodyErrors = (issues: readonly Issue[], value: unknown, path: Path): BodyError[] =>
  issues.map((issue) => toBodyError(findDeepestIssue(issue), value, path));

/** A union reports the issues of every form. The form that matched most of the value gives the best message. */
export function findDeepestIssue(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const [best] = issue.errors
    .flatMap((form) => form.slice(0, 1).map(findDeepestIssue))
    .toSorted((a, b) => rankIssue(b) - rankIssue(a));
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

function rankIssue(issue: Issue): number {
  const depth = issue.path.length * 4;
  if (issue.code === "custom") return depth + 3;
  if (issue.code === "invalid_type") return depth;
  return depth + (issue.code === "invalid_value" ? 1 : 2);
}

function toBodyError(issue: Issue, value: unknown, base: Path): BodyError {
  const path = [...base, ...(issue.path as Path)];
  const field = path.findLast((step) => typeof step === "string") ?? "the message";
  const given = issue.path.reduce<unknown>(
    (part, step) => (part as Record<PropertyKey, unknown> | null | undefined)?.[step],
    value,
  );
  const buildError = (
    code: ErrorCode,
    message: string,
    hint: string,
    valid?: readonly string[],
  ) => ({
    code,
    message,
    hint,
    path,
    ...defined({ valid }),
  });
  if (issue.code === "custom") {
    const { code = "bad_field", hint = "", valid } = (issue.params ?? {}) as Partial<BodyError>;
    return buildError(code, `${field}: ${issue.message}`, hint, valid);
  }
  const valid = issue.code === "invalid_value" ? issue.values.map(String) : undefined;
  if (given === undefined)
    return buildError("missing_field", `${field} is missing`, `Add ${field}.`, valid);
  switch (issue.code) {
    case "invalid_value":
      return buildError(
        "bad_field",
        `${field}: not an allowed value`,
        `Use one of ${valid!.join(", ")}.`,
        valid,
      );
    case "too_small":
      return issue.minimum === 1 && issue.origin !== "number"
        ? buildError("bad_field", `${field} is empty`, `Write a value for ${field}.`)
        : buildError("bad_field", `${field} is too small`, `Give at least ${issue.minimum}.`);
    case "too_big":
      return buildError(
        "bad_field",
        `${field} is too large`,
        issue.origin === "string"
          ? buildTooLongHint(Number(issue.maximum))
          : `Give at most ${issue.maximum}.`,
      );
    case "invalid_type":
      return buildError(
        "bad_field",
        `${field} has the wrong type`,
        `Give ${EXPECTED_TYPE_TEXTS[issue.expected] ?? "a value of another type"}.`,
      );
    default:
      return buildError(
        "bad_field",
        `${field} has an invalid value`,
        "See the format of this field in the protocol.",
      );
  }
}

const EXPECTED_TYPE_TEXTS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};
