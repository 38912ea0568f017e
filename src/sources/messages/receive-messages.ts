/** Stores incoming messages, each once, inside the caller's transaction. */
import type { IncomingSourceMessage, ReceivedMessage } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { cutMessage } from "../../mess/sources/cut-message.ts";
import { refuseDisconnected } from "../../mess/sources/refusals.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import { listKeys } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { addDeletion } from "./delete-bytes.ts";

/** Adds the jobs that classify and index the new messages. Refuses all where the source is disconnected or full. */
export function receiveMessages(
  store: SourceStore,
  messages: readonly IncomingSourceMessage[],
  now: number,
): Outcome<ReceivedMessage[]> {
  const { name, status } = store.get();
  if (status === "disconnected") return refuseDisconnected(name);
  const received = messages.map((message) => storeOnce(store, cutMessage(message), now));
  if (store.state.get().messages > SOURCE_LIMITS.messagesPerSource)
    return refuse(
      "source_full",
      `the source ${name} has ${SOURCE_LIMITS.messagesPerSource} messages`,
      "Delete old messages, or set how long the messages of sources are kept.",
    );
  if (received.some(({ repeated }) => !repeated)) {
    store.jobs.put("classify", "classify", {}, now);
    putIndexJob(store, now);
  }
  return ok(received);
}

function storeOnce(
  store: SourceStore,
  message: IncomingSourceMessage,
  now: number,
): ReceivedMessage {
  const stored = store.messages.findByExternalId(message.external_id);
  if (stored) {
    const kept = new Set(listKeys(store.messages.readFiles(stored.seq)));
    addDeletion(
      store,
      listKeys(message).filter((key) => !kept.has(key)),
      now,
    );
    return { id: stored.id, repeated: true };
  }
  return { id: store.messages.insert(message, now).id };
}

/** Lets the index job run soon. A pending one is enough. */
export const putIndexJob = ({ jobs }: SourceStore, now: number): void =>
  jobs.put("index", "index", {}, now);
