/** Describes messages and members of AI groups for a model. Texts by other members are quoted or put on one line. */
import type { GroupMessage, PendingSummary } from "../../../contracts/groups.ts";
import { defined } from "../../../mess/defined.ts";
import type { Status } from "../../../mess/status.ts";
import { inlineText, quoteText } from "./untrusted-text.ts";

const MAX_NAME_CHARS = 64;
const MAX_LISTED_ITEMS = 20;

export const formatName = (name: string): string => `"${inlineText(name, MAX_NAME_CHARS)}"`;

function formatItems(label: string, items: readonly string[] = []): string[] {
  if (items.length === 0) return [];
  const first = items.slice(0, MAX_LISTED_ITEMS).map((item) => inlineText(item, 200));
  const left = items.length - first.length;
  return [`> (${label}: ${first.join(", ")}${left > 0 ? ` and ${left} more` : ""})`];
}

/** The request of a task for a person or robot. */
export const formatRequest = ({
  ref,
  request_status,
}: {
  ref?: string | undefined;
  request_status?: Status | undefined;
}): string[] =>
  ref === undefined
    ? []
    : [`request ${ref}${request_status === undefined ? "" : ` is ${request_status}`}`];

/** A line with sender, type and id, then the content with `> ` before every line. */
export function describeGroupMessage(message: GroupMessage): string {
  const { id, from, from_name, to, type, at, content, reply_to, task_status, ref } = message;
  const facts = [
    `${type} ${id} from ${from} ${formatName(from_name)} to ${to}`,
    at,
    ...(message.person ? ["from a person"] : []),
    ...(message.importance ? [message.importance] : []),
    ...(reply_to === undefined ? [] : [`reply to ${reply_to}`]),
    ...(task_status === undefined ? [] : [`task ${task_status}`]),
    ...formatRequest({ ref, request_status: message.request_status }),
    ...(message.late ? ["late: its sender no longer held the task"] : []),
    ...(message.needs_ack && !message.acknowledged ? ["needs an acknowledgment"] : []),
  ];
  return [
    `${facts.join(", ")}:`,
    quoteText(content),
    ...formatItems("tools", message.tool_usage),
    ...formatItems("files", message.files_modified),
  ].join("\n");
}

/** The facts of a message. Its content is in the text of the result, so that it is not sent twice. */
export const toStructuredMessage = (message: GroupMessage): Record<string, unknown> => {
  const { id, seq, from, from_name, to, type, at } = message;
  const { person, importance, reply_to, task_status, ref, request_status } = message;
  const { late, needs_ack, acknowledged, read } = message;
  return {
    id,
    seq,
    from,
    from_name: inlineText(from_name, MAX_NAME_CHARS),
    to,
    type,
    at,
    ...defined({ person, importance, reply_to, task_status, ref, request_status }),
    ...defined({ late, needs_ack, acknowledged, read }),
  };
};

/** One line for each sender: how many of which types, and the time of the newest. */
export function describePending({ by_sender, total_pending, needs_ack }: PendingSummary): string {
  if (total_pending === 0) return "Nothing is unread.";
  const lines = Object.entries(by_sender).map(([id, { name, count, types, latest }]) => {
    const kinds = Object.entries(types).map(([type, number]) => `${number} ${type}`);
    return `${id} ${formatName(name)}: ${count} (${kinds.join(", ")}), latest ${latest}`;
  });
  const acks = needs_ack > 0 ? ` ${needs_ack} need your acknowledgment.` : "";
  return [`${total_pending} unread.${acks}`, ...lines].join("\n");
}

/** The summary with the names of its senders on one line each. */
export const toStructuredPending = ({ by_sender, ...totals }: PendingSummary) => ({
  ...totals,
  by_sender: Object.fromEntries(
    Object.entries(by_sender).map(([id, summary]) => [
      id,
      { ...summary, name: inlineText(summary.name, MAX_NAME_CHARS) },
    ]),
  ),
});
