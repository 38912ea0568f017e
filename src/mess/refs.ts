/** Builds and parses refs of threads, messages and attachments (decisions 5–12, 61, 62). */
import { defined } from "./defined.ts";
import { cutFileName } from "./file-names.ts";
import { LIMITS } from "./limits.ts";
import { strip, stripEnd } from "./strip.ts";
import type { Block } from "./wire/schema.ts";

const THREAD_REF_PATTERN = /^(\d{4}-\d{2}-\d{2})-(\d{3,})(?:-([a-z0-9]+(?:-[a-z0-9]+)*))?$/;

/** Kinds of message in message refs. The first kind in this list that a document has names it (decision 12). */
const MESSAGE_KINDS = [
  "response",
  "question",
  "cancel",
  "answer",
  "claim",
  "followup",
  "suggestion",
  "review",
  "status",
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number] | "message";

export interface ThreadRef {
  /** `2026-02-01` */
  day: string;
  serial: number;
  slug?: string;
}

/** Converts a client's id to lower kebab case of at most 32 characters; empty when nothing is left (decision 8). */
export function toSlug(id: string | undefined): string {
  const plain = (id ?? "")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return stripEnd(strip(plain.slice(0, LIMITS.slugChars + 1), "-").slice(0, LIMITS.slugChars), "-");
}

const padSerial = (serial: number): string => String(serial).padStart(3, "0");
const appendSlug = (stem: string, id: string | undefined): string => {
  const slug = id === undefined ? "" : toSlug(id);
  return slug ? `${stem}-${slug}` : stem;
};

/** Builds a thread ref such as `2026-02-01-003-check-fridge` (decisions 5 and 6). */
export const buildThreadRef = (day: string, serial: number, id?: string): string =>
  appendSlug(`${day}-${padSerial(serial)}`, id);

/** Parses a ref in the written form; undefined for any other accepted name. */
export function parseThreadRef(ref: string): ThreadRef | undefined {
  const found = THREAD_REF_PATTERN.exec(ref);
  if (!found) return undefined;
  const [, day, serial, slug] = found;
  return { day: day!, serial: Number(serial), ...defined({ slug }) };
}

/** Builds the part of a message ref after the thread, such as `response-002-inventory` (protocol §10.2). */
export const buildMessageName = (kind: MessageKind, serial: number, id?: string): string =>
  appendSlug(`${kind}-${padSerial(serial)}`, id);

/** Splits `{thread}/{message}`; `message` is absent where the target is a thread. */
export function splitTarget(target: string): { thread: string; message?: string } {
  const slash = target.indexOf("/");
  return slash < 0
    ? { thread: target }
    : { thread: target.slice(0, slash), message: target.slice(slash + 1) };
}

function getBlockKind(block: Block): MessageKind {
  switch (block.type) {
    case "reply":
    case "answer":
      return "answer";
    case "status":
      if (block.body.code === "claimed") return "claim";
      return block.body.code === "needs_input" || block.body.code === "needs_confirmation"
        ? "question"
        : "status";
    case "response":
    case "cancel":
    case "followup":
    case "suggestion":
    case "review":
      return block.type;
    default:
      return "message";
  }
}

/** Returns the kind of a document with these blocks (decisions 11 and 12). */
export function getMessageKind(blocks: readonly Block[]): MessageKind {
  const present = blocks.map(getBlockKind);
  return MESSAGE_KINDS.find((kind) => present.includes(kind)) ?? "message";
}

/** Returns the sender's id of a message: that of its first block with an id, or of its only question (decision 15). */
export function findSenderId(blocks: readonly Block[]): string | undefined {
  for (const block of blocks) {
    if ("id" in block.body && typeof block.body.id === "string") return block.body.id;
    if (block.type === "status" && block.body.questions?.length === 1) {
      const [only] = block.body.questions;
      if (only && !/^q\d+$/.test(only.id ?? "")) return only.id;
    }
  }
  return undefined;
}

/** Removes path, spaces and special characters from an original file name; never empty, at most 90 characters. */
export function toSafeFileName(original: string | undefined, mime: string): string {
  const base =
    cutFileName(original ?? "")
      .split(/[/\\]/)
      .at(-1) ?? "";
  const plain = base
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "_")
    .replaceAll(/\.{2,}/g, ".");
  const clean = strip(plain, "._-");
  const extension = EXTENSION_BY_MIME[mime.split(";")[0]!.trim().toLowerCase()] ?? "bin";
  const stem = clean.slice(0, 80) || "file";
  const named = /\.[A-Za-z0-9]{1,8}$/.test(stem) ? stem : `${stem}.${extension}`;
  // The import refuses an archive inside an archive, so a zip is stored with another extension.
  return /\.zip$/i.test(named) ? `${named}.bin` : named;
}

const EXTENSION_BY_MIME: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/heic": "heic",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/mp4": "m4a",
  "audio/webm": "weba",
  "audio/ogg": "ogg",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "application/pdf": "pdf",
  "application/json": "json",
  "application/zip": "zip",
  "text/plain": "txt",
  "text/markdown": "md",
  "text/csv": "csv",
  "text/html": "html",
};

export type AttachmentKind = "image" | "audio" | "video" | "file";

/** Returns the type prefix of an attachment's name for a MIME type. */
export function getAttachmentKind(mime: string): AttachmentKind {
  const family = mime.split("/")[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

/**
 * Builds an attachment name such as `att-002-image-fridge.jpg`, with `-2`, `-3` before the extension while the
 * name is taken (decision 61). The request's serial is 0 (decision 10).
 */
export function buildAttachmentName(
  serial: number,
  kind: AttachmentKind,
  original: string | undefined,
  mime: string,
  isTaken: (name: string) => boolean,
): string {
  const file = toSafeFileName(original, mime);
  const dot = file.lastIndexOf(".");
  for (let copy = 1; ; copy++) {
    const suffix = copy === 1 ? "" : `-${copy}`;
    const name = `att-${padSerial(serial)}-${kind}-${file.slice(0, dot)}${suffix}${file.slice(dot)}`;
    if (!isTaken(name)) return name;
  }
}
