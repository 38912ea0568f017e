/** Reads what the sign-in pages send: small forms and small JSON bodies, from our own pages only. */
import type { WorkerSecret } from "../../../auth/worker-secret.ts";
import { isValidFormToken } from "../../../auth/people/csrf-token.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import { readUtf8, readMediaType, readBytes } from "../../http/request-body.ts";

const MAX_FORM_BYTES = 32 * 1024;

const refuseForeignForm = () =>
  refuse(
    "unsafe_message",
    "this form did not come from a page of this exchange in this browser",
    "Open the page again and send its form, with cookies allowed.",
  );

/** The fields of a form. Without `secret`, another token identifies the form. */
export async function readForm(
  request: Request,
  secret: WorkerSecret | undefined,
): Promise<Outcome<URLSearchParams>> {
  if (readMediaType(request) !== "application/x-www-form-urlencoded")
    return refuse("unsupported_media_type", "the body is not a form", "Send the form of the page.");
  const text = await readBoundedText(request);
  if (!text.ok) return text;
  const form = new URLSearchParams(text.value);
  if (secret === undefined) return ok(form);
  return (await isValidFormToken(secret, request, form.get("form") ?? undefined))
    ? ok(form)
    : refuseForeignForm();
}

/** The JSON that a page's script sends, with the page's form token. */
export async function readJsonBody(
  request: Request,
  secret: WorkerSecret,
): Promise<Outcome<Record<string, unknown>>> {
  if (readMediaType(request) !== "application/json")
    return refuse(
      "unsupported_media_type",
      "the body is not JSON",
      "Send the request from the page's own script.",
    );
  const text = await readBoundedText(request);
  if (!text.ok) return text;
  const value = parseObject(text.value);
  const token = value?.["form"];
  if (!value || typeof token !== "string" || !(await isValidFormToken(secret, request, token)))
    return refuseForeignForm();
  return ok(value);
}

async function readBoundedText(request: Request): Promise<Outcome<string>> {
  const bytes = await readBytes(request, MAX_FORM_BYTES);
  return bytes.ok ? readUtf8(bytes.value) : bytes;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
