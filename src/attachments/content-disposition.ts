/** Writes `Content-Disposition` for files with untrusted names (RFC 6266, RFC 8187). */
import { cutFileName } from "../mess/file-names.ts";
import { strip, WHITE_SPACE } from "../mess/strip.ts";

/** Characters of the original name. */
const MAX_NAME_CHARS = 150;

/**
 * Writes `attachment; filename="att-002-file-plan.pdf"; filename*=UTF-8''plan.pdf`. The first name is ASCII without
 * quotes; the second is the original name without characters that are unsafe in a header or a file system.
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

/** Returns the last path segment without control, bidi and invisible characters and those that shells expand. */
function sanitizeName(original: string): string {
  const base = cutFileName(original).split(/[/\\]/).at(-1) ?? "";
  const plain = base.replaceAll(/\p{C}+/gu, "").replaceAll(/[:*?"<>|$`%;]+/g, "_");
  const clean = strip(plain, `.${WHITE_SPACE}`);
  const characters = Array.from(clean);
  if (characters.length <= MAX_NAME_CHARS) return clean;
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(clean)?.[0] ?? "";
  return characters.slice(0, MAX_NAME_CHARS - extension.length).join("") + extension;
}

/** Encodes RFC 8187 `value-chars`: also escapes the reserved characters that `encodeURIComponent` keeps. */
const encodeValueChars = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
