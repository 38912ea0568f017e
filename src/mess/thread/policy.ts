/** Permissions of senders: they depend on the sender's relation to the thread, never on the body (decision 35). */
import type { MessError } from "../errors.ts";
import type { MessageType } from "../wire/schema.ts";
import { isUnclaimed, type ThreadState, wasOffered } from "./state.ts";

/** The actor id of the exchange (decision 51). */
export const EXCHANGE = "exchange";

export interface MessageSender {
  actor: string;
  /** Owners of the household have the rights of every requestor. */
  owner: boolean;
}

export interface ThreadRelation {
  requestor: boolean;
  holder: boolean;
  candidate: boolean;
  /** Requestor of a thread that joined this one, who may read it. */
  reader: boolean;
}

export function getRelation(state: ThreadState, sender: MessageSender): ThreadRelation {
  return {
    requestor: sender.owner || sender.actor === state.requestor,
    holder: sender.actor === state.executor,
    reader: state.joined?.some(({ actor }) => actor === sender.actor) ?? false,
    candidate:
      state.candidates.some((one) => one.id === sender.actor && wasOffered(state, one)) ||
      // The owners are the last escalation step.
      (sender.owner && state.owner_told === true && isUnclaimed(state)) ||
      // It is offered to nobody's requestor, but a member may do its own request.
      (sender.actor === state.requestor && state.requestor_serves === true && isUnclaimed(state)),
  };
}

/** True for a sender who may see the thread; all others get `not_found`. */
export function canSee(state: ThreadState, sender: MessageSender): boolean {
  const relation = getRelation(state, sender);
  return relation.requestor || relation.holder || relation.candidate || relation.reader;
}

const SIDES_BY_TYPE: Readonly<Record<MessageType, readonly ("requestor" | "executor")[]>> = {
  reply: ["requestor"],
  answer: ["requestor"],
  cancel: ["requestor"],
  review: ["requestor"],
  status: ["executor"],
  response: ["executor"],
  suggestion: ["executor"],
  followup: ["requestor", "executor"],
  // These types are never messages of an existing thread.
  request: [],
  query: [],
  config: [],
  ack: [],
};

const HINT_BY_TYPE: Readonly<Record<string, string>> = {
  status:
    "Only an executor that was offered the thread may send status. To stop the work send cancel.",
  response:
    "Only an executor that was offered the thread may respond. To add information send followup.",
  cancel:
    "Only the requestor or an owner may cancel. As an executor send status with code declined.",
};

/** Refuses a message type that the sender's side may not send, with `wrong_role`; else returns undefined. */
export function checkSender(
  state: ThreadState,
  sender: MessageSender,
  type: MessageType,
): MessError | undefined {
  const relation = getRelation(state, sender);
  const sides = SIDES_BY_TYPE[type];
  if (relation.requestor && sides.includes("requestor")) return undefined;
  if ((relation.holder || relation.candidate) && sides.includes("executor")) return undefined;
  if (relation.reader && type === "followup") return undefined;
  return {
    code: "wrong_role",
    message: `${sender.actor} may not send ${type} to this thread`,
    hint: HINT_BY_TYPE[type] ?? `Only the other side of the thread may send ${type}.`,
  };
}
