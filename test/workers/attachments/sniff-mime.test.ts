import { describe, expect, it } from "vitest";
import { isInlineMime, sniffMime } from "../../../src/attachments/sniff-mime.ts";
import { encodeText } from "./support.ts";

const buildBox = (brand: string, rest = "") => `\0\0\0\x20ftyp${brand}\0\0\0\0${rest}`;
const webm = "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm";

describe("the type of a file", () => {
  it.each([
    ["PNG", "\x89PNG\r\n\x1a\n", "text/html", "image/png"],
    ["JPEG", "\xff\xd8\xff\xe0", "text/html", "image/jpeg"],
    ["GIF 87", "GIF87a", "", "image/gif"],
    ["GIF 89", "GIF89a", "", "image/gif"],
    ["WebP", "RIFF\x10\0\0\0WEBPVP8 ", "image/png", "image/webp"],
    ["PDF", "%PDF-1.7", "", "application/pdf"],
    ["MP3 with tags", "ID3\x04", "", "audio/mpeg"],
    ["MP3 without", "\xff\xfb\x90", "", "audio/mpeg"],
    ["M4A", buildBox("M4A "), "video/mp4", "audio/mp4"],
    ["MP4", buildBox("isom"), "image/png", "video/mp4"],
    ["MP4 of a voice recorder", buildBox("mp42"), "audio/x-m4a", "audio/mp4"],
    ["QuickTime", buildBox("qt  "), "video/mp4", "video/quicktime"],
    ["HEIC", buildBox("heic"), "image/jpeg", "image/heic"],
    ["HEIC by a compatible brand", buildBox("mif1", "mif1heic"), "", "image/heic"],
    ["WebM", webm, "", "video/webm"],
    ["WebM of a voice recorder", webm, "audio/webm;codecs=opus", "audio/webm"],
  ])("the type of a file is detected from its bytes: %s", (_name, head, declared, mime) => {
    expect(sniffMime(encodeText(head), declared)).toBe(mime);
  });

  it.each([
    ["plain text", "hello", "text/plain; charset=utf-8", "text/plain"],
    ["upper case", "a,b", "Text/CSV", "text/csv"],
    ["HTML", "<script>", "text/html", "text/html"],
    ["SVG", "<svg>", "image/svg+xml", "image/svg+xml"],
    ["AVIF, which is not told apart", buildBox("avif"), "image/avif", "image/avif"],
    ["no type", "hello", "", "application/octet-stream"],
    ["a type that is none", "hello", "text", "application/octet-stream"],
    ["a header in the type", "hello", "text/plain\r\nX: y", "application/octet-stream"],
  ])(
    "the type of a file is the declared one if its bytes do not show one: %s",
    (_name, head, declared, mime) => {
      expect(sniffMime(encodeText(head), declared)).toBe(mime);
    },
  );

  it.each(["image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/mp4"])(
    "the type of a file is unknown if it is declared as %s but its bytes are not",
    (declared) => {
      expect(sniffMime(encodeText("<html><script>alert(1)</script>"), declared)).toBe(
        "application/octet-stream",
      );
    },
  );

  it.each([
    ["nothing", ""],
    ["a cut head", "\x89PN"],
    ["Matroska that is no WebM", "\x1a\x45\xdf\xa3\x42\x82\x88matroska"],
    ["UTF-16 text", "\xff\xfeh\0i\0"],
    ["RIFF that is WAV", "RIFF\x10\0\0\0WAVEfmt "],
    ["the mark at another place", " \x89PNG\r\n\x1a\n"],
  ])("the type of a file is unknown for %s", (_name, head) => {
    expect(sniffMime(encodeText(head), "video/webm")).toBe("application/octet-stream");
  });

  it("files are shown inline only for types that cannot run scripts", () => {
    const shown = [
      "image/png",
      "image/jpeg",
      "image/webp",
      "image/gif",
      "audio/mpeg",
      "audio/mp4",
      "audio/webm",
      "video/webm",
      "video/mp4",
    ];
    const saved = ["image/svg+xml", "text/html", "application/pdf", "image/heic", "text/plain", ""];

    expect(shown.every(isInlineMime)).toBe(true);
    expect(saved.some(isInlineMime)).toBe(false);
  });
});
