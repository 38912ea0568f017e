/**
 * The handlers of a group's durable jobs. They send the messages of members to people and robots to the exchange, and
 * post refusals as messages of these.
 */
import type { Principal } from "../../auth/principal.ts";
import type { PostForMember } from "../../contracts/groups.ts";
import { log } from "../../log.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { EXCHANGE_SENDER, parseMessageSeq } from "../../mess/groups/ids.ts";
import {
  buildAnswer,
  buildFollowup,
  buildTaskRequest,
} from "../../mess/groups/request-messages.ts";
import { exponential } from "../../object/retry.ts";
import { type JobOutcome, StoredJobs } from "../../object/stored-jobs.ts";
import { appendMessage, buildDetails } from "../sending/append-message.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { MessageDetails, StoredMessage } from "../tables/message-table.ts";
import { completeTask } from "../sending/reported-task.ts";
import { notifyOfSilence } from "../silent-members.ts";
import { declineRequest, postForAgent } from "./agent-requests.ts";
import type { GroupJobs } from "../tables/group-job-table.ts";

/** The exchange is tried without limit. */
const EXCHANGE_RETRY = exponential(1_000, 3_600_000);

/** After a longer time the sender decides again, such as where a quota of the day is used up. */
const MAX_RETRY_AFTER_SECONDS = 60;
const isTemporary = ({ retry_after = Infinity }: MessError): boolean =>
  retry_after <= MAX_RETRY_AFTER_SECONDS;

/** @param commit runs a change in one transaction, and announces the messages that it returns */
export function createRequestJobs(
  storage: Pick<DurableObjectStorage, "transactionSync">,
  store: GroupStore,
  postForMember: PostForMember,
  commit: (change: () => StoredMessage[]) => void,
): StoredJobs<GroupJobs> {
  const run = async ({ seq, ...sender }: GroupJobs["post"]): Promise<JobOutcome> => {
    const message = store.messages.get(seq)!;
    // The thread has reported to the group already, so the request is open.
    if (message.type === "task" && store.requests.find(seq)) return "done";
    const posted = await post(store, message, sender, postForMember);
    if (!posted.ok && isTemporary(posted.error)) return "retry";
    commit(() =>
      posted.ok
        ? recordRequest(store, message, posted.value)
        : refuseMessage(store, message, posted.error, Date.now()),
    );
    return "done";
  };
  return new StoredJobs<GroupJobs>(store.jobs, {
    storage,
    handlers: {
      post: { run, retryDelayMs: EXCHANGE_RETRY },
      decline: {
        run: (decline) => declineRequest(store, decline, postForMember),
        retryDelayMs: EXCHANGE_RETRY,
      },
      checkSilence: {
        run: async ({ agent }) => {
          commit(() => notifyOfSilence(store, agent, Date.now()));
          return "done";
        },
        retryDelayMs: EXCHANGE_RETRY,
      },
    },
    onError: ({ kind, attempts }) => {
      const { household, id: group } = store.roster.get();
      log("job_failed", { household, group, kind, attempts });
    },
    onGiveUp: () => undefined,
  });
}

async function post(
  store: GroupStore,
  message: StoredMessage,
  sender: Omit<GroupJobs["post"], "seq">,
  postForMember: PostForMember,
): Promise<Outcome<string>> {
  const { household, id: group, topic } = store.roster.get();
  const principal: Principal = { household, ...sender };
  const { id, type, content, details, receiver } = message;
  if (receiver === EXCHANGE_SENDER)
    return await postForAgent(store, message, principal, postForMember);
  if (type === "task") {
    const from = { name: store.roster.show(message.sender).name, topic };
    const opens = { origin: { group, task: id }, executor: receiver };
    const request = buildTaskRequest(content, details.importance, from);
    return await postForMember(principal, request, { key: id, opens });
  }
  const task = parseMessageSeq(details.request ?? "");
  const request = task === undefined ? undefined : store.requests.find(task);
  if (!request) return refuseUnopened();
  const about = findAbout(store, message);
  const sent = about
    ? buildAnswer(content, request.ref, about)
    : buildFollowup(content, request.ref);
  return await postForMember(principal, sent, { key: id });
}

const refuseUnopened = () =>
  refuse(
    "unknown_reference",
    "the task has opened no request",
    "Send it again as message_type task.",
  );

/** The message of the request that this one answers. */
const findAbout = (
  { messages }: GroupStore,
  { details: { reply_to } }: StoredMessage,
): MessageDetails["about"] =>
  reply_to === undefined ? undefined : messages.find(reply_to)?.details.about;

/** Does nothing where the thread has reported first. */
function recordRequest(store: GroupStore, { seq, type }: StoredMessage, ref: string): [] {
  if (type === "task" && !store.requests.find(seq))
    store.requests.save({ task: seq, ref, status: "pending", seq: 0, serial: 0 });
  return [];
}

/**
 * A refused task ends; a refused answer can be given again, in reply to the new message.
 * @returns none where the job runs again
 */
function refuseMessage(
  store: GroupStore,
  message: StoredMessage,
  error: MessError,
  now: number,
): StoredMessage[] {
  const { seq, id, type, sender, receiver, details } = message;
  const key = `refused/${id}`;
  if (store.messages.findByKey(key)) return [];
  const about = findAbout(store, message);
  const task = type === "task" ? store.tasks.find(receiver, seq) : undefined;
  const refusal = appendMessage(store, {
    receiver: task?.assigner ?? sender,
    sender: receiver,
    type: about ? "question" : "report",
    at: now,
    key,
    content: [
      type === "task" ? "No request was opened:" : "This was not passed on:",
      `${error.message}. ${error.hint}`,
      ...(error.valid && error.valid.length > 0 ? [`Valid: ${error.valid.join(", ")}`] : []),
    ].join("\n"),
    details: buildDetails({
      reply_to: id,
      request: type === "task" ? id : details.request,
      about,
      ...(task ? completeTask(store, { id, task }) : {}),
    }),
  });
  return [refusal];
}
