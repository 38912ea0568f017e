/** Takes over the household's record of the group. A new primary ops takes over the open tasks of the former one. */
import type { GroupRecord } from "../contracts/groups.ts";
import { EXCHANGE_SENDER } from "../mess/groups/ids.ts";
import { appendMessage } from "./sending/append-message.ts";
import type { GroupStore } from "./tables/group-store.ts";
import type { StoredMessage } from "./tables/message-table.ts";
import { listTaskLines } from "./task-lines.ts";

/** @returns the message to the new primary; undefined if no task changed hands, false if the record is older than the stored one */
export function syncRecord(
  store: GroupStore,
  record: GroupRecord,
  now: number,
): StoredMessage | undefined | false {
  const former = store.roster.read()?.primary;
  if (!store.roster.save(record)) return false;
  return former === undefined || record.primary === undefined || former === record.primary
    ? undefined
    : moveTasks(store, former, record.primary, now);
}

function moveTasks(
  store: GroupStore,
  former: string,
  primary: string,
  now: number,
): StoredMessage | undefined {
  const left = (["open", "returned"] as const)
    .flatMap((status) => store.tasks.list(status))
    .filter(({ assigner, replaced_by }) => assigner === former && replaced_by === null);
  store.handoffs.add({ former, successor: primary, seq: store.messages.getNewestSeq() });
  if (left.length === 0) return undefined;
  const { id, name } = store.roster.show(former);
  return appendMessage(store, {
    receiver: primary,
    sender: EXCHANGE_SENDER,
    type: "message",
    at: now,
    content: [
      `You are now the primary ops. ${name} (${id}) had assigned these tasks, whose reports now come to you:`,
      ...listTaskLines(store, left),
    ].join("\n"),
    details: { importance: "high" },
  });
}
