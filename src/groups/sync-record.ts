/** Takes over the household's record of the group. A new primary ops takes over the open tasks of the former one. */
import type { GroupRecord } from "../contracts/groups.ts";
import { EXCHANGE_SENDER } from "../mess/groups/ids.ts";
import { appendMessage } from "./append-message.ts";
import type { GroupStore } from "./group-store.ts";
import type { StoredMessage } from "./message-table.ts";
import { listTaskLines } from "./task-lines.ts";

/** @returns the message to the new primary; undefined where nothing moved, false where the record is an old one */
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
  const moved = (["open", "returned", "done"] as const)
    .flatMap((status) => store.tasks.list(status))
    .filter(({ assigner }) => assigner === former);
  for (const task of moved)
    store.tasks.update(task, {
      assigner: primary,
      former_assigners: [...task.former_assigners, former],
    });
  const left = moved.filter(({ status, replaced_by }) => status !== "done" && replaced_by === null);
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
