/** One page of a source's messages, the newest first. */
import type {
  MessageQuery,
  NewSourceMessages,
  SourceMessagePage,
} from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { showSummary } from "./show-message.ts";

/** A cursor is the position of the last message of the previous page. */
const CURSOR_PATTERN = /^[1-9]\d{0,14}$/;

export function listMessages(
  store: SourceStore,
  { from, to, cursor, limit, ...filter }: MessageQuery,
): Outcome<SourceMessagePage> {
  if (cursor !== undefined && !CURSOR_PATTERN.test(cursor))
    return refuse(
      "bad_parameter",
      "the cursor is not valid",
      "Pass next_cursor of the previous page unchanged, or leave it out to start again.",
      { path: "cursor" },
    );
  const after = from === undefined ? 0 : store.messages.findFirstSince(from) - 1;
  const end = to === undefined ? Number.MAX_SAFE_INTEGER : store.messages.findFirstSince(to);
  const before = cursor === undefined ? end : Math.min(end, Number(cursor));
  const size = Math.max(1, Math.min(limit, SOURCE_LIMITS.pageMessages));
  const found = store.messages.list(filter, after, before, size + 1);
  const shown = found.slice(0, size);
  const last = shown.at(-1);
  return ok({
    messages: shown.map((message) => showSummary(store.get(), message)),
    ...(found.length > size && last ? { next_cursor: String(last.seq) } : {}),
  });
}

/** The oldest messages after the position, so that none is missed by who continues after the last one. */
export function listAfter(
  store: SourceStore,
  position: number | undefined,
  limit: number,
): NewSourceMessages {
  const { newest } = store.state.get();
  const start = Math.min(position ?? newest, newest);
  const size = Math.max(1, Math.min(limit, SOURCE_LIMITS.pageMessages));
  const found = store.messages.listAfter(start, size + 1);
  const shown = found.slice(0, size);
  return {
    messages: shown.map((message) => showSummary(store.get(), message)),
    position: shown.at(-1)?.seq ?? start,
    more: found.length > size,
  };
}
