/** Who may send what to a thread: decided by the sender's relation to it, never by what a body says (decision 35). */
import type { MessError } from "../errors.ts";
import type { MessageType } from "../wire/schema.ts";
import { isUnclaimed, type ThreadState, wasAsked } from "./state.ts";

/** The name under which the exchange acts (decision 51). */
export const EXCHANGE = "exchange";

export interface Sender {
  actor: string;
  /** Owners of the household stand beside every requestor. */
  owner: boolean;
}

export interface Relation {
  requestor: boolean;
  holder: boolean;
  candidate: boolean;
  /** Its own thread joined this one: it reads along. */
  reader: boolean;
}

export function relationOf(state: ThreadState, sender: Sender): Relation {
  return {
    requestor: sender.owner || sender.actor === state.requestor,
    holder: sender.actor === state.executor,
    reader: state.joined?.some(({ actor }) => actor === sender.actor) ?? false,
    candidate:
      state.candidates.some((one) => one.id === sender.actor && wasAsked(state, one)) ||
      // The owners are the last rung.
      (sender.owner && state.owner_told === true && isUnclaimed(state)),
  };
}

/** True for those who may see the thread at all; for anyone else it does not exist. */
export function maySee(state: ThreadState, sender: Sender): boolean {
  const relation = relationOf(state, sender);
  return relation.requestor || relation.holder || relation.candidate || relation.reader;
}

const SIDES: Readonly<Record<MessageType, readonly ("requestor" | "executor")[]>> = {
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

const HINTS: Readonly<Record<string, string>> = {
  status:
    "Only an executor that the thread was offered to reports a status; to stop it, send cancel.",
  response:
    "Only an executor that the thread was offered to responds; to add something, send followup.",
  cancel: "Only the requestor or an owner cancels; an executor sends status with code declined.",
};

/** A refusal when the sender's side may not send this type, else undefined. */
export function senderFault(
  state: ThreadState,
  sender: Sender,
  type: MessageType,
): MessError | undefined {
  const relation = relationOf(state, sender);
  const sides = SIDES[type];
  if (relation.requestor && sides.includes("requestor")) return undefined;
  if ((relation.holder || relation.candidate) && sides.includes("executor")) return undefined;
  if (relation.reader && type === "followup") return undefined;
  return {
    code: "wrong_role",
    message: `${sender.actor} may not send ${type} to this thread`,
    hint: HINTS[type] ?? `A ${type} comes from the other side of the thread.`,
  };
}
