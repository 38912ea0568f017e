/** One page of a source's drafts, the newest first. */
import type { DraftView } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { type DraftState, SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { showDraft } from "./show-draft.ts";

/** A cursor is the position of the last draft of the previous page. */
const CURSOR_PATTERN = /^[1-9]\d{0,14}$/;

export function listDrafts(
  store: SourceStore,
  query: { state?: DraftState; cursor?: string; limit: number },
): Outcome<{ drafts: DraftView[]; next_cursor?: string }> {
  const { state, cursor, limit } = query;
  if (cursor !== undefined && !CURSOR_PATTERN.test(cursor)) return refuseCursor();
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  const size = Math.max(1, Math.min(limit, SOURCE_LIMITS.pageMessages));
  const found = store.drafts.list(state, before, size + 1);
  const shown = found.slice(0, size);
  return ok({
    drafts: shown.map((draft) => showDraft(store, draft)),
    ...(found.length > size ? { next_cursor: String(shown.at(-1)!.seq) } : {}),
  });
}

const refuseCursor = () =>
  refuse(
    "bad_parameter",
    "the cursor is not valid",
    "Pass next_cursor of the previous page unchanged, or leave it out to start again.",
    { path: "cursor" },
  );
