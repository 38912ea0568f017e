/** Builds what a reader of the thread sees. The caller has checked that they may. */
import type { ResourceView, ThreadView } from "../contracts/thread-views.ts";
import { buildEnvelope } from "../mess/thread/envelope.ts";
import { listOpenItems, type ThreadState } from "../mess/thread/state.ts";
import type { ThreadLog } from "./thread-log.ts";

export const buildHead = (
  log: ThreadLog,
  state: ThreadState,
): Pick<ThreadView, "envelope" | "attachments" | "cursor"> => ({
  envelope: buildEnvelope(state, log.readHistory(), log.getFact("extra")),
  attachments: log.attachments.list(),
  cursor: log.getSyncState().seq,
});

export const buildView = (log: ThreadLog, state: ThreadState, after: number): ThreadView => ({
  ...buildHead(log, state),
  messages: log.readDocumentsAfter(after),
  open: listOpenItems(state),
});

/** The thread with its files as `content://` resources. */
export function buildResourceView(log: ThreadLog, state: ThreadState, after: number): ResourceView {
  const { attachments, ...head } = buildHead(log, state);
  const { messages, files } = log.readResourcesAfter(after);
  const inline = files.map(({ data: _data, ...file }) => file);
  const open = listOpenItems(state);
  return { ...head, attachments: [...attachments, ...inline], messages, open };
}
