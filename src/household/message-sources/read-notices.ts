/** Notices of the sources that a caller may read. */
import type { Principal } from "../../auth/principal.ts";
import type { NoticeView } from "../../contracts/household-sources.ts";
import type { Stores } from "../stores.ts";
import { canAccess } from "./source-access.ts";
import { toNoticeView } from "./notice-table.ts";

export function listReadableNotices(
  { messageNotices, messageSources }: Stores,
  caller: Principal,
  after: number,
  limit: number,
): NoticeView[] {
  const names = messageSources.list().map(({ name }) => name);
  const readable = names.filter((name) => canAccess(caller, name, "read"));
  return messageNotices.listAfter(after, limit, readable).map(toNoticeView);
}
