/** Names of IMAP folders are ASCII: other characters are written in a form of UTF-7 (RFC 3501, 5.1.3). */
import { encodeBase64 } from "../../bytes.ts";

const OTHER_CHARACTERS = /[^\x20-\x7e]+/g;

export const encodeFolderName = (name: string): string =>
  name.replaceAll("&", "&-").replaceAll(OTHER_CHARACTERS, (text) => {
    const bytes = new Uint8Array(text.length * 2);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      bytes.set([unit >> 8, unit & 0xff], at * 2);
    }
    const base64 = encodeBase64(bytes).replaceAll("=", "").replaceAll("/", ",");
    return `&${base64}-`;
  });
