/** Stores a message with everything that changes with it: counters, acknowledgment and task. */
import { defined } from "../../mess/defined.ts";
import type { GroupStore } from "../tables/group-store.ts";
import { acknowledge, countMessage } from "../reading/mark-read.ts";
import { addSilenceCheck } from "../tables/group-job-table.ts";
import { isExecutor } from "../tables/roster.ts";
import type { MessageDetails, NewMessage, StoredMessage } from "../tables/message-table.ts";

export interface MessageDraft extends Omit<NewMessage, "acknowledged" | "key" | "details"> {
  needs_ack?: boolean | undefined;
  key?: string | undefined;
  details?: MessageDetails;
  /** The claim that a task came with. */
  epoch?: number | undefined;
}

/** Runs inside the caller's transaction. */
export function appendMessage(store: GroupStore, draft: MessageDraft): StoredMessage {
  const { id, receiver, sender, type, at, content, needs_ack, key, details = {}, epoch } = draft;
  const message = store.messages.insert({
    id,
    receiver,
    sender,
    type,
    at,
    content,
    details,
    acknowledged: needs_ack ? 0 : null,
    key: key ?? null,
  });
  countMessage(store, message);
  const replied =
    details.reply_to === undefined ? undefined : store.messages.find(details.reply_to);
  if (replied?.receiver === sender) acknowledge(store, replied);
  if (type === "task") appendTask(store, message, epoch ?? null);
  return message;
}

function appendTask(store: GroupStore, message: StoredMessage, epoch: number | null): void {
  const { receiver: agent, seq, sender: assigner, at } = message;
  store.tasks.insert({ status: "open", agent, seq, assigner, epoch, replaced_by: null });
  const member = store.roster.find(agent);
  if (epoch === null && member && !isExecutor(member)) addSilenceCheck(store.jobs, agent, at);
}

/** Details without the fields that have no value. */
export const buildDetails = (details: {
  [Name in keyof MessageDetails]: MessageDetails[Name] | undefined;
}): MessageDetails => defined(details) as MessageDetails;
