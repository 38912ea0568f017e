/** Parses a message and the files that it names from one `multipart/form-data` body. */
import type { RawMessage } from "../../exchange/exchange.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { cutFileName } from "../../mess/file-names.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { readBytes } from "./request-body.ts";

/** Maximum bytes of the whole body, which is held in memory. Larger files are uploaded one by one, as streams. */
export const MAX_MULTIPART_BYTES = 25 * 1024 * 1024;
const MAX_PARTS = 64;

const refuseMultipart = (message: string, hint: string): Outcome<never> =>
  refuse("bad_multipart", message, hint);

type MultipartFiles = NonNullable<RawMessage["files"]>;

/** Parses the form; refuses a body that is not valid multipart/form-data. */
export async function readForm(request: Request): Promise<Outcome<FormData>> {
  const bytes = await readBytes(request, MAX_MULTIPART_BYTES);
  if (!bytes.ok) return bytes;
  const boundary = readBoundary(request.headers.get("Content-Type") ?? "");
  if (boundary === undefined) return refuseNoForm();
  // The last delimiter closes the form.
  if (countDelimiters(bytes.value, boundary, MAX_PARTS + 2) > MAX_PARTS + 1)
    return refuseMultipart(
      `the form has more than ${MAX_PARTS} parts`,
      "Send the files in several messages.",
    );
  // Rebuild the header, so that the parser uses the same boundary as the count above.
  const headers = { "Content-Type": `multipart/form-data; boundary="${boundary}"` };
  try {
    return ok(await new Response(bytes.value, { headers }).formData());
  } catch {
    return refuseNoForm();
  }
}

const refuseNoForm = (): Outcome<never> =>
  refuseMultipart(
    "the body is not multipart/form-data",
    "Check the boundary and the parts' headers.",
  );

/** Reads the boundary of a `Content-Type`: at most 70 characters (RFC 2046, section 5.1.1). */
function readBoundary(type: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(type) ?? [];
  const boundary = quoted ?? plain ?? "";
  return /^[!#-[\]-~][ !#-[\]-~]{0,69}$/.test(boundary) ? boundary : undefined;
}

const LINE_FEED = 10;

/**
 * Counts lines that begin with the delimiter, and stops at `maxCount`. The parser allocates an object for each part, so
 * the count comes first. One pass, linear for any content.
 */
function countDelimiters(body: Uint8Array, boundary: string, maxCount: number): number {
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  let count = 0;
  /** Number of delimiter bytes matched at the start of this line; -1 if the line cannot match. */
  let matched = 0;
  for (let at = 0; at < body.length && count < maxCount; at++) {
    if (body[at] === LINE_FEED) matched = 0;
    else if (matched >= 0) matched = body[at] === delimiter[matched] ? matched + 1 : -1;
    if (matched < delimiter.length) continue;
    count += 1;
    matched = -1;
  }
  return count;
}

/** Returns the form's files by file name. */
export async function readFiles(form: FormData): Promise<Outcome<MultipartFiles>> {
  const files: MultipartFiles[number][] = [];
  for (const [field, value] of form.entries()) {
    if (typeof value === "string" || field === "message") continue;
    const name = cutFileName(value.name);
    if (name === "" || files.some((file) => file.name === name))
      return refuseMultipart(
        "a file has no name, or two files have the same name",
        "Give every file a unique file name.",
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

/** Splits the form into the `message` part and the files. */
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
