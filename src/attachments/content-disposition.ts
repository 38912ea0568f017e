/** The `Content-Disposition` of a file that strangers named (RFC 6266, RFC 8187). */
import { cutFileName } from "../mess/file-names.ts";
import { strip, WHITE_SPACE } from "../mess/strip.ts";

/** Characters of the file's own name. */
const MAX_NAME_CHARS = 150;

/**
 * `attachment; filename="att-002-file-plan.pdf"; filename*=UTF-8''plan.pdf`. The plain name is ASCII without
 * quotes; the second keeps the file's own letters, but nothing that a file system or a header could take amiss.
 */
export function formatContentDisposition(
  disposition: "inline" | "attachment",
  name: string,
  original: string | undefined,
): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, "_").replace(/^\.+/, "") || "file";
  const own = sanitizeName(original ?? "");
  return `${disposition}; filename="${plain}"${own === "" ? "" : `; filename*=UTF-8''${encodeValueChars(own)}`}`;
}

/** The last path segment without control, bidi and invisible characters, and without those that shells expand. */
function sanitizeName(original: string): string {
  const base = cutFileName(original).split(/[/\\]/).at(-1) ?? "";
  const plain = base.replaceAll(/\p{C}+/gu, "").replaceAll(/[:*?"<>|$`%;]+/g, "_");
  const clean = strip(plain, `.${WHITE_SPACE}`);
  const signs = Array.from(clean);
  if (signs.length <= MAX_NAME_CHARS) return clean;
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(clean)?.[0] ?? "";
  return signs.slice(0, MAX_NAME_CHARS - extension.length).join("") + extension;
}

/** RFC 8187's `value-chars`: what `encodeURIComponent` leaves of them is escaped too. */
const encodeValueChars = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
