/** A message with the files that it names, as one `multipart/form-data` body. */
import type { RawMessage } from "../../exchange/exchange.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { cutFileName } from "../../mess/file-names.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { readBytes } from "./request-body.ts";

/** Bytes of a whole body: it is held in memory. Larger files are uploaded one by one, as streams. */
export const MAX_MULTIPART_BYTES = 25 * 1024 * 1024;
const MAX_PARTS = 64;

const refuseMultipart = (message: string, hint: string): Outcome<never> =>
  refuse("bad_multipart", message, hint);

type MultipartFiles = NonNullable<RawMessage["files"]>;

/** The form's fields, or a refusal of what is no form. */
export async function readForm(request: Request): Promise<Outcome<FormData>> {
  const bytes = await readBytes(request, MAX_MULTIPART_BYTES);
  if (!bytes.ok) return bytes;
  const boundary = boundaryOf(request.headers.get("Content-Type") ?? "");
  if (boundary === undefined) return noForm();
  // The last delimiter ends the form.
  if (countDelimiters(bytes.value, boundary, MAX_PARTS + 2) > MAX_PARTS + 1)
    return refuseMultipart(
      `the form has more than ${MAX_PARTS} parts`,
      "Send the files in several messages.",
    );
  // Written again, so that the parts are parsed by the boundary by which they were counted.
  const headers = { "Content-Type": `multipart/form-data; boundary="${boundary}"` };
  try {
    return ok(await new Response(bytes.value, { headers }).formData());
  } catch {
    return noForm();
  }
}

const noForm = (): Outcome<never> =>
  refuseMultipart(
    "the body is not multipart/form-data",
    "Check the boundary and the parts' headers.",
  );

/** The boundary of a `Content-Type`: at most 70 characters (RFC 2046, section 5.1.1). */
function boundaryOf(type: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(type) ?? [];
  const boundary = quoted ?? plain ?? "";
  return /^[!#-[\]-~][ !#-[\]-~]{0,69}$/.test(boundary) ? boundary : undefined;
}

const LINE_FEED = 10;

/**
 * Lines of the body that begin with the delimiter, counted up to `most`: a parser makes an object of each part before
 * anything can count them. One pass, whatever the content resembles.
 */
function countDelimiters(body: Uint8Array, boundary: string, most: number): number {
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  let count = 0;
  /** Bytes of the delimiter that the line has begun with; -1 where it began otherwise. */
  let matched = 0;
  for (let at = 0; at < body.length && count < most; at++) {
    if (body[at] === LINE_FEED) matched = 0;
    else if (matched >= 0) matched = body[at] === delimiter[matched] ? matched + 1 : -1;
    if (matched < delimiter.length) continue;
    count += 1;
    matched = -1;
  }
  return count;
}

/** The form's files under their own names. */
export async function readFiles(form: FormData): Promise<Outcome<MultipartFiles>> {
  const files: MultipartFiles[number][] = [];
  for (const [field, value] of form.entries()) {
    if (typeof value === "string" || field === "message") continue;
    const name = cutFileName(value.name);
    if (name === "" || files.some((file) => file.name === name))
      return refuseMultipart(
        "a file has no name, or that of another",
        "Give every file a file name of its own.",
      );
    files.push({
      name,
      mime: value.type || "application/octet-stream",
      size: value.size,
      body: new Uint8Array(await value.arrayBuffer()),
    });
  }
  return ok(files);
}

/** The `message` part, and the files beside it. */
export async function readMultipart(
  request: Request,
): Promise<Outcome<Pick<RawMessage, "text" | "files">>> {
  const form = await readForm(request);
  if (!form.ok) return form;
  const messages = form.value.getAll("message");
  const [message] = messages;
  if (message === undefined || messages.length > 1)
    return refuseMultipart(
      "the form needs exactly one part named message",
      "Put the MESS message, YAML or JSON, into a part named message.",
    );
  const text = typeof message === "string" ? message : await message.text();
  if (text.length > LIMITS.bodyBytes)
    return refuse("too_large", "the message part is too large", "Send its data as files.");
  const files = await readFiles(form.value);
  return files.ok ? ok({ text, files: files.value }) : files;
}
