/** Shows a group to a person in a browser. Nothing is marked as read, and nothing counts as a sign of life. */
import type { Principal } from "../../auth/principal.ts";
import type { ViewedGroup } from "../../contracts/groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseGroupNotFound } from "../../mess/groups/refusals.ts";
import { GROUP_LIMITS } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import { listChannels, toRanges } from "../member-pairs.ts";
import type { GroupStore } from "../tables/group-store.ts";
import { loadPage, mergeSeqs } from "./load-page.ts";
import { listVisibleMembers } from "../resolve-caller.ts";
import { showMessage } from "./show-message.ts";
import { showStatus } from "./status-view.ts";

const PAGE_MESSAGES = GROUP_LIMITS.pageMessages;

export function viewGroup(
  store: GroupStore,
  viewer: Principal,
  { before = Number.MAX_SAFE_INTEGER }: { before?: number },
  now: number,
): Outcome<ViewedGroup> {
  if (store.roster.read()?.household !== viewer.household) return refuseGroupNotFound();
  const isOwner = viewer.role === "owner";
  const own = listVisibleMembers(store, viewer);
  if (!isOwner && own.length === 0) return refuseGroupNotFound();
  const channels = own.flatMap((member) => listChannels(store, member));
  // Two members of one person share a channel, whose messages are found twice.
  const seqs = isOwner
    ? store.messages.listAllSeqs(before, PAGE_MESSAGES + 1)
    : [
        ...new Set(mergeSeqs(store, toRanges(channels, { before }), "newest", 2 * PAGE_MESSAGES)),
      ].slice(0, PAGE_MESSAGES + 1);
  const { stored, more } = loadPage(store, seqs, PAGE_MESSAGES);
  return ok({
    ...showStatus(store, isOwner ? undefined : own.map(({ key }) => key), now),
    page: { messages: stored.map((message) => showMessage(store, message)), more },
  });
}
