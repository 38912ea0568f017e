/**
 * Determines a file's type by its first bytes. It recognizes every type that a browser may show inline, so that a
 * sender cannot declare a harmless type for other content.
 */
import { readMime } from "../mess/wire/content/data-uri.ts";

/** Bytes from the start of a file that `sniffMime` needs. */
export const SNIFF_BYTES = 64;

const UNKNOWN_MIME = "application/octet-stream";

type Sniffer = readonly [mime: string, matches: (head: string, declared: string) => boolean];

const HEIC_BRANDS = /^(?:heic|heix|heim|heis|hevc|hevx)$/;
const MP4_BRANDS = /^(?:iso[m2-9]|mp4[12]|avc1|dash|M4V |M4VH|MSNV|mmp4|f4v )$/;
const AUDIO_MP4_BRANDS = /^(?:M4A |M4B )$/;

/** Reads the main brand of an ISO media file, such as `isom`. */
const readBrand = (head: string): string => (head.slice(4, 8) === "ftyp" ? head.slice(8, 12) : "");
const isAudio = (mime: string): boolean => mime.startsWith("audio/");
const isMatroska = (head: string): boolean => head.startsWith("\x1a\x45\xdf\xa3");
const isWebm = (head: string): boolean => isMatroska(head) && head.includes("webm");

/** The first match counts. A head has one character for each byte. */
const SNIFFERS: readonly Sniffer[] = [
  ["image/png", (head) => head.startsWith("\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (head) => head.startsWith("\xff\xd8\xff")],
  ["image/gif", (head) => /^GIF8[79]a/.test(head)],
  ["image/webp", (head) => head.startsWith("RIFF") && head.slice(8, 12) === "WEBP"],
  ["application/pdf", (head) => head.startsWith("%PDF-")],
  ["audio/mpeg", (head) => /^(?:ID3|\xff[\xfa\xfb\xf2\xf3\xe2\xe3])/.test(head)],
  ["image/heic", (head) => HEIC_BRANDS.test(readBrand(head))],
  ["image/heic", (head) => /^m(?:if|sf)1$/.test(readBrand(head)) && head.includes("heic", 12)],
  ["video/quicktime", (head) => readBrand(head) === "qt  "],
  ["audio/mp4", (head) => AUDIO_MP4_BRANDS.test(readBrand(head))],
  ["audio/mp4", (head, declared) => MP4_BRANDS.test(readBrand(head)) && isAudio(declared)],
  ["video/mp4", (head) => MP4_BRANDS.test(readBrand(head))],
  ["audio/webm", (head, declared) => isWebm(head) && isAudio(declared)],
  ["video/webm", isWebm],
];

const SNIFFABLE_MIMES: ReadonlySet<string> = new Set(SNIFFERS.map(([mime]) => mime));

/** Types that a browser may show inline: verified by their bytes and without scripts. Never SVG and HTML. */
const INLINE_MIMES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "audio/mpeg",
  "audio/mp4",
  "audio/webm",
  "video/webm",
  "video/mp4",
]);

/** True for a type from `sniffMime` that may be shown inline. */
export const isInlineMime = (mime: string): boolean => INLINE_MIMES.has(mime);

/**
 * Returns the MIME type to store: the type of the first bytes, else the declared type in lower case without
 * parameters. A declared type that is invalid or contradicts the bytes becomes `application/octet-stream`.
 * @param head at least `SNIFF_BYTES` bytes of the file, or all of them
 */
export function sniffMime(head: Uint8Array, declared: string): string {
  const bytes = String.fromCharCode(...head.subarray(0, SNIFF_BYTES));
  const declaredMime = readMime(declared) ?? UNKNOWN_MIME;
  const found = SNIFFERS.find(([, matches]) => matches(bytes, declaredMime));
  if (found) return found[0];
  return SNIFFABLE_MIMES.has(declaredMime) ? UNKNOWN_MIME : declaredMime;
}
