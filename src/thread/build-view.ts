/** Builds a thread as a reader sees it. */
import type { ThreadView } from "../contracts/thread.ts";
import { buildEnvelope } from "../mess/thread/envelope.ts";
import { listOpenItems, type ThreadState } from "../mess/thread/state.ts";
import type { ThreadLog } from "./thread-log.ts";

export const buildView = (log: ThreadLog, state: ThreadState, after: number): ThreadView => ({
  ...buildHead(log, state),
  messages: log.readDocumentsAfter(after),
  open: listOpenItems(state),
});

export const buildHead = (
  log: ThreadLog,
  state: ThreadState,
): Pick<ThreadView, "envelope" | "attachments" | "cursor"> => ({
  envelope: buildEnvelope(state, log.readHistory(), log.getFact("extra")),
  attachments: log.attachments.list(),
  cursor: log.getSyncState().seq,
});
