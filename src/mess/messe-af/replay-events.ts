/** One document of a thread, as the replay reads it. */
import { isMap } from "../json.ts";
import { splitTarget } from "../refs.ts";
import type { Block, StatusUpdate } from "../wire/schema.ts";
import type { ReadDocument } from "./read-document.ts";

export interface ReplayEvent {
  by: string;
  at: string;
  name: string | undefined;
  /** Name of the message in its `re`, if it names one. */
  about: string | undefined;
  index: number;
  blocks: readonly Block[];
}

export const toReplayEvent = (
  { document: { from, received, re }, blocks }: ReadDocument,
  name: string | undefined,
  index: number,
): ReplayEvent => ({
  by: from,
  at: received,
  name,
  about: re === undefined ? undefined : splitTarget(re).message,
  index,
  blocks,
});

/** Returns the sender's text about a status, for the history. */
export function getNote({ message, reason }: StatusUpdate): string | undefined {
  if (message !== undefined) return message;
  if (typeof reason === "string") return reason;
  const detail = isMap(reason) ? reason.detail : undefined;
  return typeof detail === "string" ? detail : undefined;
}

/**
 * True for blocks after which the exchange may immediately offer the thread again, in a separate message.
 * @param hadClaim the block's sender held the thread, or had asked before a claim (decision 22)
 */
export const releasesThread = (block: Block, hadClaim: boolean): boolean =>
  block.type === "status" &&
  (block.body.code === "delegated" ||
    (block.body.code === "failed" && block.body.recoverable === true) ||
    ((block.body.code === "declined" || block.body.code === "cancelled") && hadClaim));
