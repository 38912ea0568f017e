/** Creates a thread: the request becomes its first document, the exchange acks it, and the thread is offered. */
import { defined } from "../defined.ts";
import type { JsonMap } from "../json.ts";
import { messageToMess } from "../wire/message.ts";
import type { Message } from "../wire/schema.ts";
import { raiseVersion } from "../wire/versions.ts";
import { type Change, ThreadDraft } from "./thread-change.ts";
import { EXCHANGE } from "./policy.ts";
import { type NewThread, createState } from "./state.ts";
import { supersede } from "./suggestions/supersede.ts";
import { fireTimers } from "./timers.ts";

export interface ThreadCreation extends NewThread {
  channel: string;
  /** The message with only the request block. */
  message: Message;
  /** Every request of the batch with its ref, for the ack (decision 14). */
  batch_ack?: { id?: string; ref: string; queue_position?: number }[];
  /** Its place among the requests that wait for the same executors, for the ack. */
  queue_position?: number;
  /** Warnings for the ack. */
  warnings?: string[];
  /** The thread with an equal request that this one joins. */
  joins?: string;
  /** The threads that this one replaces (decision 69). */
  replaces?: { refs: string[]; reason: "merge" | "split" };
}

/**
 * Builds the first change of a new thread.
 * @param now milliseconds since 1970 UTC
 */
export function createThread(creation: ThreadCreation, now: number): Change {
  const draft = new ThreadDraft(createState(creation, now), now);
  const { request, ref, requestor, warnings } = creation;
  const ack: JsonMap = creation.batch_ack
    ? { requests: creation.batch_ack.map((one) => ({ ...one })), received_at: draft.time }
    : {
        re: request.id ?? "last",
        ref,
        ...defined({ superseded_by: creation.joins }),
        received_at: draft.time,
        ...defined({ queue_position: creation.queue_position }),
      };
  draft.documents.push({
    serial: 0,
    document: {
      from: requestor,
      received: draft.time,
      channel: creation.channel,
      MESS: messageToMess(raiseVersion(creation.message).message),
    },
    acks: [draft.buildAck({ ...ack, ...defined({ warnings }) })],
  });
  draft.state.documents = 1;
  draft.state.size = JSON.stringify(creation.message).length;
  draft.log("created", requestor);
  if (creation.replaces)
    draft.log(
      creation.replaces.reason === "merge" ? "merged" : "split",
      EXCHANGE,
      undefined,
      `replaces ${creation.replaces.refs.join(", ")}`,
    );
  if (creation.joins !== undefined)
    supersede(draft, { superseded_by: creation.joins, reason: "merge" });
  fireTimers(draft);
  return draft.change;
}
