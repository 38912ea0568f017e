/** Compares the messages that were sent to the exchange and acknowledged with those that it stored. Pure. */
import { createHash } from "node:crypto";

/** A message that was sent: its text is the writer's name, the message's number, filler and a digest of these. */
export interface SentText {
  thread: string;
  text: string;
}

export interface AcknowledgedText extends SentText {
  /** The ref that the ack gave the message. */
  ref: string;
}

/** A message that the exchange stored, in the thread's order. */
export interface StoredText {
  ref: string;
  text: string;
}

const computeDigest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Builds a text with a digest, so that a missing part is detected. */
export function sealText(writer: string, number: number, filler: string): string {
  const text = `${writer} ${number} ${filler}`;
  return `${text} ${computeDigest(text)}`;
}

const isWhole = (text: string): boolean => {
  const at = text.lastIndexOf(" ");
  return computeDigest(text.slice(0, at)) === text.slice(at + 1);
};

const readSerial = (ref: string): number => Number(/\/[a-z]+-(\d{3,})(?:-|$)/.exec(ref)?.[1]);

/** Describes every difference between the thread and the acknowledged messages; empty if there is none. */
export function listViolations(
  kept: readonly StoredText[],
  acked: readonly AcknowledgedText[],
  sent: ReadonlySet<string>,
): string[] {
  const faults: string[] = [];
  const places = Map.groupBy(kept, ({ text }) => text);
  for (const { ref, text } of acked) {
    const found = places.get(text) ?? [];
    if (found.length === 0) faults.push(`lost: ${ref} ${shorten(text)}`);
    else if (found[0]?.ref !== ref) faults.push(`moved: ${ref} lies at ${found[0]?.ref}`);
  }
  for (const [text, found] of places) {
    if (!isWhole(text)) faults.push(`torn: ${found[0]?.ref} ${shorten(text)}`);
    else if (!sent.has(text)) faults.push(`never sent: ${found[0]?.ref} ${shorten(text)}`);
    if (found.length > 1) faults.push(`duplicated: ${found.map(({ ref }) => ref).join(", ")}`);
  }
  for (const [index, { ref }] of kept.entries())
    if (readSerial(ref) !== index + 1) faults.push(`gap: ${ref} is number ${index + 1}`);
  const last = new Map<string, number>();
  for (const { ref, text } of kept) {
    const [writer = "", number] = text.split(" ");
    if (Number(number) < (last.get(writer) ?? 0))
      faults.push(`out of order: ${ref} ${shorten(text)}`);
    last.set(writer, Number(number));
  }
  return faults;
}

const shorten = (text: string): string => text.slice(0, 24);
