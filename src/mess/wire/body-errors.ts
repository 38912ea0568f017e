/** What is wrong with a message, gathered over the whole body and told with its places. */
import type * as z from "zod";
import type { ErrorCode, MessError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Path, SourceDocument } from "./source-document.ts";

/** One fault of one document; `path` leads through the sender's text. */
export interface Fault {
  code: ErrorCode;
  message: string;
  hint: string;
  path: Path;
  valid?: readonly string[];
}

/** `MESS[0].request.intent`; keys that are no plain words are quoted and cut. */
export const writePath = (path: Path): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^[A-Za-z_][\w-]{0,63}$/.test(step)) return `[${JSON.stringify(step.slice(0, 40))}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");

const located = (
  { path, ...fault }: Fault,
  document: Pick<SourceDocument, "locate">,
): MessError => ({
  ...fault,
  ...(path.length > 0 ? { path: writePath(path) } : {}),
  ...document.locate(path),
});

/** One refusal for all faults: the first leads, the rest are in `more`, up to `LIMITS.errors`. */
export function refuseAll(
  faults: readonly { fault: Fault; document: Pick<SourceDocument, "locate"> }[],
): MessError {
  const [first, ...more] = faults
    .slice(0, LIMITS.errors)
    .map(({ fault, document }) => located(fault, document));
  const uncounted = faults.length - LIMITS.errors;
  return {
    ...first!,
    ...(more.length > 0 ? { more } : {}),
    ...(uncounted > 0 ? { message: `${first!.message} (and ${uncounted} further faults)` } : {}),
  };
}

type Issue = z.core.$ZodIssue;

/** The faults that a schema found in `value`, which stands at `path`. */
export const faultsOf = (issues: readonly Issue[], value: unknown, path: Path): Fault[] =>
  issues.map((issue) => faultOf(sharpest(issue), value, path));

/** A union reports each of its forms: the one that came furthest says best what was meant. */
export function sharpest(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const [best] = issue.errors
    .flatMap((form) => form.slice(0, 1).map(sharpest))
    .toSorted((a, b) => rank(b) - rank(a));
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

function rank(issue: Issue): number {
  const depth = issue.path.length * 4;
  if (issue.code === "custom") return depth + 3;
  if (issue.code === "invalid_type") return depth;
  return depth + (issue.code === "invalid_value" ? 1 : 2);
}

function faultOf(issue: Issue, value: unknown, base: Path): Fault {
  const path = [...base, ...(issue.path as Path)];
  const field = path.findLast((step) => typeof step === "string") ?? "the message";
  const given = issue.path.reduce<unknown>(
    (part, step) => (part as Record<PropertyKey, unknown> | null | undefined)?.[step],
    value,
  );
  const fault = (code: ErrorCode, message: string, hint: string, valid?: readonly string[]) => ({
    code,
    message,
    hint,
    path,
    ...(valid ? { valid } : {}),
  });
  if (issue.code === "custom") {
    const { code = "bad_field", hint = "", valid } = (issue.params ?? {}) as Partial<Fault>;
    return fault(code, `${field}: ${issue.message}`, hint, valid);
  }
  const valid = issue.code === "invalid_value" ? issue.values.map(String) : undefined;
  if (given === undefined)
    return fault("missing_field", `${field} is missing`, `Add ${field}.`, valid);
  switch (issue.code) {
    case "invalid_value":
      return fault(
        "bad_field",
        `${field}: none of its values`,
        `Use one of ${valid!.join(", ")}.`,
        valid,
      );
    case "too_small":
      return issue.minimum === 1 && issue.origin !== "number"
        ? fault("bad_field", `${field} is empty`, `Write something into ${field}.`)
        : fault("bad_field", `${field} is too small`, `Give at least ${issue.minimum}.`);
    case "too_big":
      return fault(
        "bad_field",
        `${field} is too large`,
        `Give at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}.`,
      );
    case "invalid_type":
      return fault(
        "bad_field",
        `${field} has the wrong form`,
        `Give ${EXPECTED[issue.expected] ?? "another value"}.`,
      );
    default:
      return fault("bad_field", `${field} has the wrong form`, "See the protocol for this field.");
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};
