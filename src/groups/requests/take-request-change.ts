/** Posts what a request reports about a task, and completes the task when the request has ended. */
import type { RequestChange } from "../../contracts/groups.ts";
import type { RequestNews } from "../../mess/groups/request-news.ts";
import type { GroupMessageType } from "../../mess/groups/vocabulary.ts";
import { isFinal } from "../../mess/status.ts";
import { EXCHANGE } from "../../mess/thread/policy.ts";
import { appendMessage, buildDetails } from "../sending/append-message.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import { completeTask } from "../sending/reported-task.ts";
import type { GroupTask } from "../tables/task-table.ts";

/** A repeated or older change does nothing. @returns the new messages to the member that assigned the task */
export function takeRequestChange(
  store: GroupStore,
  { task: id, ref, seq, status, news, more }: RequestChange,
  now: number,
): StoredMessage[] {
  const message = store.messages.find(id);
  const task = message && store.tasks.find(message.receiver, message.seq);
  if (!task) return [];
  const known = store.requests.find(task.seq) ?? { task: task.seq, ref, seq: 0, serial: 0 };
  if (known.seq >= seq || known.ref !== ref) return [];
  const fresh = selectNews(news.filter(({ serial }) => serial > known.serial));
  const serial = Math.max(known.serial, ...news.map((one) => one.serial));
  store.requests.save({ ...known, status, seq, serial });
  const hasEnded = isFinal(status) && !more && task.status === "open";
  const last = hasEnded ? fresh.findLast(({ kind }) => kind === "report") : undefined;
  const posted = fresh.map((one) => postNews(store, { id, task }, one, one === last, now));
  if (!hasEnded || last) return posted;
  const end = { kind: "report", from: EXCHANGE, text: status, serial } as const;
  return [...posted, postNews(store, { id, task }, end, true, now)];
}

/** Beside a member's report, those of the exchange only say what follows from it. */
const selectNews = (news: readonly RequestNews[]): readonly RequestNews[] =>
  news.some(({ kind, from }) => kind === "report" && from !== EXCHANGE)
    ? news.filter(({ kind, from }) => kind !== "report" || from !== EXCHANGE)
    : news;

const TYPE_BY_KIND: Readonly<Record<RequestNews["kind"], GroupMessageType>> = {
  question: "question",
  confirmation: "question",
  suggestion: "question",
  report: "report",
  message: "message",
};

function postNews(
  store: GroupStore,
  { id, task }: { id: string; task: GroupTask },
  { kind, name, from, text }: RequestNews,
  completes: boolean,
  now: number,
): StoredMessage {
  const isOther = from !== task.agent && from !== EXCHANGE;
  const isAnswerable = kind !== "report" && kind !== "message" && name !== undefined;
  return appendMessage(store, {
    receiver: task.assigner,
    sender: task.agent,
    type: TYPE_BY_KIND[kind],
    at: now,
    content: isOther ? `${from}: ${text}` : text,
    details: buildDetails({
      reply_to: id,
      request: id,
      person: store.roster.isPerson(task.agent) ? true : undefined,
      about: isAnswerable ? { name, kind } : undefined,
      ...(completes ? completeTask(store, { id, task }) : {}),
    }),
  });
}
