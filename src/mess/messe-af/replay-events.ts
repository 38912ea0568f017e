/** One document of a thread, as the fold reads it. */
import { isMap } from "../json.ts";
import { splitTarget } from "../refs.ts";
import type { Block, StatusUpdate } from "../wire/schema.ts";
import type { ReadDocument } from "./read-document.ts";

export interface ReplayEvent {
  by: string;
  at: string;
  name: string | undefined;
  /** The message that it is about, where its `re` names one. */
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

/** What the sender says of a status, for the history. */
export function getNote({ message, reason }: StatusUpdate): string | undefined {
  if (message !== undefined) return message;
  if (typeof reason === "string") return reason;
  const detail = isMap(reason) ? reason.detail : undefined;
  return typeof detail === "string" ? detail : undefined;
}

/** After these the exchange may offer the thread again at once, in a message of its own. */
export const releasesThread = (block: Block, isHeld: boolean): boolean =>
  block.type === "status" &&
  (block.body.code === "delegated" ||
    (block.body.code === "failed" && block.body.recoverable === true) ||
    ((block.body.code === "declined" || block.body.code === "cancelled") && isHeld));
