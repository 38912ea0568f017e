/** Stores messages together with what their kind keeps, inside the caller's transaction. */
import type {
  IncomingSourceMessage,
  KindStateChange,
  ReceivedMessage,
} from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { receiveMessages } from "../messages/receive-messages.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { pollAtLatest } from "./schedule-poll.ts";

/** Null if the state has changed since it was read: two polls or requests ran at the same time. */
export function receiveWithState(
  store: SourceStore,
  messages: readonly IncomingSourceMessage[],
  { before, after, pollAt = null }: KindStateChange,
  now: number,
): Outcome<ReceivedMessage[] | null> {
  if (JSON.stringify(store.state.getKindState()) !== JSON.stringify(before)) return ok(null);
  store.state.setKindState(after);
  if (pollAt !== null) pollAtLatest(store, pollAt);
  return messages.length === 0 ? ok([]) : receiveMessages(store, messages, now);
}
