/**
 * Writes one JSON line for each event, for the operator. Fields are ids, codes and counts, never a body, a key, a
 * token or a link. Texts are redacted as well, so that a mistake in one call does not record a secret.
 */
import { redact } from "./redact.ts";

type Field = string | number | boolean | undefined;

export function log(event: string, fields: Readonly<Record<string, Field>> = {}): void {
  const redacted = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? redact(value) : value,
  ]);
  const at = new Date().toISOString();
  console.log(JSON.stringify({ event, at, ...Object.fromEntries(redacted) }));
}

const MAX_FRAMES = 8;
/** Matches `at handler (index.js:12:3)`: a frame ends with a position, which lines of a message rarely do. */
const FRAME_PATTERN = /^\s+at .*:\d+:\d+\)?$/;

/** Extracts the frames of the stack. The message is removed first, since it may quote lines that look like frames. */
function extractFrames({ message, stack = "" }: Error): string[] {
  const found = message === "" ? -1 : stack.indexOf(message);
  const afterMessage = found === -1 ? stack : stack.slice(found + message.length);
  return afterMessage.split("\n").filter((line) => FRAME_PATTERN.test(line));
}

/** Logs a defect: where it was thrown, without its message. */
export function logDefect(error: unknown, fields: Readonly<Record<string, Field>> = {}): void {
  const name = error instanceof Error ? error.name : typeof error;
  const frames = error instanceof Error ? extractFrames(error).slice(0, MAX_FRAMES) : [];
  log("defect", { ...fields, name, at_frames: frames.join("\n") });
}
