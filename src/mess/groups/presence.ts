/** When a member of an AI group or pool counts as online. */
import { OFFLINE_AFTER_MS } from "./vocabulary.ts";

/** @param lastSeen the last sign of life, in milliseconds since 1970; undefined without one */
export const isOnline = (lastSeen: number | undefined, now: number): boolean =>
  lastSeen !== undefined && lastSeen + OFFLINE_AFTER_MS > now;
