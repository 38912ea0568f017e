/**
 * The budget of members who send messages through links. It is the member's and not the link's, since each notice
 * has a new link. So a link that got into wrong hands cannot fill the thread.
 */
import type { MessError } from "../errors.ts";
import { type QuotaLimits, refuseQuota } from "../quotas.ts";
import type { ThreadState } from "./state.ts";

export type LinkLimits = Pick<QuotaLimits, "link_messages_per_thread" | "link_bytes_per_thread">;

/** The messages of a member through links. */
export interface LinkMessages {
  actor: string;
  messages: number;
  bytes: number;
}

/** Counts a message of this size in the state; refused beyond the budget. */
export function countLinkMessage(
  state: ThreadState,
  actor: string,
  bytes: number,
  limits: LinkLimits,
): MessError | undefined {
  const used = (state.link_use ??= []);
  const before = used.find((one) => one.actor === actor);
  const use = before ?? { actor, messages: 0, bytes: 0 };
  if (!before) used.push(use);
  use.messages += 1;
  use.bytes += bytes;
  if (use.messages > limits.link_messages_per_thread)
    return refuseQuota("link_messages_per_thread", limits.link_messages_per_thread).error;
  if (use.bytes > limits.link_bytes_per_thread)
    return refuseQuota("link_bytes_per_thread", limits.link_bytes_per_thread).error;
  return undefined;
}
