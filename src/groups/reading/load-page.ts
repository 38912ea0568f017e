/** Loads messages by their positions, up to the limits of one page. */
import type { GroupMessage } from "../../contracts/groups.ts";
import { GROUP_LIMITS } from "../../mess/groups/vocabulary.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { SeqRange, StoredMessage } from "../tables/message-table.ts";
import { showMessage } from "./show-message.ts";

export interface LoadedPage {
  stored: StoredMessage[];
  more: boolean;
}

/** The number of messages in a page: the one that the call asks for, within the limits. */
export const limitPage = (limit: number = GROUP_LIMITS.defaultPageMessages): number =>
  Math.min(Math.max(1, Math.trunc(limit)), GROUP_LIMITS.pageMessages);

/** The positions of all ranges in one order. One more than the limit shows that there are more. */
export function mergeSeqs(
  { messages }: GroupStore,
  ranges: readonly SeqRange[],
  order: "oldest" | "newest",
  limit: number,
): number[] {
  return ranges
    .flatMap((range) => messages.listSeqs(range, order, limit + 1))
    .toSorted((one, other) => (order === "oldest" ? one - other : other - one))
    .slice(0, limit + 1);
}

/** The first message is loaded whole, however long it is. */
export function loadPage(
  { messages }: GroupStore,
  seqs: readonly number[],
  limit: number,
): LoadedPage {
  const stored: StoredMessage[] = [];
  let chars = 0;
  for (const seq of seqs.slice(0, limit)) {
    const message = messages.get(seq)!;
    chars += message.content.length;
    if (stored.length > 0 && chars > GROUP_LIMITS.pageChars) break;
    stored.push(message);
  }
  return { stored, more: stored.length < seqs.length };
}

/** Call it before the messages are marked as read: each shows whether its reader had read it before. */
export const showPage = (
  store: GroupStore,
  { stored }: LoadedPage,
  reader?: string,
): GroupMessage[] => stored.map((message) => showMessage(store, message, reader));
