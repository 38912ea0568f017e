/** Reads the bodies of the channels' services. */
import { decodeUtf8 } from "../../bytes.ts";

/** The JSON value; undefined if the text is not JSON. */
export function readJsonValue(text: string | undefined | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** The parameters of a form; none for a body of another type. */
export function readFormParameters(
  headers: Headers,
  body: Uint8Array,
): URLSearchParams | undefined {
  const type = (headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  return type === FORM_TYPE ? new URLSearchParams(decodeUtf8(body) ?? "") : undefined;
}

export const FORM_TYPE = "application/x-www-form-urlencoded";
