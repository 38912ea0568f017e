/** The protocol version of a message: 1.1.0 where it uses a field that version 1.1 added (decision 77). */
import { isMap, type Json, type JsonMap } from "../json.ts";
import { isMedia } from "./content/media.ts";
import type { Block, Message } from "./schema.ts";

const VERSION = "1.1.0";
const FIRST_MINOR = 1;

/** Hints that name an entry type. */
const isTypeHint = (word: string): boolean =>
  isMedia(word) || word === "text" || word === "location" || word === "confirmation";

const usesTypeHint = (hint: Json): boolean =>
  typeof hint === "string" ? isTypeHint(hint) : isMap(hint) && Object.keys(hint).some(isTypeHint);

function findEntryField(entries: Json | undefined): string | undefined {
  if (!Array.isArray(entries)) return undefined;
  const maps = entries.filter(isMap);
  if (maps.some(({ location }) => location !== undefined)) return "location";
  return maps.some(({ confirmation }) => isMap(confirmation)) ? "confirmation" : undefined;
}

/** The first field of the block that version 1.0 does not have. */
function findNewField({ type, body }: Block): string | undefined {
  const { context, content } = body as JsonMap;
  if (type === "status" && body.estimate !== undefined) return "estimate";
  if (type === "request") {
    if (body.needed_by !== undefined) return "needed_by";
    if (body.confirm_before !== undefined) return "confirm_before";
    if (body.response_hint?.some(usesTypeHint)) return "response_hint";
  }
  return findEntryField(context) ?? findEntryField(content);
}

const readMinor = (version: string): number => Number(/^\d+\.(\d+)/.exec(version)?.[1] ?? 0);

interface VersionedMessage {
  message: Message;
  /** Present where the sender stated a lower version. */
  warning?: string;
}

/** Returns the message with the version that its fields need; a higher one that the sender stated is kept. */
export function raiseVersion(message: Message): VersionedMessage {
  const { v } = message;
  if (v !== undefined && readMinor(v) >= FIRST_MINOR) return { message };
  const field = message.blocks.map(findNewField).find((name) => name !== undefined);
  if (field === undefined) return { message };
  return {
    message: { ...message, v: VERSION },
    ...(v === undefined
      ? {}
      : { warning: `v: ${v} was raised to ${VERSION}, the first version with the field ${field}` }),
  };
}
