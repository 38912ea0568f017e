/**
 * Control characters in texts. `scanText` refuses them in a body as it was sent; here they are found where the body
 * wrote them as escapes (`\u0000` in JSON, `\0` in YAML), and removed from texts of channels.
 */
import type { Json } from "../json.ts";
import type { BodyError } from "./body-errors.ts";
import type { Path } from "./syntax/source-document.ts";

/** All of C0 but tab, line feed and carriage return. */
// oxlint-disable-next-line no-control-regex
const CONTROL_PATTERN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const CONTROLS_PATTERN = new RegExp(CONTROL_PATTERN, "g");

/** Returns the error for the first text or key with a control character. */
export function checkControls(value: Json, path: Path): BodyError | undefined {
  if (typeof value === "string")
    return CONTROL_PATTERN.test(value) ? buildControlError(path) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (typeof key === "string" && CONTROL_PATTERN.test(key)) return buildControlError(path);
    const error = checkControls(member, [...path, key]);
    if (error) return error;
  }
  return undefined;
}

const buildControlError = (path: Path): BodyError => ({
  code: "bad_encoding",
  message: "a text contains a control character",
  hint: "Leave it out; put binary data into an attachment.",
  path,
});

/** Removes control characters at every depth, for messages whose sender cannot correct them. */
export function stripControls<T>(value: T): T {
  if (typeof value === "string") return value.replaceAll(CONTROLS_PATTERN, "") as T;
  if (Array.isArray(value)) return value.map((item: unknown) => stripControls(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [stripControls(key), stripControls(member)]),
  ) as T;
}
