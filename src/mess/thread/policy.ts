/** Who may send what to a thread: decided by the sender's relation to it, never by what a body says (decision 35). */
import type { MessError } from "../errors.ts";
import type { MessageType } from "../wire/schema.ts";
import { isUnclaimed, type ThreadState, wasOffered } from "./state.ts";

/** The name under which the exchange acts (decision 51). */
export const EXCHANGE = "exchange";

export interface MessageSender {
  actor: string;
  /** Owners of the household stand beside every requestor. */
  owner: boolean;
}

export interface ThreadRelation {
  requestor: boolean;
  holder: boolean;
  candidate: boolean;
  /** Its own thread joined this one: it reads along. */
  reader: boolean;
}

export function getRelation(state: ThreadState, sender: MessageSender): ThreadRelation {
  return {
    requestor: sender.owner || sender.actor === state.requestor,
    holder: sender.actor === state.executor,
    reader: state.joined?.some(({ actor }) => actor === sender.actor) ?? false,
    candidate:
      state.candidates.some((one) => one.id === sender.actor && wasOffered(state, one)) ||
      // The owners are the last rung.
      (sender.owner && state.owner_told === true && isUnclaimed(state)),
  };
}

/** True for those who may see the thread at all; for anyone else it does not exist. */
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
  // These make no message in an existing thread.
  request: [],
  query: [],
  config: [],
  ack: [],
};

const HINT_BY_TYPE: Readonly<Record<string, string>> = {
  status:
    "Only an executor that the thread was offered to reports a status; to stop it, send cancel.",
  response:
    "Only an executor that the thread was offered to responds; to add something, send followup.",
  cancel: "Only the requestor or an owner cancels; an executor sends status with code declined.",
};

/** A refusal when the sender's side may not send this type, else undefined. */
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
    hint: HINT_BY_TYPE[type] ?? `A ${type} comes from the other side of the thread.`,
  };
}
